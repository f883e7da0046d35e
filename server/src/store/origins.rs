//! Which queues' dead letters come to which source, and so which letters' origins are known. Everything else
//! that a letter says of where it died is a claim of its own: whoever may publish to the source can write it.
//!
//! A row is written for queues that a read of the broker showed, never for what a message names.

mod noting;
mod unread;

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::globs::Globs;
use dlo_domain::ids::{LetterId, SourceId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;
pub use noting::{note, note_of_last_read};
pub use unread::{UnreadPlace, unread_places};

/// How far the clock of the office that took a letter may be behind the one that tells when a broker was
/// read.
const SLACK: TimeDelta = TimeDelta::seconds(5);
/// A letter that arrived so long after the last read of its broker came by a wrong clock: nothing waits
/// for it.
const LONGEST_WAIT: TimeDelta = TimeDelta::minutes(5);

/// What a letter says of where it died.
#[derive(Debug, Clone, Copy)]
pub struct NamedOrigin<'a> {
    /// The source that it came to.
    pub source: SourceId,
    /// The queue that it names, if it names one.
    pub queue: Option<&'a str>,
    /// When it last arrived.
    pub arrived_at: DateTime<Utc>,
}

/// What is known of the origin that a letter names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginStanding {
    /// Dead letters of that queue come to its source.
    Known,
    /// Not known yet: the broker was not read since the letter arrived, and is about to be.
    Awaited,
    /// Only the message says so.
    Claimed,
}

/// What is known of a source's origins.
#[derive(Debug)]
struct SourceOrigins {
    /// The names that its list believes.
    trusted: Globs,
    /// When its broker was last read, if it is read these days.
    read_at: Option<DateTime<Utc>>,
    /// Queues that were seen to lead there.
    seen: HashSet<String>,
}

/// What is known of the origins of some sources.
#[derive(Debug, Default)]
pub struct KnownOrigins(HashMap<SourceId, SourceOrigins>);

impl KnownOrigins {
    /// What is known of a letter's origin. One that names no queue is known only where the source
    /// trusts every message.
    #[must_use]
    pub fn standing(&self, letter: NamedOrigin<'_>) -> OriginStanding {
        let Some(source) = self.0.get(&letter.source) else {
            return OriginStanding::Claimed;
        };
        if source.trusted.matches(letter.queue.unwrap_or_default()) {
            return OriginStanding::Known;
        }
        let Some(queue) = letter.queue else {
            return OriginStanding::Claimed;
        };
        if source.seen.contains(queue) {
            return OriginStanding::Known;
        }
        let is_awaited = source.read_at.is_some_and(|read_at| {
            let after = letter.arrived_at - read_at;
            (-SLACK..LONGEST_WAIT).contains(&after)
        });
        if is_awaited { OriginStanding::Awaited } else { OriginStanding::Claimed }
    }

    /// Whether a letter's origin is known.
    #[must_use]
    pub fn is_known(&self, letter: NamedOrigin<'_>) -> bool {
        self.standing(letter) == OriginStanding::Known
    }

    /// Whether the source's list has every name, so that whatever its messages say is believed.
    #[must_use]
    pub fn trusts_all(&self, source: SourceId) -> bool {
        let source = self.0.get(&source);
        source.is_some_and(|source| source.trusted.matches(""))
    }
}

/// What is known of these queues as origins of these sources.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn known(
    conn: &mut PgConnection,
    sources: &BTreeSet<SourceId>,
    queues: &BTreeSet<&str>,
) -> Result<KnownOrigins, StoreError> {
    let mut known = KnownOrigins::default();
    if sources.is_empty() {
        return Ok(known);
    }
    let sources: Vec<Uuid> = sources.iter().map(|id| id.0).collect();
    let queues: Vec<String> = queues.iter().map(|queue| (*queue).to_owned()).collect();
    // A broker that was just begun to be read for the first time was read long ago, as far as letters go. Lists that the
    // planner sees, it plans for each time anew.
    let rows = sqlx::query!(
        r#"select s.id as "id!", s.origins as "origins!: Json<Globs>", k.origin as "origin?",
               case when b.trouble is not null or v.trouble is not null then null
                   when v.read_at > clock_timestamp() - interval '5 minutes' then v.read_at
                   when v.read_at is null and b.asked_at > clock_timestamp() - interval '1 minute'
                   then b.asked_at
               end as read_at
           from sources s
           left join topology_brokers b on b.broker = s.broker
           left join topology_vhosts v on v.broker = s.broker and v.vhost = s.vhost
           left join known_origins k on k.broker = s.broker and k.vhost = s.vhost
               and k.queue = s.queue and k.origin = any((select $2::text[])::text[])
           where s.id = any((select $1::uuid[])::uuid[])"#,
        &sources,
        &queues,
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        let (trusted, read_at) = (row.origins.0, row.read_at);
        let source = known.0.entry(SourceId(row.id));
        let source =
            source.or_insert_with(|| SourceOrigins { trusted, read_at, seen: HashSet::new() });
        source.seen.extend(row.origin);
    }
    Ok(known)
}

/// What is known of the origins that these letters name.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn known_of<'a>(
    conn: &mut PgConnection,
    letters: impl Iterator<Item = NamedOrigin<'a>>,
) -> Result<KnownOrigins, StoreError> {
    let (mut sources, mut queues) = (BTreeSet::new(), BTreeSet::new());
    for letter in letters {
        sources.insert(letter.source);
        queues.extend(letter.queue);
    }
    known(conn, &sources, &queues).await
}

/// Those of the letters whose origin is not known yet and may be soon.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn awaited(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<LetterId>, StoreError> {
    let awaited = standing_as(conn, letters, OriginStanding::Awaited).await?;
    Ok(awaited.into_iter().collect())
}

/// Those of the letters whose origin only the message claims.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn claimed(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<BTreeSet<LetterId>, StoreError> {
    standing_as(conn, letters, OriginStanding::Claimed).await
}

async fn standing_as(
    conn: &mut PgConnection,
    letters: &[LetterId],
    wanted: OriginStanding,
) -> Result<BTreeSet<LetterId>, StoreError> {
    if letters.is_empty() {
        return Ok(BTreeSet::new());
    }
    let ids: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "select id, source_id, queue, last_arrived_at from letters where id = any($1)",
        &ids,
    )
    .fetch_all(&mut *conn)
    .await?;
    let named: Vec<(LetterId, NamedOrigin<'_>)> = rows
        .iter()
        .map(|row| {
            let origin = NamedOrigin {
                source: SourceId(row.source_id),
                queue: row.queue.as_deref(),
                arrived_at: row.last_arrived_at,
            };
            (LetterId(row.id), origin)
        })
        .collect();
    let known = known_of(conn, named.iter().map(|(_, origin)| *origin)).await?;
    let found = named.into_iter().filter(|(_, origin)| known.standing(*origin) == wanted);
    Ok(found.map(|(id, _)| id).collect())
}

#[cfg(test)]
mod tests;
