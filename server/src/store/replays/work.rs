//! The engine's way through a replay: taking it in hand, its next letters, and its end.

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, OfficeId, ReplayId};
use dlo_domain::replay::{Address, Canary, ReplayState};
use dlo_domain::republish::HeaderChanges;
use sqlx::PgConnection;

use super::outcomes::Seat;
use super::read::{read_canary, read_headers, read_state};
use crate::store::StoreError;

/// A replay in which something is to be done, and who works on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The replay.
    pub id: ReplayId,
    /// The office that took it last.
    pub office: Option<OfficeId>,
}

/// Every replay in which something is to be done, oldest first: those that run or are due, those
/// that were cancelled and have letters to give back, and those that wait although letters of them
/// were on their way, which an office that ended could not write down.
///
/// # Errors
/// When Postgres does not do it.
pub async fn running(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Running>, StoreError> {
    let rows = sqlx::query!(
        "select id, office_id from replays r
         where finished_at is null
           and (state in ('running', 'cancelled')
                or state = 'scheduled' and start_at <= $1
                or state = 'paused'
                   and exists (select 1 from replay_marks m where m.replay_id = r.id))
         order by created_at, id",
        now
    )
    .fetch_all(conn)
    .await?;
    let running = rows
        .into_iter()
        .map(|row| Running { id: ReplayId(row.id), office: row.office_id.map(OfficeId) });
    Ok(running.collect())
}

/// Takes a replay in hand, unless somebody else was faster. One that is due begins. Waits for a mark
/// that the office before is about to set.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    found: Running,
    me: OfficeId,
) -> Result<bool, StoreError> {
    let taken = sqlx::query!(
        "with free as (
             select id from replays
             where id = $1 and finished_at is null and office_id is not distinct from $2
             for update)
         update replays r
         set office_id = $3, state = case state when 'scheduled' then 'running' else state end
         from free where r.id = free.id",
        found.id.0,
        found.office.map(|office| office.0),
        me.0
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// How a replay is to be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Orders {
    /// How far it is.
    pub state: ReplayState,
    /// Letters that have no outcome.
    pub pending: i64,
    /// At most so many letters a second.
    pub rate_per_second: Option<u32>,
    /// The ladder.
    pub canary: Option<Canary>,
    /// One letter at a time, and none after one that did not get through.
    pub in_order: bool,
    /// Whether letters keep the time to live of their senders.
    pub keep_expiration: bool,
    /// The headers that they are sent without, or with.
    pub headers: HeaderChanges,
    /// Whether all of its letters are claimed.
    pub is_claimed: bool,
    /// Who asked for it: `policy`, `handler` (the one of dead executions) or `person`.
    pub asked_by: &'static str,
}

/// How a replay is to be carried out; nothing when there is no such replay.
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn orders(conn: &mut PgConnection, id: ReplayId) -> Result<Option<Orders>, StoreError> {
    let row = sqlx::query!(
        r#"select state, pending, rate_per_second, canary, in_order, keep_expiration, headers,
             policy_id is not null as "is_of_policy!", created_by,
             not exists (select from unclaimed_letters where replay_id = $1) as "is_claimed!"
           from replays where id = $1"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(Orders {
            state: read_state(&row.state)?,
            pending: row.pending,
            rate_per_second: row.rate_per_second.and_then(|rate| rate.try_into().ok()),
            canary: read_canary(row.canary)?,
            in_order: row.in_order,
            keep_expiration: row.keep_expiration,
            headers: read_headers(row.headers)?,
            is_claimed: row.is_claimed,
            asked_by: if row.is_of_policy {
                "policy"
            } else if row.created_by == Actor::dead_letter_handler().0 {
                "handler"
            } else {
                "person"
            },
        })
    })
    .transpose()
}

/// Whether a replay runs, and this office holds it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_ours(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
) -> Result<bool, StoreError> {
    let ours = sqlx::query_scalar!(
        r#"select exists (
               select 1 from replays where id = $1 and office_id = $2 and state = 'running'
           ) as "ours!""#,
        id.0,
        me.0
    )
    .fetch_one(conn)
    .await?;
    Ok(ours)
}

/// Where letters of a replay go through: each has its own connection and its own pace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// The broker's name.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
}

/// The lanes with letters still to be published, claimed or not.
///
/// # Errors
/// When Postgres does not do it.
pub async fn lanes(conn: &mut PgConnection, id: ReplayId) -> Result<Vec<Lane>, StoreError> {
    let lanes = sqlx::query_as!(
        Lane,
        r#"select broker as "broker!", vhost as "vhost!" from (
               select broker, vhost from replay_items
               where replay_id = $1 and outcome = 'pending'
               union
               select s.broker, s.vhost from unclaimed_letters u
               cross join unnest(u.source_ids) as source (id)
               join sources s on s.id = source.id
               where u.replay_id = $1) as lanes
           order by broker, vhost"#,
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
    pub seat: Seat,
    /// Its last arrival.
    pub ordinal: i32,
    /// Which try of this letter it is.
    pub attempt: i32,
    /// Where it goes.
    pub address: Address,
    /// Size of the body in bytes.
    pub size_bytes: i64,
    /// Whether another body was frozen for it.
    pub changed: bool,
}

/// The next letters of a lane after a position, in order. The position spares the walk over
/// those that are done already.
///
/// A large plan has just filled these tables, and until Postgres has counted them it takes their rows
/// for few: it would read all items that are left, sort them and keep the first, for each window
/// anew. So it may not sort, and walks along the key; and each letter is looked up by its id
/// (`offset 0`) instead of joined. Call within a transaction, which is over with this.
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
    sqlx::query!("select set_config('enable_sort', 'off', true)").fetch_one(&mut *conn).await?;
    let rows = sqlx::query!(
        r#"select i.position, i.letter_id, i.attempt, i.queue, i.exchange, i.routing_key, i.changed,
                l.arrivals, l.size_bytes,
                case when i.changed
                    then (select octet_length(b.body)::bigint from replay_bodies b
                          where b.letter_id = i.letter_id and b.replay_id = i.replay_id)
                end as changed_bytes
         from (
             select * from replay_items
             where replay_id = $1 and outcome = 'pending' and broker = $2 and vhost = $3
               and position > $4
             order by position
             limit $5
         ) as i
         cross join lateral (
             select arrivals, size_bytes from letters where id = i.letter_id offset 0
         ) as l
         order by i.position"#,
        id.0,
        lane.broker,
        lane.vhost,
        after,
        most
    )
    .fetch_all(&mut *conn)
    .await?;
    let items = rows.into_iter().map(|row| NextItem {
        seat: Seat { position: row.position, letter: LetterId(row.letter_id) },
        ordinal: row.arrivals,
        attempt: row.attempt,
        address: address(row.queue, row.exchange, row.routing_key),
        size_bytes: row.changed_bytes.unwrap_or(row.size_bytes),
        changed: row.changed,
    });
    Ok(items.collect())
}

/// Where an item goes: to one queue, or through an exchange.
fn address(queue: Option<String>, exchange: Option<String>, key: Option<String>) -> Address {
    match exchange {
        Some(exchange) => Address { exchange, routing_key: key.unwrap_or_default() },
        None => Address::queue(&queue.unwrap_or_default()),
    }
}

/// Ends a replay in which every letter has its outcome; those that are not claimed yet are counted as pending. One
/// that was cancelled stays so. Tells whether it did.
///
/// # Errors
/// When Postgres does not do it.
pub async fn finish(
    conn: &mut PgConnection,
    id: ReplayId,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let finished = sqlx::query!(
        "update replays
         set state = case state when 'running' then 'finished' else state end, finished_at = $2
         where id = $1 and state in ('running', 'cancelled') and finished_at is null
           and pending = 0 and not exists (
               select 1 from replay_items where replay_id = $1 and outcome = 'pending'
           )",
        id.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(finished.rows_affected() == 1)
}
