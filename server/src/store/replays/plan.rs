//! Writing a plan down: from here on it is frozen.

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Address, ClaimedOrigins, Replay};
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::store::audit::{self, Note};
use crate::store::replays::candidates::Candidate;
use crate::store::replays::outcomes::Seat;
use crate::store::{StoreError, weeks};

/// Letters in the order in which they arrived last. All of them are locked, in the order of ids.
///
/// # Errors
/// When Postgres does not do it.
pub async fn in_order(
    conn: &mut PgConnection,
    ids: &[LetterId],
) -> Result<Vec<LetterId>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let (first, last) = weeks::span(&ids);
    let mut found = sqlx::query!(
        "select id, last_arrived_at from letters
         where id = any($1) and id between $2 and $3 order by id for update",
        &ids,
        first,
        last
    )
    .fetch_all(conn)
    .await?;
    found.sort_unstable_by_key(|row| (row.last_arrived_at, row.id));
    Ok(found.into_iter().map(|row| LetterId(row.id)).collect())
}

/// Begins a plan. Its letters follow with `add`, and `seal` ends it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin(
    conn: &mut PgConnection,
    id: ReplayId,
    replay: &Replay,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into replays (id, state, target, rate_per_second, canary, in_order,
             keep_expiration, start_at, created_by, created_at, total, pending, transform, edited,
             needs_approval, policy_id, headers, open_envelopes)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11, $12, $13, $14, $15, $16)",
        id.0,
        replay.state.as_str(),
        Json(&replay.target) as _,
        replay.rate_per_second.map(|rate| i32::try_from(rate).unwrap_or(i32::MAX)),
        replay.canary.as_ref().map(Json) as _,
        replay.in_order,
        replay.keep_expiration,
        replay.start_at,
        replay.created_by,
        replay.created_at,
        replay.transform.as_ref().map(Json) as _,
        replay.edited,
        replay.approval.is_some(),
        replay.policy_id.map(|id| id.0),
        (!replay.headers.is_empty()).then_some(Json(&replay.headers)) as _,
        replay.open_envelopes
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A letter of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The letter as it was found.
    pub letter: Candidate,
    /// Where it goes.
    pub address: Address,
}

/// Counts the letters of a plan that a queue refused when they were replayed last, at an exchange whose other
/// queues may have taken them.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn count_nacked(conn: &mut PgConnection, planned: &[Planned]) -> Result<i64, StoreError> {
    let tried = planned.iter().filter(|one| one.letter.claimed_by.is_some());
    let letters: Vec<Uuid> = tried.map(|one| one.letter.id.0).collect();
    if letters.is_empty() {
        return Ok(0);
    }
    let (first, last) = weeks::span(&letters);
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from letters l
           join replay_items i on i.letter_id = l.id and i.replay_id = l.claimed_by
           where l.id = any($1) and l.id between $2 and $3 and i.nacked
             and i.outcome in ('unknown', 'refused')"#,
        &letters,
        first,
        last
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// Adds letters, the first of them at `position`, and claims them. They must be locked.
///
/// # Errors
/// When Postgres does not do it.
pub async fn add(
    conn: &mut PgConnection,
    id: ReplayId,
    position: i32,
    planned: &[Planned],
    note: Note<'_>,
) -> Result<(), StoreError> {
    let of = |part: fn(&Planned) -> String| planned.iter().map(part).collect::<Vec<_>>();
    let letters: Vec<Uuid> = planned.iter().map(|item| item.letter.id.0).collect();
    let attempts: Vec<i32> = planned.iter().map(|item| item.letter.replays + 1).collect();
    let from: Vec<String> = LetterState::allowing(Change::Claim)
        .into_iter()
        .map(|state| state.as_str().to_owned())
        .collect();
    let (first, last) = weeks::span(&letters);
    sqlx::query!(
        "update letters
         set state = 'claimed', state_since = now(), claimed_at = now(), claimed_by = $5,
             replays = replays + 1
         where id = any($1) and id between $3 and $4 and state = any($2)",
        &letters,
        &from,
        first,
        last,
        id.0
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into replay_items (replay_id, position, letter_id, attempt, broker, vhost, queue,
             exchange, routing_key)
         select $1, $2 + ordinality::integer - 1, letter, attempt, broker, vhost,
             case when exchange = '' then key end, nullif(exchange, ''),
             case when exchange <> '' then key end
         from unnest($3::uuid[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[])
              with ordinality as item (letter, attempt, broker, vhost, exchange, key, ordinality)",
        id.0,
        position,
        &letters,
        &attempts,
        &of(|item| item.letter.broker.clone()),
        &of(|item| item.letter.vhost.clone()),
        &of(|item| item.address.exchange.clone()),
        &of(|item| item.address.routing_key.clone())
    )
    .execute(&mut *conn)
    .await?;
    let seats: Vec<Seat> = (position..)
        .zip(planned)
        .map(|(position, item)| Seat { position, letter: item.letter.id })
        .collect();
    audit::write_seats(conn, id, &seats, note).await
}

/// Keeps which letters of a plan have an origin that only the message claims.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn note_claimed_origins(
    conn: &mut PgConnection,
    id: ReplayId,
    claimed: &ClaimedOrigins,
) -> Result<(), StoreError> {
    sqlx::query!("update replays set claimed_origins = $2 where id = $1", id.0, Json(claimed) as _)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends a plan with what it holds, what was left out, and whose origin was claimed. One without letters is
/// finished.
///
/// # Errors
/// When Postgres does not do it.
pub async fn seal(
    conn: &mut PgConnection,
    id: ReplayId,
    replay: &Replay,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replays
         set total = $2::bigint, pending = $2::bigint, left_out = $3, claimed_origins = $4,
             state = case when $2::bigint = 0 then 'finished' else state end,
             finished_at = case when $2::bigint = 0 then created_at end
         where id = $1",
        id.0,
        replay.total,
        Json(&replay.left_out) as _,
        replay.claimed_origins.as_ref().map(Json) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}
