//! How often a letter was tried: replays that may have published it count, plans do not.
//!
//! A plan counts its letters when it claims them, since it must tell each try's number. What was not
//! published after all, or what nobody took, is taken back here; that is rare, and the way of letters that
//! are confirmed has nothing to do with it.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// Whether an outcome says that nothing of a letter was published.
#[must_use]
pub(in crate::store) fn is_no_try(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Refused | Outcome::Unroutable)
}

/// Takes the tries of letters by a replay back. Their items are the 0th try then. The letters must be
/// locked.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn take_back(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query!(
        "with back as (
             update replay_items set attempt = 0
             where replay_id = $1 and letter_id = any($2) and attempt > 0
             returning letter_id)
         update letters l set replays = greatest(l.replays - 1, 0)
         from back where l.id = back.letter_id and l.id = any($2)",
        id.0,
        letters
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Counts a try of letters by a replay. The letters must be locked.
///
/// # Errors
/// When Postgres does not do it.
pub(in crate::store) async fn count(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query!(
        "with counted as (
             update letters set replays = replays + 1 where id = any($2) returning id, replays)
         update replay_items i set attempt = counted.replays
         from counted where i.replay_id = $1 and i.letter_id = counted.id and i.letter_id = any($2)",
        id.0,
        letters
    )
    .execute(conn)
    .await?;
    Ok(())
}
