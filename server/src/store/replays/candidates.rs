//! Letters that a plan considers, as they stand.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, ReplayId, SourceId};
use dlo_domain::state::LetterState;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::decisions::read_state;
use crate::store::{StoreError, weeks};

/// A letter that a plan considers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The letter.
    pub id: LetterId,
    /// Where it stands.
    pub state: LetterState,
    /// The queue that it died in.
    pub queue: Option<String>,
    /// The exchange that it was published to.
    pub exchange: Option<String>,
    /// Its routing key.
    pub routing_key: Option<String>,
    /// The ordinal of its last arrival.
    pub arrivals: i32,
    /// When that was.
    pub last_arrived_at: DateTime<Utc>,
    /// How often it was replayed before.
    pub replays: i32,
    /// The broker that it came from.
    pub broker: String,
    /// The vhost that it came from.
    pub vhost: String,
    /// The replay that claimed it last.
    pub claimed_by: Option<ReplayId>,
    /// The source that it came to.
    pub source_id: SourceId,
    /// The source's name.
    pub source: String,
    /// Whether only its message says where it died; planning finds out.
    pub origin_claimed: bool,
}

/// Letters by id, in any order. With `lock` nobody else moves them until the transaction ends; they are locked in
/// the order of their ids.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn find(
    conn: &mut PgConnection,
    ids: &[LetterId],
    lock: bool,
) -> Result<Vec<Candidate>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let (first, last) = weeks::span(&ids);
    let rows = if lock {
        sqlx::query_as!(
            CandidateRow,
            "select id, state, queue, exchange, routing_key, arrivals, replays, source_id,
                 last_arrived_at, claimed_by
             from letters where id = any($1) and id between $2 and $3 order by id for update",
            &ids,
            first,
            last
        )
        .fetch_all(&mut *conn)
        .await?
    } else {
        sqlx::query_as!(
            CandidateRow,
            "select id, state, queue, exchange, routing_key, arrivals, replays, source_id,
                 last_arrived_at, claimed_by
             from letters where id = any($1) and id between $2 and $3",
            &ids,
            first,
            last
        )
        .fetch_all(&mut *conn)
        .await?
    };
    let sources = sources_of(conn, &rows).await?;
    rows.into_iter().map(|row| row.into_candidate(&sources)).collect()
}

/// A source, as far as a plan tells of it.
struct SourceRow {
    id: Uuid,
    broker: String,
    vhost: String,
    name: String,
}

/// The sources of letters. Apart from these: there are few, and to join them took a third of the time.
async fn sources_of(
    conn: &mut PgConnection,
    rows: &[CandidateRow],
) -> Result<HashMap<Uuid, SourceRow>, StoreError> {
    let ids: BTreeSet<Uuid> = rows.iter().map(|row| row.source_id).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let found = sqlx::query_as!(
        SourceRow,
        "select id, broker, vhost, name from sources where id = any($1)",
        &ids
    )
    .fetch_all(conn)
    .await?;
    Ok(found.into_iter().map(|source| (source.id, source)).collect())
}

struct CandidateRow {
    id: Uuid,
    state: String,
    queue: Option<String>,
    exchange: Option<String>,
    routing_key: Option<String>,
    arrivals: i32,
    last_arrived_at: DateTime<Utc>,
    replays: i32,
    claimed_by: Option<Uuid>,
    source_id: Uuid,
}

impl CandidateRow {
    fn into_candidate(self, sources: &HashMap<Uuid, SourceRow>) -> Result<Candidate, StoreError> {
        let source = sources.get(&self.source_id).ok_or_else(|| {
            StoreError::corrupt("letters", "source_id", "names a source that is not in `sources`")
        })?;
        Ok(Candidate {
            id: LetterId(self.id),
            state: read_state(&self.state)?,
            queue: self.queue,
            exchange: self.exchange,
            routing_key: self.routing_key,
            arrivals: self.arrivals,
            last_arrived_at: self.last_arrived_at,
            replays: self.replays,
            broker: source.broker.clone(),
            vhost: source.vhost.clone(),
            claimed_by: self.claimed_by.map(ReplayId),
            source_id: SourceId(self.source_id),
            source: source.name.clone(),
            origin_claimed: false,
        })
    }
}
