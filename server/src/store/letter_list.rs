//! Letters by filter: pages of the list, how many there are, and the ids of a selection.

use chrono::{DateTime, Utc};
use dlo_domain::death::Reason;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Cursor;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

/// Totals are exact up to here; above, counting would take longer than the page itself.
pub const MOST_COUNTED: i64 = 10_001;

/// A filter as the queries want it: names looked up, times fixed.
#[derive(Debug, Clone, Default)]
pub struct Matching {
    is_empty: bool,
    /// Sources may share a name. A single one is kept apart, since only an equality lets an
    /// index give the order too.
    source: Option<Uuid>,
    sources: Option<Vec<Uuid>>,
    queue: Option<String>,
    queue_like: Option<String>,
    reason: Option<&'static str>,
    state: Option<&'static str>,
    severity: Option<&'static str>,
    error_class: Option<String>,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
}

/// The filter stands in one place; each query has its own head and tail around it.
macro_rules! matching_letters {
    ($query:ident($($as:ty,)? $head:literal, $tail:literal, $m:expr $(, $more:expr)*)) => {
        sqlx::$query!(
            $($as,)?
            $head + "
            where ($1::uuid is null or l.source_id = $1)
              and ($2::uuid[] is null or l.source_id = any($2))
              and ($3::text is null or l.queue = $3)
              and ($4::text is null or l.queue like $4)
              and ($5::text is null or l.reason = $5)
              and ($6::text is null or l.state = $6)
              and ($7::text is null or l.severity = $7)
              and ($8::text is null or l.error_class = $8)
              and ($9::timestamptz is null or l.last_arrived_at >= $9)
              and ($10::timestamptz is null or l.last_arrived_at < $10)
            " + $tail,
            $m.source,
            $m.sources.as_deref(),
            $m.queue,
            $m.queue_like,
            $m.reason,
            $m.state,
            $m.severity,
            $m.error_class,
            $m.since,
            $m.until
            $(, $more)*
        )
    };
}

impl Matching {
    /// Looks a filter's names up.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn look_up(
        conn: &mut PgConnection,
        filter: &LetterFilter,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let mut matching = Self {
            is_empty: filter.is_empty(),
            reason: filter.reason.map(Reason::as_str),
            state: filter.state.map(LetterState::as_str),
            severity: filter.severity.map(Severity::as_str),
            error_class: filter.error_class.clone(),
            since: filter.since.map(|moment| moment.at(now)),
            until: filter.until.map(|moment| moment.at(now)),
            ..Self::default()
        };
        match &filter.queue {
            Some(queue) if queue.contains('*') => matching.queue_like = Some(like(queue)),
            queue => matching.queue.clone_from(queue),
        }
        if let Some(name) = &filter.source {
            let ids = sqlx::query_scalar!("select id from sources where name = $1", name)
                .fetch_all(conn)
                .await?;
            match ids[..] {
                [one] => matching.source = Some(one),
                _ => matching.sources = Some(ids),
            }
        }
        Ok(matching)
    }
}

/// `*` stands for any characters; everything else means itself.
fn like(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    for character in pattern.chars() {
        match character {
            '*' => out.push('%'),
            '%' | '_' | '\\' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}

/// Has the filter's queries planned for the filter at hand until the transaction ends. A plan
/// for any filter whatever could use none of the indexes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn plan_each_filter(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("select set_config('plan_cache_mode', 'force_custom_plan', true)")
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// At most `limit` letters after the cursor, last arrived first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    matching: &Matching,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<LetterSummary>, StoreError> {
    let rows = matching_letters!(query_as(
        SummaryRow,
        "select l.id, l.state, l.severity, s.name as source, l.source_id, l.queue, l.exchange,
                l.routing_key, l.reason, l.error_class, left(l.error_message, 300) as error_message,
                l.message_type, l.message_id, l.size_bytes, l.arrivals, l.first_arrived_at,
                l.last_arrived_at
         from letters l
         join sources s on s.id = l.source_id",
        "and ($11::timestamptz is null or (l.last_arrived_at, l.id) < ($11, $12))
         order by l.last_arrived_at desc, l.id desc
         limit $13",
        matching,
        after.map(|cursor| cursor.at),
        after.map(|cursor| cursor.id),
        limit
    ))
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(LetterSummary::try_from).collect()
}

/// How many letters match: exact up to `MOST_COUNTED`, above it the planner's estimate of the
/// whole table, or `MOST_COUNTED` itself for a filter.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection, matching: &Matching) -> Result<i64, StoreError> {
    let counted = matching_letters!(query_scalar(
        "select count(*) as \"counted!\" from (select 1 as one from letters l",
        "limit $11) as some_letters",
        matching,
        MOST_COUNTED
    ))
    .fetch_one(&mut *conn)
    .await?;
    if counted < MOST_COUNTED || !matching.is_empty {
        return Ok(counted);
    }
    let estimate = sqlx::query_scalar!(
        r#"select reltuples::bigint as "estimate!" from pg_class where oid = 'letters'::regclass"#
    )
    .fetch_one(conn)
    .await?;
    Ok(estimate.max(counted))
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
    let ids = matching_letters!(query_scalar(
        "select l.id from letters l",
        "order by l.id limit $11",
        matching,
        most
    ))
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(LetterId).collect())
}

/// A letter's row as far as the list shows it.
#[derive(Debug)]
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
            reason: word("reason", &row.reason)?,
            error_class: row.error_class,
            error_message: row.error_message,
            message_type: row.message_type,
            message_id: row.message_id,
            size_bytes: row.size_bytes,
            arrivals: row.arrivals,
            first_arrived_at: row.first_arrived_at,
            last_arrived_at: row.last_arrived_at,
            group_id: None,
        })
    }
}

fn word<T: std::str::FromStr<Err: ToString>>(
    column: &'static str,
    text: &str,
) -> Result<T, StoreError> {
    text.parse()
        .map_err(|why: T::Err| StoreError::corrupt("letters", column, why.to_string()))
}

#[cfg(test)]
mod tests;
