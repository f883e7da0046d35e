//! The sessions of a source other than one's own: which of them are gone, and what they left
//! unsettled.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::ids::SourceId;
use dlo_domain::redelivery::UnsettledBatch;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Session, insert};
use crate::store::{StoreError, offices};

/// What a recovery could not match is forgotten after this time, in minutes.
const LEFT_MINUTES: i64 = 10;

/// The unsettled batches of a session that ended, in the order of their commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// The session that is gone.
    pub session_id: Uuid,
    /// Its batches.
    pub batches: Vec<UnsettledBatch>,
}

impl Suspect {
    /// Its batches with their names.
    pub fn named(&self) -> impl Iterator<Item = ((Uuid, i64), &UnsettledBatch)> {
        let named = |batch: &'_ UnsettledBatch| (self.session_id, batch.batch);
        self.batches.iter().map(move |batch| (named(batch), batch))
    }
}

/// The sessions of a source other than one's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Others {
    /// Those that are gone: of this office, of offices that no longer live, or marked so.
    pub over: Vec<Suspect>,
    /// Those that consume in other offices.
    pub living: Vec<Suspect>,
}

/// The unsettled batches of every other session of this source.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn others(
    conn: &mut PgConnection,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<Others, StoreError> {
    let rows = sqlx::query!(
        "select session_id, office_id, batch, fenced, fingerprints, telling, recoveries, over
         from unsettled_batches
         where source_id = $1 and session_id <> $2 and (left_since is null or left_since > $3)
         order by session_id, batch",
        session.source_id.0,
        session.session_id,
        now - TimeDelta::minutes(LEFT_MINUTES),
    )
    .fetch_all(&mut *conn)
    .await?;
    let foreign = rows
        .iter()
        .filter(|row| !row.over && row.office_id != session.office_id.0);
    let offices: Vec<Uuid> = foreign.map(|row| row.office_id).collect();
    let living = if offices.is_empty() {
        Vec::new()
    } else {
        offices::living(conn, &offices).await?
    };
    let mut others = Others::default();
    for row in rows {
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
        let sessions = if !row.over && living.contains(&row.office_id) {
            &mut others.living
        } else {
            &mut others.over
        };
        match sessions
            .last_mut()
            .filter(|last| last.session_id == row.session_id)
        {
            Some(last) => last.batches.push(batch),
            None => sessions.push(Suspect {
                session_id: row.session_id,
                batches: vec![batch],
            }),
        }
    }
    Ok(others)
}

/// Whether another session ended that nobody has settled yet.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn has_ended(conn: &mut PgConnection, session: &Session) -> Result<bool, StoreError> {
    let offices = sqlx::query!(
        "select distinct office_id, over from unsettled_batches
         where source_id = $1 and session_id <> $2 and left_since is null",
        session.source_id.0,
        session.session_id,
    )
    .fetch_all(&mut *conn)
    .await?;
    if offices
        .iter()
        .any(|row| row.over || row.office_id == session.office_id.0)
    {
        return Ok(true);
    }
    let offices: Vec<Uuid> = offices.iter().map(|row| row.office_id).collect();
    if offices.is_empty() {
        return Ok(false);
    }
    Ok(offices::living(conn, &offices).await?.len() < offices.len())
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

/// Forgets sessions after a recovery, except what is left of them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn resolve(
    conn: &mut PgConnection,
    session: &Session,
    resolved: &[Uuid],
    left: &[Suspect],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from unsettled_batches where source_id = $1 and session_id = any($2)",
        session.source_id.0,
        resolved,
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
        "update unsettled_batches set left_since = $3, over = true
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
