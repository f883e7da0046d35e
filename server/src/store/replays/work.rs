//! The engine's way through a replay: taking it in hand, its next letters, and the mark that is
//! set before a publish begins.

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, OfficeId, ReplayId};
use dlo_domain::wire::{FieldTable, Properties};
use sqlx::PgConnection;
use uuid::Uuid;

use super::range;
use crate::store::StoreError;
use crate::store::letter_detail::read_json;

/// A replay that is not finished, and who works on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The replay.
    pub id: ReplayId,
    /// The office that took it last.
    pub office: Option<OfficeId>,
}

/// Every replay that is not finished, oldest first.
///
/// # Errors
/// When Postgres does not do it.
pub async fn running(conn: &mut PgConnection) -> Result<Vec<Running>, StoreError> {
    let rows = sqlx::query!(
        "select id, office_id from replays where state = 'running' order by created_at, id"
    )
    .fetch_all(conn)
    .await?;
    let running = rows.into_iter().map(|row| Running {
        id: ReplayId(row.id),
        office: row.office_id.map(OfficeId),
    });
    Ok(running.collect())
}

/// Takes a replay in hand, unless somebody else was faster.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    found: Running,
    me: OfficeId,
) -> Result<bool, StoreError> {
    let taken = sqlx::query!(
        "update replays set office_id = $3
         where id = $1 and state = 'running' and office_id is not distinct from $2",
        found.id.0,
        found.office.map(|office| office.0),
        me.0
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// Where letters of a replay go through: each has its own connection and its own pace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// The broker's name.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
}

/// The lanes with letters still to be published.
///
/// # Errors
/// When Postgres does not do it.
pub async fn lanes(conn: &mut PgConnection, id: ReplayId) -> Result<Vec<Lane>, StoreError> {
    let lanes = sqlx::query_as!(
        Lane,
        "select distinct broker, vhost from replay_items
         where replay_id = $1 and outcome = 'pending' order by broker, vhost",
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(lanes)
}

/// A letter that is next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextItem {
    /// Its place in the replay.
    pub position: i32,
    /// The letter.
    pub letter: LetterId,
    /// Which try of this letter it is.
    pub attempt: i32,
    /// The queue that it goes to.
    pub queue: Option<String>,
    /// Size of the body in bytes.
    pub size_bytes: i64,
}

/// The next letters of a lane after a position, in order. The position spares the walk over
/// those that are done already.
///
/// # Errors
/// When Postgres does not do it.
pub async fn next(
    conn: &mut PgConnection,
    id: ReplayId,
    lane: &Lane,
    after: i32,
    most: i64,
) -> Result<Vec<NextItem>, StoreError> {
    let rows = sqlx::query!(
        "select i.position, i.letter_id, i.attempt, i.queue, l.size_bytes
         from replay_items i
         join letters l on l.id = i.letter_id
         where i.replay_id = $1 and i.outcome = 'pending' and i.broker = $2 and i.vhost = $3
           and i.position > $4
         order by i.position
         limit $5",
        id.0,
        lane.broker,
        lane.vhost,
        after,
        most
    )
    .fetch_all(conn)
    .await?;
    let items = rows.into_iter().map(|row| NextItem {
        position: row.position,
        letter: LetterId(row.letter_id),
        attempt: row.attempt,
        queue: row.queue,
        size_bytes: row.size_bytes,
    });
    Ok(items.collect())
}

/// The message of a letter's last arrival.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The letter.
    pub letter: LetterId,
    /// Its properties.
    pub properties: Properties,
    /// Its headers.
    pub headers: FieldTable,
    /// Its body.
    pub body: Vec<u8>,
}

/// The last arrivals' messages of letters.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn messages(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<Message>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select wanted.id as "letter_id!", a.properties, a.headers, a.body
           from unnest($1::uuid[]) as wanted (id)
           cross join lateral (
               select properties, headers, body from arrivals
               where letter_id = wanted.id order by ordinal desc limit 1
           ) a"#,
        &letters
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Message {
                letter: LetterId(row.letter_id),
                properties: read_json("properties", row.properties)?,
                headers: read_json("headers", row.headers)?,
                body: row.body,
            })
        })
        .collect()
}

/// Properties and headers of the last arrivals of letters.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn heads(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<(Properties, FieldTable)>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "select a.properties, a.headers
         from unnest($1::uuid[]) as wanted (id)
         cross join lateral (
             select properties, headers from arrivals
             where letter_id = wanted.id order by ordinal desc limit 1
         ) a",
        &letters
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok((
                read_json("properties", row.properties)?,
                read_json("headers", row.headers)?,
            ))
        })
        .collect()
}

/// What became of the wish to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// The letters at these positions are marked: publish them, and them only.
    These(Vec<i32>),
    /// Another office holds the replay now: nothing is marked.
    NotOurs,
}

/// Marks letters as being published. This must be committed before the first byte leaves: after
/// a crash a marked letter is unknown, and the others are still pending. A letter that is no
/// longer claimed, because it came back meanwhile, is not marked. (`state || ''`: see
/// `decisions::set_state`.)
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin_publish(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    positions: &[i32],
) -> Result<Begun, StoreError> {
    // Whoever takes the replay over waits for this lock, and then sees the marks.
    let ours = sqlx::query_scalar!(
        "select id from replays where id = $1 and office_id = $2 and state = 'running' for share",
        id.0,
        me.0
    )
    .fetch_optional(&mut *conn)
    .await?;
    if ours.is_none() {
        return Ok(Begun::NotOurs);
    }
    let (first, last) = range(positions);
    let mut marked = sqlx::query_scalar!(
        "update replay_items i set sending = true
         from letters l
         where i.replay_id = $1 and i.position between $3 and $4 and i.position = any($2)
           and i.outcome = 'pending' and l.id = i.letter_id and l.state || '' = 'claimed'
         returning i.position",
        id.0,
        positions,
        first,
        last
    )
    .fetch_all(conn)
    .await?;
    marked.sort_unstable();
    Ok(Begun::These(marked))
}

/// Takes the mark from letters that were certainly not sent: they stay pending.
///
/// # Errors
/// When Postgres does not do it.
pub async fn unmark(
    conn: &mut PgConnection,
    id: ReplayId,
    positions: &[i32],
) -> Result<(), StoreError> {
    let (first, last) = range(positions);
    sqlx::query!(
        "update replay_items set sending = false
         where replay_id = $1 and position between $3 and $4 and position = any($2)
           and outcome = 'pending'",
        id.0,
        positions,
        first,
        last
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Positions of letters that were being published when the office that held the replay ended.
///
/// # Errors
/// When Postgres does not do it.
pub async fn cut_off(conn: &mut PgConnection, id: ReplayId) -> Result<Vec<i32>, StoreError> {
    let positions = sqlx::query_scalar!(
        "select position from replay_items
         where replay_id = $1 and outcome = 'pending' and sending
         order by position",
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(positions)
}

/// Ends a replay in which every letter has its outcome. Tells whether it did.
///
/// # Errors
/// When Postgres does not do it.
pub async fn finish(
    conn: &mut PgConnection,
    id: ReplayId,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let finished = sqlx::query!(
        "update replays set state = 'finished', finished_at = $2
         where id = $1 and state = 'running' and not exists (
             select 1 from replay_items where replay_id = $1 and outcome = 'pending'
         )",
        id.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(finished.rows_affected() == 1)
}
