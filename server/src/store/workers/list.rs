//! Workers as they are shown, and what a person says of them.

use chrono::{DateTime, NaiveTime, Utc};
use dlo_domain::worker::{
    Condition, Downtime, KindSummary, Probe, Watch, Worker, WorkerCursor, WorkerReport,
};
use sqlx::PgConnection;

use super::deaths;
use crate::store::StoreError;

/// Times away that a worker's page shows.
const MOST_DOWNTIMES: i64 = 50;

/// Which workers, and where the page begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Those that are so.
    pub condition: Option<Condition>,
    /// Those of this kind.
    pub kind: Option<&'a str>,
    /// Those behind this one.
    pub after: Option<&'a WorkerCursor>,
    /// At most so many.
    pub limit: i64,
}

struct Row {
    name: String,
    kind: String,
    state: String,
    state_since: DateTime<Utc>,
    drained_by: Option<String>,
    first_seen_at: DateTime<Utc>,
    last_heartbeat_at: DateTime<Utc>,
    way: String,
    heard_ms: i64,
    interval_ms: i32,
    silent_since: Option<DateTime<Utc>>,
    queue: Option<String>,
    refused_queue: Option<String>,
    version: Option<String>,
    running: Option<i32>,
    capacity: Option<i32>,
    metadata: Option<serde_json::Value>,
    probe_url: Option<String>,
    probed_at: Option<DateTime<Utc>>,
    probe_status: Option<i16>,
    probe_ms: Option<i32>,
    probe_fault: Option<String>,
    down_seconds: f64,
    watch_heard_ms: Option<i64>,
    watch_opened_ms: Option<i64>,
    watch_looked_at: Option<DateTime<Utc>>,
}

impl Row {
    fn watch(&self) -> Option<Watch> {
        Some(Watch {
            heard_ms: self.watch_heard_ms?,
            opened_ms: self.watch_opened_ms?,
            looked_at: self.watch_looked_at?,
        })
    }

    /// A stale worker's silence is told by the clock, since it goes on while nobody looks.
    fn silent_ms(&self, condition: Condition, now: DateTime<Utc>) -> i64 {
        if condition != Condition::Fresh {
            return (now - self.last_heartbeat_at).num_milliseconds().max(0);
        }
        let watch = self.watch();
        watch.map_or(0, |watch| (watch.reading(now) - self.heard_ms).max(0))
    }

    fn probe(&self) -> Option<Probe> {
        Some(Probe {
            url: self.probe_url.clone()?,
            at: self.probed_at,
            status: self.probe_status.and_then(|status| u16::try_from(status).ok()),
            millis: self.probe_ms.and_then(|millis| u32::try_from(millis).ok()),
            fault: self.probe_fault.clone(),
        })
    }

    fn worker(self, now: DateTime<Utc>) -> Result<Worker, StoreError> {
        let condition = Condition::of(super::state(&self.state)?, self.silent_since.is_some());
        let count = |count: Option<i32>| count.and_then(|count| u32::try_from(count).ok());
        Ok(Worker {
            silent_ms: self.silent_ms(condition, now),
            probe: self.probe(),
            name: self.name,
            kind: self.kind,
            condition,
            state_since: self.state_since,
            drained_by: self.drained_by,
            first_seen_at: self.first_seen_at,
            last_heartbeat_at: self.last_heartbeat_at,
            interval_ms: self.interval_ms,
            silent_since: self.silent_since,
            queue: self.queue,
            refused_queue: self.refused_queue,
            version: self.version,
            running: count(self.running),
            capacity: count(self.capacity),
            #[expect(clippy::cast_possible_truncation, reason = "seconds of one day")]
            down_today_seconds: self.down_seconds as i64,
            letters_last_hour: None,
        })
    }
}

/// A page of workers: stale ones first, then draining, fresh and stopped ones, each by name.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    wanted: Wanted<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<Worker>, StoreError> {
    let rank = wanted.condition.map(|condition| i32::from(condition.rank()));
    let after = wanted.after.map(|cursor| i32::from(cursor.condition.rank()));
    let rows = sqlx::query_as!(
        Row,
        r#"with ranked as (
             select *, case when state = 'stopped' then 3 when silent_since is not null then 0
                 when state = 'draining' then 1 else 2 end as rank
             from workers),
         shown as (
             select * from ranked
             where ($1::integer is null or rank = $1) and ($2::text is null or kind = $2)
                 and ($3::integer is null or (rank, name) > ($3, $4))
             order by rank, name limit $5)
         select name, kind, state, state_since, drained_by, first_seen_at, last_heartbeat_at, w.way,
             w.heard_ms, interval_ms, silent_since, queue, refused_queue, version, running, capacity,
             null::json as metadata, probe_url, probed_at, probe_status, probe_ms, probe_fault,
             coalesce((select sum(extract(epoch from coalesce(d.until, $6) - greatest(d.since, $7)))
                 from worker_downtimes d
                 where d.worker = w.name and coalesce(d.until, $6) > greatest(d.since, $7))
                 , 0)::float8 as "down_seconds!",
             watch.heard_ms as "watch_heard_ms?", watch.opened_ms as "watch_opened_ms?",
             watch.looked_at as "watch_looked_at?"
         from shown w left join fleet_watches watch on watch.way = w.way
         order by rank, name"#,
        rank,
        wanted.kind,
        after,
        wanted.after.map(|cursor| cursor.name.as_str()),
        wanted.limit,
        now,
        midnight(now),
    )
    .fetch_all(&mut *conn)
    .await?;
    let workers = rows.into_iter().map(|row| row.worker(now));
    let mut workers = workers.collect::<Result<Vec<_>, _>>()?;
    deaths::count(conn, &mut workers, now).await?;
    Ok(workers)
}

fn midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    now.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// One worker.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn one(
    conn: &mut PgConnection,
    name: &str,
    now: DateTime<Utc>,
) -> Result<Option<WorkerReport>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select name, kind, state, state_since, drained_by, first_seen_at, last_heartbeat_at,
             w.way, w.heard_ms, interval_ms, silent_since, queue, refused_queue, version, running, capacity,
             metadata as "metadata?", probe_url, probed_at, probe_status, probe_ms, probe_fault,
             coalesce((select sum(extract(epoch from coalesce(d.until, $2) - greatest(d.since, $3)))
                 from worker_downtimes d
                 where d.worker = w.name and coalesce(d.until, $2) > greatest(d.since, $3))
                 , 0)::float8 as "down_seconds!",
             watch.heard_ms as "watch_heard_ms?", watch.opened_ms as "watch_opened_ms?",
             watch.looked_at as "watch_looked_at?"
         from workers w left join fleet_watches watch on watch.way = w.way
         where name = $1"#,
        name,
        now,
        midnight(now),
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(mut row) = row else { return Ok(None) };
    let way = std::mem::take(&mut row.way);
    let metadata = match row.metadata.take() {
        Some(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let mut worker = row.worker(now)?;
    deaths::count(conn, std::slice::from_mut(&mut worker), now).await?;
    let downtimes = downtimes(conn, name).await?;
    Ok(Some(WorkerReport { worker, way, metadata, downtimes, queues: Vec::new(), opinion: None }))
}

async fn downtimes(conn: &mut PgConnection, name: &str) -> Result<Vec<Downtime>, StoreError> {
    let spans = sqlx::query_as!(
        Downtime,
        "select since, found_at, until from worker_downtimes
         where worker = $1 order by since desc limit $2",
        name,
        MOST_DOWNTIMES,
    )
    .fetch_all(conn)
    .await?;
    Ok(spans)
}

/// Workers by kind, all of them: those with stale ones first.
///
/// # Errors
/// When Postgres does not do it.
pub async fn kinds(conn: &mut PgConnection) -> Result<Vec<KindSummary>, StoreError> {
    let kinds = sqlx::query_as!(
        KindSummary,
        r#"select kind,
             count(*) filter (where state = 'active' and silent_since is null) as "fresh!",
             count(*) filter (where state <> 'stopped' and silent_since is not null) as "stale!",
             count(*) filter (where state = 'draining' and silent_since is null) as "draining!",
             count(*) filter (where state = 'stopped') as "stopped!"
         from workers group by kind order by 3 desc, kind"#,
    )
    .fetch_all(conn)
    .await?;
    Ok(kinds)
}

/// A person has a worker drained: what it says of itself does not end that. `false` when there is
/// none, or it has stopped.
///
/// # Errors
/// When Postgres does not do it.
pub async fn drain(
    conn: &mut PgConnection,
    name: &str,
    by: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update workers set drained_by = $2, state = 'draining',
             state_since = case when state = 'draining' then state_since else $3 end
         where name = $1 and state <> 'stopped'",
        name,
        by,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A person ends a drain. `false` when the worker is not draining.
///
/// # Errors
/// When Postgres does not do it.
pub async fn activate(
    conn: &mut PgConnection,
    name: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update workers set drained_by = null, state = 'active', state_since = $2
         where name = $1 and state = 'draining'",
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
