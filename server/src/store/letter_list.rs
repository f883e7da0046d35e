//! Letters by filter: pages of the list, how many there are, and the ids of a selection.
//!
//! Each filter is a query of its own and is planned for its values: none is kept prepared, since a
//! plan for any filter whatever could use none of the indexes.

mod by_text;
mod search;
mod walk;

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::ids::{GroupId, LetterId, SourceId};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::{Cursor, Total};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::StoreError;
pub use super::filter::Matching;
use super::origins::{self, NamedOrigin, OriginStanding};
use super::replays::unclaimed::SelectedLetter;
pub use search::{Found, SearchTime, search, within};

/// The query that a page is asked with.
type Sql = QueryBuilder<Postgres>;

/// Totals that no counter knows are counted up to here: above, counting would take longer than the
/// page itself.
pub const MOST_COUNTED: i64 = 10_000;

/// Has the statements of this transaction given up when they take longer than this: a filter that
/// few letters match must look at many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn limit_time(conn: &mut PgConnection, most: Duration) -> Result<(), StoreError> {
    // Zero would mean no limit.
    let most = format!("{}ms", most.as_millis().max(1));
    sqlx::query!("select set_config('statement_timeout', $1, true)", most).fetch_one(conn).await?;
    Ok(())
}

/// At most `limit` letters after the cursor, last arrived first, however long that takes.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    matching: &Matching,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<LetterSummary>, StoreError> {
    let mut sql = QueryBuilder::new("");
    write_columns(&mut sql);
    sql.push(" where ");
    matching.write(&mut sql);
    write_place(&mut sql, "<", after);
    write_order(&mut sql, limit);
    page_of(conn, sql).await
}

fn write_columns(sql: &mut Sql) {
    sql.push(
        "select l.id, l.state, l.severity, s.name as source, l.source_id, l.queue, l.exchange,
                l.routing_key, l.reason, l.error_class, left(l.error_message, 300) as error_message,
                l.message_type, l.message_id, l.size_bytes, l.arrivals, l.first_arrived_at,
                l.last_arrived_at,
                (select g.group_id from signatures g where g.id = l.signature) as group_id,
                (select left(o.title, 300) from signatures g join groups o on o.id = g.group_id
                 where g.id = l.signature) as group_title
         from letters l
         join sources s on s.id = l.source_id",
    );
}

/// Writes that letters stand on one side of a place, if there is one.
fn write_place(sql: &mut Sql, side: &'static str, place: Option<Cursor>) {
    if let Some(place) = place {
        sql.push(" and (l.last_arrived_at, l.id) ")
            .push(side)
            .push(" (")
            .push_bind(place.at)
            .push(", ")
            .push_bind(place.id)
            .push(")");
    }
}

fn write_order(sql: &mut Sql, limit: i64) {
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ").push_bind(limit);
}

async fn page_of(conn: &mut PgConnection, mut sql: Sql) -> Result<Vec<LetterSummary>, StoreError> {
    let rows = sql.build_query_as().persistent(false).fetch_all(&mut *conn).await?;
    summaries(conn, rows).await
}

async fn summaries(
    conn: &mut PgConnection,
    rows: Vec<SummaryRow>,
) -> Result<Vec<LetterSummary>, StoreError> {
    let letters: Result<Vec<_>, _> = rows.into_iter().map(LetterSummary::try_from).collect();
    let mut letters = letters?;
    mark_claimed(conn, &mut letters).await?;
    Ok(letters)
}

/// Marks the letters whose origin only their message claims.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub(super) async fn mark_claimed(
    conn: &mut PgConnection,
    letters: &mut [LetterSummary],
) -> Result<(), StoreError> {
    let known = origins::known_of(conn, letters.iter().map(named)).await?;
    for letter in letters {
        let names_any = letter.queue.is_some() || letter.exchange.is_some();
        let standing = known.standing(named(letter));
        letter.origin_claimed = names_any && standing == OriginStanding::Claimed;
    }
    Ok(())
}

fn named(letter: &LetterSummary) -> NamedOrigin<'_> {
    NamedOrigin {
        source: letter.source_id,
        queue: letter.queue.as_deref(),
        arrived_at: letter.last_arrived_at,
    }
}

/// How many letters match: from the counters where they know, else counted up to `MOST_COUNTED`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection, matching: &Matching) -> Result<Total, StoreError> {
    let by_counters = matching.is_counted();
    let mut sql = if by_counters {
        // Its columns have the names of those of the letters.
        let mut sql = QueryBuilder::new(
            "select coalesce(sum(l.letters), 0)::bigint from letter_counts l where ",
        );
        matching.write(&mut sql);
        sql
    } else {
        let mut sql =
            QueryBuilder::new("select count(*) from (select 1 as one from letters l where ");
        matching.write(&mut sql);
        sql.push(" limit ").push_bind(MOST_COUNTED).push(") as some_letters");
        sql
    };
    let count = sql.build_query_scalar().persistent(false).fetch_one(&mut *conn).await?;
    Ok(Total { count, is_least: !by_counters && count >= MOST_COUNTED })
}

/// The ids of all letters that match at this moment, in order, at most `most` of them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn ids(
    conn: &mut PgConnection,
    matching: &Matching,
    most: i64,
) -> Result<Vec<LetterId>, StoreError> {
    let mut sql = QueryBuilder::new("select l.id from letters l where ");
    matching.write(&mut sql);
    sql.push(" order by l.id limit ").push_bind(most);
    let ids: Vec<Uuid> = sql.build_query_scalar().persistent(false).fetch_all(conn).await?;
    Ok(ids.into_iter().map(LetterId).collect())
}

/// All letters that match at this moment, in the order of their ids, at most `most` of them.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn selected(
    conn: &mut PgConnection,
    matching: &Matching,
    most: i64,
) -> Result<Vec<SelectedLetter>, StoreError> {
    // In one row: to take a row for each letter out of the answer took longer than to find them.
    let mut sql = QueryBuilder::new(
        "select coalesce(array_agg(id), '{}'), coalesce(array_agg(arrivals), '{}'),
             coalesce(array_agg(source_id), '{}')
         from (select l.id, l.arrivals, l.source_id from letters l where ",
    );
    matching.write(&mut sql);
    sql.push(" order by l.id limit ").push_bind(most).push(") as selected");
    let (ids, ordinals, sources): (Vec<Uuid>, Vec<i32>, Vec<Uuid>) =
        sql.build_query_as().persistent(false).fetch_one(conn).await?;
    let selected = ids.into_iter().zip(ordinals).zip(sources);
    let selected = selected.map(|((id, ordinal), source)| SelectedLetter {
        id: LetterId(id),
        ordinal,
        source_id: SourceId(source),
    });
    Ok(selected.collect())
}

/// These letters, last arrived first; those that are gone are left out.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn these(
    conn: &mut PgConnection,
    ids: &[LetterId],
) -> Result<Vec<LetterSummary>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let mut sql = QueryBuilder::new("");
    write_columns(&mut sql);
    // The same text each time, and ids that the planner does not see, so its plan is kept.
    sql.push(" where l.id = any((select ").push_bind(ids).push(")::uuid[])");
    write_order(&mut sql, i64::MAX);
    let rows = sql.build_query_as().fetch_all(&mut *conn).await?;
    summaries(conn, rows).await
}

/// A letter's row as far as the list shows it.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct SummaryRow {
    pub id: Uuid,
    pub state: String,
    pub severity: String,
    pub source: String,
    pub source_id: Uuid,
    pub queue: Option<String>,
    pub exchange: Option<String>,
    pub routing_key: Option<String>,
    pub reason: String,
    pub error_class: Option<String>,
    pub error_message: Option<String>,
    pub message_type: Option<String>,
    pub message_id: Option<String>,
    pub size_bytes: i64,
    pub arrivals: i32,
    pub first_arrived_at: DateTime<Utc>,
    pub last_arrived_at: DateTime<Utc>,
    pub group_id: Option<Uuid>,
    pub group_title: Option<String>,
}

impl TryFrom<SummaryRow> for LetterSummary {
    type Error = StoreError;

    fn try_from(row: SummaryRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: LetterId(row.id),
            state: word("state", &row.state)?,
            severity: word("severity", &row.severity)?,
            source: row.source,
            source_id: SourceId(row.source_id),
            queue: row.queue,
            exchange: row.exchange,
            routing_key: row.routing_key,
            origin_claimed: false,
            reason: word("reason", &row.reason)?,
            error_class: row.error_class,
            error_message: row.error_message,
            message_type: row.message_type,
            message_id: row.message_id,
            size_bytes: row.size_bytes,
            arrivals: row.arrivals,
            first_arrived_at: row.first_arrived_at,
            last_arrived_at: row.last_arrived_at,
            group_id: row.group_id.map(GroupId),
            group_title: row.group_title,
        })
    }
}

fn word<T: std::str::FromStr<Err: ToString>>(
    column: &'static str,
    text: &str,
) -> Result<T, StoreError> {
    text.parse().map_err(|why: T::Err| StoreError::corrupt("letters", column, why.to_string()))
}

#[cfg(test)]
mod tests;
