//! Samples of letters with their headers, for breakdowns. Whatever the number of letters, a
//! sample reads a bounded number of rows.
//!
//! Ids are picked first, by an index alone; only what was picked is looked up. `offset 0` keeps
//! Postgres from turning that round, which it would do where it guesses the sample too large.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::breakdown::{Sampled, Told};
use dlo_domain::grouping::SignatureId;
use dlo_domain::ids::{GroupId, LetterId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;
use crate::recent::FEW_LETTERS;

/// Letters of a sample.
pub const MOST_LETTERS: i64 = 1_000;
/// Signatures of a group that its newest letters are looked for in: those that were seen last.
const MOST_SIGNATURES: i64 = 100;

#[derive(Debug)]
struct Row {
    id: Uuid,
    signature: Option<Vec<u8>>,
    queue: Option<String>,
    exchange: Option<String>,
    routing_key: Option<String>,
    message_type: Option<String>,
    error_class: Option<String>,
    error_message: Option<String>,
    last_arrived_at: DateTime<Utc>,
    headers: Option<Value>,
}

impl Row {
    fn sampled(self) -> Result<Sampled, StoreError> {
        let signature = self.signature.map(|bytes| {
            let bytes = bytes.try_into();
            bytes.map(SignatureId).map_err(|_| {
                StoreError::corrupt("letters", "signature", "a signature has 16 bytes")
            })
        });
        Ok(Sampled::of(&Told {
            id: LetterId(self.id),
            signature: signature.transpose()?,
            queue: self.queue.as_deref(),
            exchange: self.exchange.as_deref(),
            routing_key: self.routing_key.as_deref(),
            message_type: self.message_type.as_deref(),
            error_class: self.error_class.as_deref(),
            error_message: self.error_message.as_deref(),
            arrived_at: self.last_arrived_at,
            headers: self.headers.as_ref(),
        }))
    }
}

/// The newest letters of a set. While they are the same ones and none of them arrived anew, what is told of them is,
/// too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Newest {
    /// Their ids, the newest first, at most [`MOST_LETTERS`].
    pub ids: Vec<Uuid>,
    /// When the newest of them arrived; nothing where there are none.
    pub arrived_at: Option<DateTime<Utc>>,
}

/// The newest letters of a group, at most [`MOST_LETTERS`], and where they died.
#[derive(Debug)]
pub struct NewestLetters {
    /// Their ids.
    pub ids: Vec<Uuid>,
    /// The queues that they died in and how many did, those with the most first.
    pub queues: Vec<(String, i64)>,
}

impl NewestLetters {
    /// Reads those of a group.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub async fn of_group(conn: &mut PgConnection, group: GroupId) -> Result<Self, StoreError> {
        let ids = newest_of_group(conn, group).await?.ids;
        let queues = sqlx::query!(
            r#"select l.queue as "queue!", count(*) as "letters!"
               from unnest($1::uuid[]) as picked (id)
               cross join lateral (
                   select l.queue from letters l where l.id = picked.id offset 0) as l
               where l.queue is not null group by l.queue"#,
            &ids,
        )
        .fetch_all(conn)
        .await?;
        let queues = queues.into_iter().map(|row| (row.queue, row.letters));
        Ok(Self { ids, queues: most_first(queues.collect()) })
    }
}

/// The queues that letters died in and how many did, those with the most first.
#[must_use]
pub fn queues_of(letters: &[Sampled]) -> Vec<(String, i64)> {
    let mut queues: BTreeMap<&str, i64> = BTreeMap::new();
    for queue in letters.iter().filter_map(Sampled::queue) {
        *queues.entry(queue).or_default() += 1;
    }
    most_first(queues.into_iter().map(|(queue, letters)| (queue.to_owned(), letters)).collect())
}

fn most_first(mut queues: Vec<(String, i64)>) -> Vec<(String, i64)> {
    queues.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    queues
}

/// The newest letters of a group.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn newest_of_group(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Newest, StoreError> {
    // In one row: a thousand of them take longer to send and to read than to find. Postgres takes a signature for small;
    // a limit that it cannot see keeps it from sorting all its letters.
    let newest = sqlx::query_as!(
        Newest,
        r#"select coalesce(array_agg(picked.id), '{}') as "ids!",
               max(picked.last_arrived_at) as arrived_at
           from (
               select newest.id, newest.last_arrived_at
               from (
                   select s.id from signatures s
                   left join lateral (
                       select max(t.last_arrived_at) as at from signature_totals t
                       where t.signature = s.id) as seen on true
                   where s.group_id = $1
                   order by seen.at desc nulls last limit $2) as s
               cross join lateral (
                   select l.id, l.last_arrived_at from letters l where l.signature = s.id
                   order by l.last_arrived_at desc, l.id desc limit (select $3::bigint)) as newest
               order by newest.last_arrived_at desc, newest.id desc limit $3) as picked"#,
        group.0,
        MOST_SIGNATURES,
        MOST_LETTERS,
    )
    .fetch_one(conn)
    .await?;
    Ok(newest)
}

/// The newest letters that wait for somebody.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn newest_waiting(conn: &mut PgConnection) -> Result<Newest, StoreError> {
    let newest = sqlx::query_as!(
        Newest,
        r#"select coalesce(array_agg(picked.id), '{}') as "ids!",
               max(picked.last_arrived_at) as arrived_at
           from (
               select newest.id, newest.last_arrived_at
               from unnest(array['held', 'scheduled', 'unknown']) as waits (shelf)
               cross join lateral (
                   select l.id, l.last_arrived_at from letters l where l.shelf = waits.shelf
                   order by l.last_arrived_at desc, l.id desc limit $1) as newest
               order by newest.last_arrived_at desc, newest.id desc limit $1) as picked"#,
        MOST_LETTERS,
    )
    .fetch_one(conn)
    .await?;
    Ok(newest)
}

/// Letters of all kinds and ages, picked evenly; all of them while there are few. `letters` is
/// how many there are. The same ones are picked each time, as far as they are still there.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn spread(conn: &mut PgConnection, letters: i64) -> Result<Vec<Sampled>, StoreError> {
    // Blocks are picked, and every other letter of each: those of one block died together.
    let parts = if letters <= FEW_LETTERS { 1 } else { 2 };
    let percent = spread_percent(letters, parts);
    let ids = sqlx::query_scalar!(
        r#"select l.id from letters l tablesample system ($1) repeatable (7)
           where $2 = 1 or uuid_hash(l.id) & 1 = 0"#,
        percent,
        i32::from(parts),
    )
    .fetch_all(&mut *conn)
    .await?;
    look_up(conn, &ids).await
}

/// The percentage of blocks to look into, so that one letter in `parts` makes the sample.
fn spread_percent(letters: i64, parts: u8) -> f32 {
    if parts == 1 {
        return 100.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a percentage need not be exact")]
    let percent = (MOST_LETTERS * i64::from(parts)) as f32 * 100.0 / letters as f32;
    percent.min(100.0)
}

/// Letters with their headers; those that are gone are left out.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn look_up(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Sampled>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select l.id, l.signature, l.queue, l.exchange, l.routing_key, l.message_type,
               l.error_class, l.error_message, l.last_arrived_at, x.headers as "headers?"
           from unnest($1::uuid[]) as picked (id)
           cross join lateral (
               select l.id, l.signature, l.queue, l.exchange, l.routing_key, l.message_type,
                   l.error_class, left(l.error_message, 300) as error_message, l.last_arrived_at
               from letters l where l.id = picked.id offset 0) as l
           left join lateral (
               select x.headers from extracts x where x.letter_id = picked.id offset 0) as x
               on true"#,
        ids,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Row::sampled).collect()
}

/// How many letters there are, and how many of them wait, from the counters.
///
/// # Errors
/// When Postgres does not do it.
pub async fn totals(conn: &mut PgConnection) -> Result<Totals, StoreError> {
    let totals = sqlx::query_as!(
        Totals,
        r#"select coalesce(sum(letters), 0)::bigint as "letters!",
               coalesce(sum(letters) filter
                   (where state in ('held', 'scheduled', 'unknown')), 0)::bigint as "waiting!"
           from letter_counts"#
    )
    .fetch_one(conn)
    .await?;
    Ok(totals)
}

/// Letters by what the counters say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// All.
    pub letters: i64,
    /// Those that wait for somebody.
    pub waiting: i64,
}

/// The signatures of a group.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn signatures(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Vec<SignatureId>, StoreError> {
    let ids = sqlx::query_scalar!("select id from signatures where group_id = $1", group.0)
        .fetch_all(conn)
        .await?;
    ids.into_iter()
        .map(|id| {
            let id = id.try_into().map(SignatureId);
            id.map_err(|_| StoreError::corrupt("signatures", "id", "a signature has 16 bytes"))
        })
        .collect()
}

/// The group that an id means now, and how many letters it has; none when there is no such group.
///
/// # Errors
/// When Postgres does not do it.
pub async fn group_now(
    conn: &mut PgConnection,
    id: GroupId,
) -> Result<Option<(GroupId, i64)>, StoreError> {
    let found = sqlx::query!(
        r#"select coalesce(g.merged_into, g.id) as "id!", coalesce(t.letters, 0) as "letters!"
           from groups g
           left join group_totals t on t.group_id = coalesce(g.merged_into, g.id)
           where g.id = $1"#,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.map(|row| (GroupId(row.id), row.letters)))
}

#[cfg(test)]
mod tests;
