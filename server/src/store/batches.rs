//! Unsettled batches: what was committed while its acknowledgement is not known to have arrived; and
//! the sessions that they belong to.

mod others;
mod sessions;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::ids::{OfficeId, SourceId};
use dlo_domain::redelivery::{Acknowledgement, UnsettledBatch};
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

pub use others::{EndedOther, LivingOther, Others, Resolution, others, resolve};
pub use sessions::{
    Surroundings, close, end, has_ended, hold, look_around, mark_over, note_receipt, open,
};

/// One run of one consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// The source that it consumes.
    pub source_id: SourceId,
    /// Its own id.
    pub session_id: Uuid,
    /// The office that it runs in.
    pub office_id: OfficeId,
}

/// Holds off recoveries of this source until the transaction ends, so that none misses a batch
/// whose commit is under way, and changes of the rules (see `rules::hold`).
///
/// # Errors
/// Returns an error if the query fails.
pub async fn announce_commit(conn: &mut PgConnection, source: SourceId) -> Result<(), StoreError> {
    sqlx::query!(
        "select pg_advisory_xact_lock_shared(hashtextextended('intake ' || $1, 0)),
             pg_advisory_xact_lock_shared(hashtextextended('rules', 0)) as rules",
        source.0.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Waits for commits under way on this source: of a killed office, Postgres may still be at one.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn await_commits(conn: &mut PgConnection, source: SourceId) -> Result<(), StoreError> {
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('intake ' || $1, 0))",
        source.0.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes a batch down as unsettled.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn insert(
    conn: &mut PgConnection,
    session: &Session,
    batch: &UnsettledBatch,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into unsettled_batches
             (source_id, session_id, office_id, batch, fingerprints, is_announced, receipt)
         values ($1, $2, $3, $4, $5, $6, $7)",
        session.source_id.0,
        session.session_id,
        session.office_id.0,
        batch.batch,
        pack(&batch.fingerprints),
        batch.acknowledgement != Acknowledgement::Withheld,
        batch.acknowledgement.receipt(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down that the acknowledgement of all batches of a session may be sent from now on, where it was not before,
/// and what the session's receipt says once it is carried out.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn announce(
    conn: &mut PgConnection,
    session: &Session,
    receipt: Option<i64>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update unsettled_batches set is_announced = true, receipt = $3
         where source_id = $1 and session_id = $2 and not is_announced",
        session.source_id.0,
        session.session_id,
        receipt,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets all batches of a session: their acknowledgement has arrived.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn forget_settled(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from unsettled_batches where source_id = $1 and session_id = $2",
        session.source_id.0,
        session.session_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets the batches of a session whose acknowledgement has arrived by the time that its receipt says this.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn forget_answered(
    conn: &mut PgConnection,
    session: &Session,
    receipt: i64,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from unsettled_batches
         where source_id = $1 and session_id = $2 and is_announced and receipt <= $3",
        session.source_id.0,
        session.session_id,
        receipt,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn pack(fingerprints: &[Fingerprint]) -> Vec<u8> {
    fingerprints.iter().flat_map(|fingerprint| fingerprint.0).collect()
}
