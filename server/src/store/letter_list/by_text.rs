//! Letters that have rare texts, by the index of texts. What is not in it yet is read, as far as that
//! is soon done: in a storm more comes in than the index can take up, and who looks for an order
//! number then must not wait for all of it to be read. What texts say beyond the index, a walk reads after this.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::page::{Cursor, Span};
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use super::search::{Found, within};
use super::{Matching, page_of, write_columns, write_order, write_place};
use crate::store::StoreError;

/// Texts that more letters have are not rare.
const MOST_BY_TEXT: i64 = 3_000;
/// Texts outside the index that are read, the newest: at some 20 µs each, unless they are long.
const MOST_READ: i64 = 3_000;
/// The same where there was no time for so many.
const MOST_READ_OF_LONG: i64 = 300;

/// The letters that have certain texts; `None` when they are many. What is not in the index is read for
/// `read_within` at most.
pub(super) async fn by_text(
    conn: &mut PgConnection,
    matching: &Matching,
    after: Option<Cursor>,
    limit: i64,
    read_within: Duration,
) -> Result<Option<Found>, StoreError> {
    // What Postgres believes of how often a text occurs may be wrong by any factor.
    sqlx::query!("select set_config('enable_seqscan', 'off', true)").fetch_one(&mut *conn).await?;
    let mut ids = indexed(conn, matching).await?;
    if are_many(&ids) {
        return Ok(None);
    }
    let mut were_read = 0;
    for most in [MOST_READ, MOST_READ_OF_LONG] {
        let read = async |conn: &mut PgConnection| not_indexed(conn, matching, most).await;
        if let Some(read) = within(conn, read_within / 2, read).await? {
            ids.extend(read);
            were_read = most;
            break;
        }
    }
    let unread = unread(conn, were_read).await?;
    if are_many(&ids) {
        return Ok(None);
    }
    let letters = if ids.is_empty() {
        Vec::new()
    } else {
        let mut sql = QueryBuilder::new("");
        write_columns(&mut sql);
        sql.push(" join unnest(").push_bind(ids);
        sql.push(") as with_text (id) on with_text.id = l.id where ");
        matching.by_letter().write_rest(&mut sql);
        write_place(&mut sql, "<", after);
        write_order(&mut sql, limit);
        page_of(conn, sql).await?
    };
    // Those that arrived after the place would have stood on a page before this one.
    let unread = unread.filter(|span| after.is_none_or(|after| span.since <= after.at));
    Ok(Some(Found { unread, ..Found::all(letters) }))
}

fn are_many(ids: &[Uuid]) -> bool {
    i64::try_from(ids.len()).is_ok_and(|found| found > MOST_BY_TEXT)
}

async fn indexed(conn: &mut PgConnection, matching: &Matching) -> Result<Vec<Uuid>, StoreError> {
    let mut sql = QueryBuilder::new("select x.letter_id from texts x where ");
    matching.write_texts(&mut sql);
    sql.push(" limit ").push_bind(MOST_BY_TEXT + 1);
    let ids = sql.build_query_scalar().persistent(false);
    Ok(ids.fetch_all(conn).await?)
}

async fn not_indexed(
    conn: &mut PgConnection,
    matching: &Matching,
    most: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let mut sql = QueryBuilder::new("select x.letter_id from unindexed_texts(");
    sql.push_bind(most).push(") x where ");
    matching.write_texts(&mut sql);
    let ids = sql.build_query_scalar().persistent(false);
    Ok(ids.fetch_all(conn).await?)
}

/// When the letters arrived whose texts are neither in the index nor among the newest so many of the
/// others; nothing when there are none. The index takes the oldest first.
async fn unread(conn: &mut PgConnection, read: i64) -> Result<Option<Span>, StoreError> {
    let ends = sqlx::query!(
        r#"with rest as (
               select queued.letter_id
               from unindexed_letters, unnest(letter_ids) with ordinality as queued (letter_id, place)
               order by number desc, place desc offset $1),
           first as (select letter_id from rest order by letter_id limit 1),
           last as (select letter_id from rest order by letter_id desc limit 1)
           select f.first_arrived_at as since, l.first_arrived_at as until
           from first join letters f on f.id = first.letter_id,
                last join letters l on l.id = last.letter_id"#,
        read
    )
    .fetch_optional(conn)
    .await?;
    let span = |since: DateTime<Utc>, until: DateTime<Utc>| Span { since, until };
    Ok(ends.map(|row| span(row.since, row.until)))
}
