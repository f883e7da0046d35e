//! Unsettled batches: what was committed while its acknowledgement is not known to have arrived.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::ids::{OfficeId, SourceId};
use dlo_domain::redelivery::UnsettledBatch;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{StoreError, offices};

/// What a recovery could not match is forgotten after this time, in minutes.
const LEFT_MINUTES: i64 = 10;

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

/// The unsettled batches of a session that ended, in the order of their commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// The session that is gone.
    pub session_id: Uuid,
    /// Its batches.
    pub batches: Vec<UnsettledBatch>,
}

/// Holds off recoveries of this source until the transaction ends, so that none misses a batch
/// whose commit is under way.
///
/// # Errors
/// When Postgres does not do it.
pub async fn announce_commit(conn: &mut PgConnection, source: SourceId) -> Result<(), StoreError> {
    sqlx::query!(
        "select pg_advisory_xact_lock_shared(hashtextextended('intake ' || $1, 0))",
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

/// The unsettled batches of every session of this source that is gone: those of this office
/// other than `session`, and those of offices that no longer live.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn suspects(
    conn: &mut PgConnection,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<Vec<Suspect>, StoreError> {
    let rows = sqlx::query!(
        "select session_id, office_id, batch, fenced, fingerprints, telling, recoveries
         from unsettled_batches
         where source_id = $1 and session_id <> $2 and (left_since is null or left_since > $3)
         order by session_id, batch",
        session.source_id.0,
        session.session_id,
        now - TimeDelta::minutes(LEFT_MINUTES),
    )
    .fetch_all(&mut *conn)
    .await?;
    let others: Vec<Uuid> = rows
        .iter()
        .map(|row| row.office_id)
        .filter(|office| *office != session.office_id.0)
        .collect();
    let living = if others.is_empty() {
        Vec::new()
    } else {
        offices::living(conn, &others).await?
    };
    let mut suspects: Vec<Suspect> = Vec::new();
    for row in rows
        .into_iter()
        .filter(|row| !living.contains(&row.office_id))
    {
        let batch = UnsettledBatch {
            batch: row.batch,
            fenced: row.fenced,
            fingerprints: unpack(&row.fingerprints)?,
            telling: row
                .telling
                .iter()
                .filter_map(|p| usize::try_from(*p).ok())
                .collect(),
            recoveries: row.recoveries,
        };
        match suspects
            .last_mut()
            .filter(|last| last.session_id == row.session_id)
        {
            Some(last) => last.batches.push(batch),
            None => suspects.push(Suspect {
                session_id: row.session_id,
                batches: vec![batch],
            }),
        }
    }
    Ok(suspects)
}

/// Counts a recovery that begins, on every batch that it looks at.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count_recovery(
    conn: &mut PgConnection,
    source: SourceId,
    suspects: &[Suspect],
) -> Result<(), StoreError> {
    sqlx::query!(
        "update unsettled_batches set recoveries = recoveries + 1
         where source_id = $1 and session_id = any($2)",
        source.0,
        &sessions_of(suspects),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets suspects after a recovery, except what is left of them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn replace_suspects(
    conn: &mut PgConnection,
    session: &Session,
    suspects: &[Suspect],
    left: &[Suspect],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from unsettled_batches where source_id = $1 and session_id = any($2)",
        session.source_id.0,
        &sessions_of(suspects),
    )
    .execute(&mut *conn)
    .await?;
    for suspect in left {
        let gone = Session {
            session_id: suspect.session_id,
            ..*session
        };
        for batch in &suspect.batches {
            insert(conn, &gone, batch).await?;
        }
    }
    sqlx::query!(
        "update unsettled_batches set left_since = $3
         where source_id = $1 and session_id = any($2) and left_since is null",
        session.source_id.0,
        &sessions_of(left),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn sessions_of(suspects: &[Suspect]) -> Vec<Uuid> {
    suspects.iter().map(|suspect| suspect.session_id).collect()
}

fn pack(fingerprints: &[Fingerprint]) -> Vec<u8> {
    fingerprints
        .iter()
        .flat_map(|fingerprint| fingerprint.0)
        .collect()
}

fn unpack(bytes: &[u8]) -> Result<Vec<Fingerprint>, StoreError> {
    let (whole, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        let why = format!("{} bytes are no multiple of 16", bytes.len());
        return Err(StoreError::corrupt(
            "unsettled_batches",
            "fingerprints",
            why,
        ));
    }
    Ok(whole.iter().map(|chunk| Fingerprint(*chunk)).collect())
}
