//! How much is not well with workers, executions and queues.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::causes::{
    Behind, Causes, MOST_BEHIND, MOST_DIED, MOST_STUCK, SilentWorker, StandingReplays,
};
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::ReplayState;
use dlo_domain::severity::Severity;
use sqlx::PgConnection;

use super::StoreError;
use super::alerts::list;
use super::breakdown::NewestLetters;

/// Counts it. Executions that were not begun and stand where they are since before
/// `stuck_before` are stuck.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    stuck_before: DateTime<Utc>,
) -> Result<Causes, StoreError> {
    let row = sqlx::query!(
        r#"select
             (select count(*) from workers
                 where state <> 'stopped' and silent_since is not null) as "stale!",
             (select count(*) from (
                 select from executions
                 where state in ('requested', 'scheduling', 'scheduled') and state_since < $2
                 limit $3) as these) as "stuck!",
             count(*) filter (where kind = 'no_consumer') as "idle!",
             count(*) filter (where severity = 'critical') as "critical!",
             count(*) filter (where severity = 'high') as "high!",
             count(*) filter (where severity = 'normal') as "normal!",
             count(*) filter (where severity = 'low') as "low!"
           from topology_findings
           where resolved_at is null and coalesce(muted_until, '-infinity') <= $1"#,
        now,
        stuck_before,
        MOST_STUCK + 1,
    )
    .fetch_one(&mut *conn)
    .await?;
    Ok(Causes {
        at: now,
        firing_alerts: list::firing_by_severity(conn).await?,
        stale_workers: row.stale,
        stuck_executions: row.stuck.min(MOST_STUCK),
        stuck_is_least: row.stuck > MOST_STUCK,
        worst_worker: worst_worker(conn, now - TimeDelta::hours(1)).await?,
        paused_replays: standing(conn, ReplayState::Paused).await?,
        replays_to_approve: standing(conn, ReplayState::AwaitingApproval).await?,
        queues_without_consumers: row.idle,
        findings: vec![
            (Severity::Critical, row.critical),
            (Severity::High, row.high),
            (Severity::Normal, row.normal),
            (Severity::Low, row.low),
        ],
    })
}

/// The stale worker in whose queue the most letters died since `recently`. Which that is the deaths by queue tell, and
/// how many died since it fell silent its letters.
async fn worst_worker(
    conn: &mut PgConnection,
    recently: DateTime<Utc>,
) -> Result<Option<SilentWorker>, StoreError> {
    let row = sqlx::query!(
        r#"select w.name, w.silent_since as "since!",
                  (select count(*) from (
                      select from letters l
                      where l.queue = w.queue and l.last_arrived_at >= w.silent_since
                      limit $2) as these) as "letters!"
           from (select w.name, w.silent_since, w.queue
                 from workers w left join (
                     select queue, sum(arrivals) as arrivals from queue_deaths
                     where slot > $1 group by queue) as died on died.queue = w.queue
                 where w.state <> 'stopped' and w.silent_since is not null
                 order by died.arrivals desc nulls last, w.silent_since desc, w.name
                 limit 1) as w"#,
        recently,
        MOST_DIED + 1,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| SilentWorker {
        name: row.name,
        since: row.since,
        letters: row.letters.min(MOST_DIED),
        letters_are_least: row.letters > MOST_DIED,
    }))
}

/// The replays in one state in which they wait for somebody.
async fn standing(
    conn: &mut PgConnection,
    state: ReplayState,
) -> Result<Option<StandingReplays>, StoreError> {
    let row = sqlx::query!(
        r#"select count(*) as "replays!", coalesce(sum(pending), 0)::bigint as "letters!",
                  (array_agg(id order by created_at, id))[1] as oldest
           from replays where finished_at is null and state = $1"#,
        state.as_str(),
    )
    .fetch_one(conn)
    .await?;
    Ok(row.oldest.map(|oldest| StandingReplays {
        replays: row.replays,
        letters: row.letters,
        oldest: ReplayId(oldest),
    }))
}

/// The workers and executions that stand behind letters, those with the most letters first.
///
/// # Errors
/// When Postgres does not do it.
pub async fn behind(
    conn: &mut PgConnection,
    letters: &NewestLetters,
) -> Result<Behind, StoreError> {
    let (queues, counts): (Vec<String>, Vec<i64>) = letters.queues.iter().cloned().unzip();
    // A queue may have as many workers as there are.
    let workers = sqlx::query!(
        r#"select w.name, died.letters as "letters!"
           from unnest($1::text[], $2::bigint[]) as died (queue, letters)
           join workers w on w.queue = died.queue
           order by died.letters desc, w.name limit $3"#,
        &queues,
        &counts,
        MOST_BEHIND,
    )
    .fetch_all(&mut *conn)
    .await?;
    let executions = sqlx::query!(
        r#"select execution_id, count(distinct letter_id) as "letters!" from letter_executions
           where letter_id = any($1)
           group by execution_id order by 2 desc, 1 limit $2"#,
        &letters.ids,
        MOST_BEHIND,
    )
    .fetch_all(conn)
    .await?;
    Ok(Behind {
        letters: i64::try_from(letters.ids.len()).unwrap_or(i64::MAX),
        workers: workers.into_iter().map(|row| (row.name, row.letters)).collect(),
        executions: executions.into_iter().map(|row| (row.execution_id, row.letters)).collect(),
    })
}
