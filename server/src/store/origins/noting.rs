//! Writing down what a read of a vhost shows of origins.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::topology::Map;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::topology::{self, Place};

/// Origins of one queue that are kept, at most, beside those that a read shows: queues with random names
/// come and go.
const MOST_PAST: i64 = 10_000;
/// A row that says the same as before is written so often: not with every read.
const REFRESH_EVERY: TimeDelta = TimeDelta::hours(1);

/// A row as it is stored.
struct Stored {
    seen_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

/// The changes that a read makes to the origins of one queue.
#[derive(Default)]
struct Changes {
    /// Seen, and new or not written down for long.
    seen: Vec<String>,
    /// There, and leading elsewhere.
    ended: Vec<String>,
}

impl Changes {
    fn of(
        map: &Map<'_>,
        queue: &str,
        stored: &HashMap<String, Stored>,
        now: DateTime<Utc>,
    ) -> Self {
        let origins = map.origins(queue);
        let is_due = |origin: &String| {
            stored.get(origin).is_none_or(|row| {
                row.ended_at.is_some() || now - row.seen_at >= REFRESH_EVERY || row.seen_at > now
            })
        };
        // What could not be known ends nothing, and to a queue that is gone nothing can lead.
        let may_end = map.vhost.tells_routes() && map.queue(queue).is_some();
        let leads_elsewhere = |(origin, row): (&String, &Stored)| {
            let ends = row.ended_at.is_none() && !origins.contains(origin);
            (ends && map.queue(origin).is_some()).then(|| origin.clone())
        };
        Self {
            ended: if may_end {
                stored.iter().filter_map(leads_elsewhere).collect()
            } else {
                Vec::new()
            },
            seen: origins.iter().filter(|one| is_due(one)).cloned().collect(),
        }
    }
}

/// Writes down which queues' dead letters come to the sources of a vhost.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note(
    conn: &mut PgConnection,
    place: Place<'_>,
    map: &Map<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let queues: Vec<String> = sqlx::query_scalar!(
        "select distinct queue from sources where broker = $1 and vhost = $2 order by queue",
        place.broker,
        place.vhost,
    )
    .fetch_all(&mut *conn)
    .await?;
    for queue in queues {
        let stored = stored(conn, place, &queue).await?;
        let changes = Changes::of(map, &queue, &stored, now);
        write(conn, place, &queue, &changes, now).await?;
        let rows = stored.len() + changes.seen.len();
        if i64::try_from(rows).unwrap_or(i64::MAX) > MOST_PAST {
            forget(conn, place, &queue, &map.origins(&queue)).await?;
        }
    }
    Ok(())
}

/// The same by what was last read of the vhost, for a source that is new.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note_of_last_read(
    conn: &mut PgConnection,
    place: Place<'_>,
) -> Result<(), StoreError> {
    // What this version cannot read was written by a newer one: the next read tells.
    let Some(kept) = topology::one(conn, place).await.ok().flatten() else {
        return Ok(());
    };
    note(conn, place, &Map::of(&kept.vhost), kept.read_at).await
}

async fn stored(
    conn: &mut PgConnection,
    place: Place<'_>,
    queue: &str,
) -> Result<HashMap<String, Stored>, StoreError> {
    let rows = sqlx::query!(
        "select origin, seen_at, ended_at from known_origins
         where broker = $1 and vhost = $2 and queue = $3",
        place.broker,
        place.vhost,
        queue,
    )
    .fetch_all(conn)
    .await?;
    let rows = rows.into_iter().map(|row| {
        let stored = Stored { seen_at: row.seen_at, ended_at: row.ended_at };
        (row.origin, stored)
    });
    Ok(rows.collect())
}

async fn write(
    conn: &mut PgConnection,
    place: Place<'_>,
    queue: &str,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    if !changes.seen.is_empty() {
        sqlx::query!(
            "insert into known_origins (broker, vhost, queue, origin, seen_at)
             select $1, $2, $3, origin, $5 from unnest($4::text[]) as origin
             on conflict (broker, vhost, queue, origin) do update
                 set seen_at = excluded.seen_at, ended_at = null",
            place.broker,
            place.vhost,
            queue,
            &changes.seen,
            now,
        )
        .execute(&mut *conn)
        .await?;
    }
    if !changes.ended.is_empty() {
        sqlx::query!(
            "update known_origins set ended_at = $5
             where broker = $1 and vhost = $2 and queue = $3 and origin = any($4)",
            place.broker,
            place.vhost,
            queue,
            &changes.ended,
            now,
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// Forgets those that were seen longest ago, beyond the most that are kept.
async fn forget(
    conn: &mut PgConnection,
    place: Place<'_>,
    queue: &str,
    present: &BTreeSet<String>,
) -> Result<(), StoreError> {
    let present: Vec<String> = present.iter().cloned().collect();
    sqlx::query!(
        "delete from known_origins where broker = $1 and vhost = $2 and queue = $3 and origin in (
             select origin from known_origins
             where broker = $1 and vhost = $2 and queue = $3 and origin <> all($4)
             order by seen_at desc, origin offset $5)",
        place.broker,
        place.vhost,
        queue,
        &present,
        MOST_PAST,
    )
    .execute(conn)
    .await?;
    Ok(())
}
