//! Letters of frozen plans that their replays have not claimed yet. They count as pending.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, ReplayId, SourceId};
use dlo_domain::replay::{ReplayState, Target};
use dlo_domain::selection::LeftOut;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::read::{read_left_out, read_state};
use crate::store::StoreError;

/// By what letters of a plan are claimed, and where they go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Where to.
    pub target: Target,
    /// The queue of the worker that the target names; empty if it names none.
    pub worker_queue: String,
    /// What arrived after this moment was not shown; `None` if nothing had to be.
    pub shown_until: Option<DateTime<Utc>>,
    /// Letters that were replayed too often are taken, too.
    pub ignores_loop_cap: bool,
    /// Letters whose origin only the message claims are taken, too.
    pub takes_claimed: bool,
    /// No person looked at the letters.
    pub is_automatic: bool,
}

/// A letter that a selection took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedLetter {
    /// The letter.
    pub id: LetterId,
    /// The ordinal of its last arrival.
    pub ordinal: i32,
    /// The source that it came to.
    pub source_id: SourceId,
}

/// Letters that one replay is to claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclaimed {
    /// The replay.
    pub replay: ReplayId,
    /// How far it is.
    pub state: ReplayState,
    /// Who asked for it, as the audit trail names them.
    pub created_by: String,
    /// By what they are claimed.
    pub terms: Terms,
    /// The position of the first of the letters.
    pub position: i32,
    /// The letters in the order of publishing.
    pub letters: Vec<LetterId>,
    /// The ordinal of the arrival of each that the plan was made for.
    pub ordinals: Vec<i32>,
}

/// Keeps letters of a plan, the first of them at `position`, to be claimed later.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn add(
    conn: &mut PgConnection,
    id: ReplayId,
    position: i32,
    terms: &Terms,
    selected: &[SelectedLetter],
) -> Result<(), StoreError> {
    if selected.is_empty() {
        return Ok(());
    }
    let letters: Vec<Uuid> = selected.iter().map(|one| one.id.0).collect();
    let ordinals: Vec<i32> = selected.iter().map(|one| one.ordinal).collect();
    let sources: BTreeSet<Uuid> = selected.iter().map(|one| one.source_id.0).collect();
    let sources: Vec<Uuid> = sources.into_iter().collect();
    sqlx::query!(
        "insert into unclaimed_letters (replay_id, position, letters, ordinals, terms, source_ids)
         values ($1, $2, $3, $4, $5, $6)",
        id.0,
        position,
        &letters,
        &ordinals,
        Json(terms) as _,
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
             returning u.replay_id, u.position, u.letters, u.ordinals, u.terms)
         select taken.*, r.state, r.created_by
         from taken join replays r on r.id = taken.replay_id"
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    Ok(Some(Unclaimed {
        replay: ReplayId(row.replay_id),
        state: read_state(&row.state)?,
        created_by: row.created_by,
        terms: serde_json::from_value(row.terms)
            .map_err(|why| StoreError::corrupt("unclaimed_letters", "terms", why.to_string()))?,
        position: row.position,
        letters: row.letters.into_iter().map(LetterId).collect(),
        ordinals: row.ordinals,
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
        sqlx::query_scalar!("select left_out from replays where id = $1 for no key update", id.0)
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
