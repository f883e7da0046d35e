//! Unsettled batches: what was committed while its acknowledgement is not known to have arrived.

mod others;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::ids::{OfficeId, SourceId};
use dlo_domain::redelivery::UnsettledBatch;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

pub use others::{Others, Suspect, count_recovery, has_ended, others, resolve};

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
/// When Postgres does not do it.
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
/// When Postgres does not do it.
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
/// When Postgres does not do it.
pub async fn insert(
    conn: &mut PgConnection,
    session: &Session,
    batch: &UnsettledBatch,
) -> Result<(), StoreError> {
    let telling: Vec<i32> = batch
        .telling
        .iter()
        .filter_map(|p| i32::try_from(*p).ok())
        .collect();
    sqlx::query!(
        "insert into unsettled_batches
             (source_id, session_id, office_id, batch, fenced, fingerprints, telling, recoveries)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        session.source_id.0,
        session.session_id,
        session.office_id.0,
        batch.batch,
        batch.fenced,
        pack(&batch.fingerprints),
        &telling,
        batch.recoveries,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets the batches of a session up to this one: their acknowledgement has arrived.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_settled(
    conn: &mut PgConnection,
    session: &Session,
    up_to: i64,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from unsettled_batches where source_id = $1 and session_id = $2 and batch <= $3",
        session.source_id.0,
        session.session_id,
        up_to,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks a session as over: its messages come to others now.
///
/// # Errors
/// When Postgres does not do it.
pub async fn end(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!(
        "update unsettled_batches set over = true where source_id = $1 and session_id = $2",
        session.source_id.0,
        session.session_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks all earlier sessions of this office as over, for when it could not be done at their end.
///
/// # Errors
/// When Postgres does not do it.
pub async fn end_own(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!(
        "update unsettled_batches set over = true
         where source_id = $1 and office_id = $2 and session_id <> $3 and not over",
        session.source_id.0,
        session.office_id.0,
        session.session_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn pack(fingerprints: &[Fingerprint]) -> Vec<u8> {
    fingerprints
        .iter()
        .flat_map(|fingerprint| fingerprint.0)
        .collect()
}
