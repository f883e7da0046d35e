//! Heartbeats. Many are written at once, each into its worker's row, beside which there is room: no
//! index is written. They are not waited for on disk, since the next one comes in seconds.

use std::collections::BTreeMap;

use dlo_domain::worker::{DEFAULT_INTERVAL, Heartbeat, WorkerState, kind_of};
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::watches;
use crate::clock::Clock;
use crate::store::{StoreError, shared_time};

/// A sign of life of a worker, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    /// The worker.
    pub name: String,
    /// What it said.
    pub heartbeat: Heartbeat,
    /// The queue that it named, where no worker's queue is called so.
    pub refused_queue: Option<String>,
}

impl Beat {
    fn row(&self) -> Value {
        let kind = kind_of(&self.name);
        let said = &self.heartbeat;
        json!({
            "name": self.name,
            "kind": kind.name,
            "is_autoscaled": kind.is_autoscaled,
            "state": said.state.unwrap_or(WorkerState::Active).as_str(),
            "interval_ms": said.interval_seconds.map(|_| said.interval().num_milliseconds()),
            "queue": said.queue,
            "refused_queue": self.refused_queue,
            "version": said.version,
            "running": said.running,
            "capacity": said.capacity,
            "probe_url": said.probe_url,
            "metadata": said.metadata,
        })
    }
}

/// Writes heartbeats that came by one way, in the transaction of `conn`; several of one worker as one.
/// What they leave out stays as it was. Tells what each worker's state is now: it may be told to drain.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    way: &str,
    beats: &[Beat],
) -> Result<BTreeMap<String, WorkerState>, StoreError> {
    sqlx::query!("set local synchronous_commit = off").execute(&mut *conn).await?;
    // In the order of their names: so that two offices that write at once never wait for each other.
    let mut last: BTreeMap<&str, Beat> = BTreeMap::new();
    for beat in beats {
        let mut said = beat.clone();
        if let Some(earlier) = last.get(&*beat.name) {
            if said.heartbeat.queue.is_none() && said.refused_queue.is_none() {
                said.refused_queue.clone_from(&earlier.refused_queue);
            }
            said.heartbeat = said.heartbeat.after(&earlier.heartbeat);
            if said.refused_queue.is_some() {
                said.heartbeat.queue = None;
            }
        }
        last.insert(&beat.name, said);
    }
    let mut states = BTreeMap::new();
    for is_said in [false, true] {
        let rows: Vec<Value> = last
            .values()
            .filter(|beat| beat.heartbeat.state.is_some() == is_said)
            .map(Beat::row)
            .collect();
        if !rows.is_empty() {
            states.extend(upsert(conn, clock, way, (rows, is_said)).await?);
        }
    }
    Ok(states)
}

async fn upsert(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    way: &str,
    (rows, is_said): (Vec<Value>, bool),
) -> Result<Vec<(String, WorkerState)>, StoreError> {
    let now = shared_time(conn, clock).await?;
    let watch = watches::find(conn, way).await?;
    let heard_ms = watch.map_or(0, |watch| watch.reading(now));
    let written = sqlx::query!(
        "insert into workers as w (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, queue, refused_queue, version, running,
             capacity, probe_url, metadata)
         select beat.name, beat.kind, beat.is_autoscaled, beat.state, $2, $2, $2, $3, $4,
             coalesce(beat.interval_ms, known.interval_ms, $6), beat.queue, beat.refused_queue, beat.version,
             beat.running, beat.capacity, beat.probe_url, beat.metadata
         from json_to_recordset($1::text::json) as beat (name text, kind text,
             is_autoscaled boolean, state text, interval_ms integer, queue text, refused_queue text, version text,
             running integer, capacity integer, probe_url text, metadata json)
         left join workers known on known.name = beat.name
         order by beat.name
         on conflict (name) do update set
             kind = excluded.kind, is_autoscaled = excluded.is_autoscaled,
             state = worker_state_after(w.state, w.drained_by, excluded.state, $5),
             state_since = case
                 when worker_state_after(w.state, w.drained_by, excluded.state, $5) = w.state
                 then w.state_since else excluded.state_since end,
             drained_by = case when w.state = 'stopped' then null else w.drained_by end,
             last_heartbeat_at = excluded.last_heartbeat_at,
             way = excluded.way, heard_ms = excluded.heard_ms,
             interval_ms = excluded.interval_ms,
             queue = case when excluded.refused_queue is not null then null
                 else coalesce(excluded.queue, w.queue) end,
             refused_queue = case when excluded.queue is not null then null
                 else coalesce(excluded.refused_queue, w.refused_queue) end,
             version = coalesce(excluded.version, w.version), running = excluded.running,
             capacity = coalesce(excluded.capacity, w.capacity),
             probe_url = coalesce(excluded.probe_url, w.probe_url),
             metadata = case when excluded.metadata::text = '{}' then w.metadata
                 else excluded.metadata end
         returning name, state",
        Value::from(rows).to_string(),
        now,
        way,
        heard_ms,
        is_said,
        i32::try_from(DEFAULT_INTERVAL.num_milliseconds()).unwrap_or(i32::MAX),
    )
    .fetch_all(conn)
    .await?;
    let states = written.into_iter();
    states.map(|row| Ok((row.name, super::state(&row.state)?))).collect()
}

/// The queue that a worker said it works on; nothing when it did not say so, or is not known.
///
/// # Errors
/// When Postgres does not do it.
pub async fn queue_of(conn: &mut PgConnection, worker: &str) -> Result<Option<String>, StoreError> {
    let queue = sqlx::query_scalar!("select queue from workers where name = $1", worker)
        .fetch_optional(conn)
        .await?;
    Ok(queue.flatten())
}
