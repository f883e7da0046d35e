//! The sessions of a source other than one's own: which of them are gone, and what they left
//! unsettled.

use std::collections::{HashMap, HashSet};

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::{Acknowledgement, EndedSession, UnsettledBatch};
use sqlx::PgConnection;
use uuid::Uuid;

use super::sessions::{KEPT_MINUTES, mark_ended};
use super::{Session, insert};
use crate::store::StoreError;

/// A session that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedOther {
    /// The session.
    pub session_id: Uuid,
    /// What it left.
    pub left: EndedSession,
    /// What it had in flight may still come.
    pub is_open: bool,
}

/// A session that consumes in another office.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivingOther {
    /// The session.
    pub session_id: Uuid,
    /// Its unsettled batches.
    pub batches: Vec<UnsettledBatch>,
}

/// The sessions of a source other than one's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Others {
    /// Those that are gone.
    pub ended: Vec<EndedOther>,
    /// Those that consume in other offices.
    pub living: Vec<LivingOther>,
}

/// What a settlement says of a session that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The session.
    pub session_id: Uuid,
    /// What is unsettled of it by now, if that changed.
    pub left: Option<Vec<UnsettledBatch>>,
    /// Nothing of it comes to somebody who does not have it yet.
    pub is_cleared: bool,
}

/// Every other session of this source that consumes, or left something.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn others(conn: &mut PgConnection, session: &Session) -> Result<Others, StoreError> {
    mark_ended(conn, session).await?;
    let mut batches = unsettled(conn, session).await?;
    let sessions = sqlx::query!(
        r#"select session_id, over_at is not null as "is_over!"
         from intake_sessions where source_id = $1 and session_id <> $2 and cleared_at is null
         order by session_id"#,
        session.source_id.0,
        session.session_id,
    )
    .fetch_all(conn)
    .await?;
    let mut others = Others::default();
    for row in sessions {
        let session_id = row.session_id;
        let batches = batches.remove(&session_id).unwrap_or_default();
        if row.is_over {
            let left = EndedSession { batches };
            others.ended.push(EndedOther { session_id, left, is_open: true });
        } else {
            others.living.push(LivingOther { session_id, batches });
        }
    }
    let mut closed: Vec<_> = batches.into_iter().collect();
    closed.sort_by_key(|(session_id, _)| *session_id);
    let closed = closed.into_iter().map(|(session_id, batches)| EndedOther {
        session_id,
        left: EndedSession { batches },
        is_open: false,
    });
    others.ended.extend(closed);
    Ok(others)
}

/// The unsettled batches of every other session of this source.
async fn unsettled(
    conn: &mut PgConnection,
    session: &Session,
) -> Result<HashMap<Uuid, Vec<UnsettledBatch>>, StoreError> {
    let rows = sqlx::query!(
        "select session_id, batch, fingerprints, is_announced, receipt from unsettled_batches
         where source_id = $1 and session_id <> $2
             and (left_since is null or left_since > now() - make_interval(mins => $3))
         order by session_id, batch",
        session.source_id.0,
        session.session_id,
        KEPT_MINUTES,
    )
    .fetch_all(conn)
    .await?;
    let mut batches: HashMap<Uuid, Vec<UnsettledBatch>> = HashMap::new();
    for row in rows {
        let acknowledgement = if row.is_announced {
            Acknowledgement::Announced { receipt: row.receipt }
        } else {
            Acknowledgement::Withheld
        };
        batches.entry(row.session_id).or_default().push(UnsettledBatch {
            batch: row.batch,
            acknowledgement,
            fingerprints: unpack(&row.fingerprints)?,
        });
    }
    Ok(batches)
}

/// Writes down what a settlement says of sessions that ended.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn resolve(
    conn: &mut PgConnection,
    session: &Session,
    resolutions: &[Resolution],
) -> Result<(), StoreError> {
    for resolution in resolutions {
        if let Some(left) = &resolution.left {
            replace(conn, session, resolution.session_id, left).await?;
        }
        if resolution.is_cleared {
            sqlx::query!(
                "update intake_sessions set cleared_at = clock_timestamp()
                 where session_id = $1 and cleared_at is null",
                resolution.session_id,
            )
            .execute(&mut *conn)
            .await?;
            sqlx::query!(
                "update unsettled_batches set left_since = now()
                 where source_id = $1 and session_id = $2 and left_since is null",
                session.source_id.0,
                resolution.session_id,
            )
            .execute(&mut *conn)
            .await?;
        }
    }
    Ok(())
}

/// Puts what is left of a session in the place of its batches.
async fn replace(
    conn: &mut PgConnection,
    session: &Session,
    of: Uuid,
    left: &[UnsettledBatch],
) -> Result<(), StoreError> {
    let since = sqlx::query_scalar!(
        "delete from unsettled_batches where source_id = $1 and session_id = $2
         returning left_since",
        session.source_id.0,
        of,
    )
    .fetch_all(&mut *conn)
    .await?;
    let gone = Session { session_id: of, ..*session };
    for batch in left {
        insert(conn, &gone, batch).await?;
    }
    if let Some(since) = since.into_iter().flatten().min() {
        sqlx::query!(
            "update unsettled_batches set left_since = $3
             where source_id = $1 and session_id = $2",
            session.source_id.0,
            of,
            since,
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

impl Others {
    /// The living sessions that have some of these contents in hand, each with its last batch.
    #[must_use]
    pub fn living_with(&self, contents: &HashSet<Fingerprint>) -> HashMap<Uuid, i64> {
        let with = self.living.iter().filter(|living| {
            let mut all = living.batches.iter().flat_map(|batch| &batch.fingerprints);
            all.any(|content| contents.contains(content))
        });
        with.map(|living| (living.session_id, living.last_batch())).collect()
    }
}

impl LivingOther {
    /// The number of its last batch that is unsettled.
    #[must_use]
    pub fn last_batch(&self) -> i64 {
        self.batches.last().map_or(0, |batch| batch.batch)
    }
}

fn unpack(bytes: &[u8]) -> Result<Vec<Fingerprint>, StoreError> {
    let (whole, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        let why = format!("{} bytes are no multiple of 16", bytes.len());
        return Err(StoreError::corrupt("unsettled_batches", "fingerprints", why));
    }
    Ok(whole.iter().map(|chunk| Fingerprint(*chunk)).collect())
}
