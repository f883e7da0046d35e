//! Letters of frozen plans that their replays have not claimed yet. They count as pending.

use std::collections::BTreeSet;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Address, LeftOut, ReplayState, Target};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::plan::Planned;
use super::read::{read_left_out, read_state, read_target};
use crate::store::StoreError;

/// Letters that one replay is to claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclaimed {
    /// The replay.
    pub replay: ReplayId,
    /// How far it is.
    pub state: ReplayState,
    /// Where its letters go.
    pub target: Target,
    /// Who asked for it, as the audit trail names them.
    pub created_by: String,
    /// The position of the first of the letters.
    pub position: i32,
    /// The letters in the order of publishing.
    pub letters: Vec<UnclaimedLetter>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnclaimedLetter {
    /// The letter.
    pub id: LetterId,
    /// The ordinal of the arrival that the plan was made for.
    pub ordinal: i32,
    /// Where it goes.
    pub address: Address,
}

/// Keeps letters of a plan, the first of them at `position`, to be claimed later.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn add(
    conn: &mut PgConnection,
    id: ReplayId,
    position: i32,
    planned: &[Planned],
) -> Result<(), StoreError> {
    if planned.is_empty() {
        return Ok(());
    }
    let letters: Vec<Uuid> = planned.iter().map(|one| one.letter.id.0).collect();
    let ordinals: Vec<i32> = planned.iter().map(|one| one.letter.arrivals).collect();
    let exchanges: Vec<&str> = planned.iter().map(|one| &*one.address.exchange).collect();
    let keys: Vec<&str> = planned.iter().map(|one| &*one.address.routing_key).collect();
    let sources: BTreeSet<Uuid> = planned.iter().map(|one| one.letter.source_id.0).collect();
    let sources: Vec<Uuid> = sources.into_iter().collect();
    sqlx::query!(
        "insert into unclaimed_letters
             (replay_id, position, letters, ordinals, exchanges, routing_keys, source_ids)
         values ($1, $2, $3, $4, $5, $6, $7)",
        id.0,
        position,
        &letters,
        &ordinals,
        &exchanges as _,
        &keys as _,
        &sources
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes some letters out, to be claimed in the same transaction: of the replay that has claimed fewest, so that a
/// large one keeps no other waiting. What somebody else is about to claim is left to them. `None` if there is
/// nothing to claim.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn take(conn: &mut PgConnection) -> Result<Option<Unclaimed>, StoreError> {
    let row = sqlx::query!(
        "with next as (
             select replay_id, position from unclaimed_letters
             order by position, replay_id limit 1 for update skip locked),
         taken as (
             delete from unclaimed_letters u using next
             where u.replay_id = next.replay_id and u.position = next.position
             returning u.replay_id, u.position, u.letters, u.ordinals, u.exchanges, u.routing_keys)
         select taken.*, r.state, r.target, r.created_by
         from taken join replays r on r.id = taken.replay_id"
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let addresses = row.exchanges.into_iter().zip(row.routing_keys);
    let addresses = addresses.map(|(exchange, routing_key)| Address { exchange, routing_key });
    let letters = row.letters.into_iter().zip(row.ordinals).zip(addresses);
    let letters = letters.map(|((id, ordinal), address)| UnclaimedLetter {
        id: LetterId(id),
        ordinal,
        address,
    });
    Ok(Some(Unclaimed {
        replay: ReplayId(row.replay_id),
        state: read_state(&row.state)?,
        target: read_target(row.target)?,
        created_by: row.created_by,
        position: row.position,
        letters: letters.collect(),
    }))
}

/// Whether a replay has letters to claim.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn has_any(conn: &mut PgConnection, id: ReplayId) -> Result<bool, StoreError> {
    let any = sqlx::query_scalar!(
        r#"select exists (select from unclaimed_letters where replay_id = $1) as "any!""#,
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok(any)
}

/// Locks a replay's row and returns the letters that were left out of it until now.
///
/// # Errors
/// Returns an error if the query fails or the row cannot be read.
pub async fn lock_left_out(
    conn: &mut PgConnection,
    id: ReplayId,
) -> Result<Vec<LeftOut>, StoreError> {
    let left_out =
        sqlx::query_scalar!("select left_out from replays where id = $1 for update", id.0)
            .fetch_one(conn)
            .await?;
    read_left_out(left_out)
}

/// Writes down that `letters` more letters were left out of a replay; `left_out` says which and why, with those
/// before them.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn leave_out(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: i64,
    left_out: &[LeftOut],
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replays set total = total - $2, pending = pending - $2, left_out = $3 where id = $1",
        id.0,
        letters,
        Json(left_out) as _
    )
    .execute(conn)
    .await?;
    Ok(())
}
