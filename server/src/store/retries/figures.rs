//! How policies go: what waits, what was made, what failed.

use chrono::{DateTime, NaiveTime, Utc};
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::policy::{Breaker, FailedRetry, Policy, PolicyFigures};
use sqlx::PgConnection;

use super::samples;
use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;
use crate::store::policies::Kept;

/// More than this are not counted.
const MOST_COUNTED: i64 = 10_000;

/// Failed tries that are shown.
const MOST_FAILED: i64 = 20;

/// Policies with how they go.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn with_figures(
    conn: &mut PgConnection,
    kept: Vec<Kept>,
    now: DateTime<Utc>,
) -> Result<Vec<Policy>, StoreError> {
    let mut policies = Vec::with_capacity(kept.len());
    for kept in kept {
        policies.push(one_with_figures(conn, kept, now).await?);
    }
    Ok(policies)
}

/// A policy with how it goes.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn one_with_figures(
    conn: &mut PgConnection,
    kept: Kept,
    now: DateTime<Utc>,
) -> Result<Policy, StoreError> {
    let figures = figures(conn, &kept, now).await?;
    Ok(Policy {
        id: kept.id,
        position: kept.position,
        policy: kept.policy,
        changed_by: kept.changed_by,
        changed_at: kept.changed_at,
        figures,
    })
}

async fn figures(
    conn: &mut PgConnection,
    kept: &Kept,
    now: DateTime<Utc>,
) -> Result<PolicyFigures, StoreError> {
    let midnight = now.date_naive().and_time(NaiveTime::MIN).and_utc();
    let row = sqlx::query!(
        r#"select
               (select count(*) from (
                   select from retries where policy_id = $1 and state = 'waiting' limit $2
                ) as counted) as "waiting!",
               (select min(due_at) from retries where policy_id = $1 and state = 'waiting')
                   as next_due_at,
               (select count(*) from (
                   select from retries
                   where policy_id = $1 and state = 'taken' and taken_at >= $3 limit $2
                ) as counted) as "tries_today!""#,
        kept.id.0,
        MOST_COUNTED + 1,
        midnight
    )
    .fetch_one(&mut *conn)
    .await?;
    let breaker = kept.policy.breaker.unwrap_or_default();
    Ok(PolicyFigures {
        breaker_state: kept.breaker.state,
        breaker_since: kept.breaker.since,
        waiting: row.waiting,
        next_due_at: row.next_due_at,
        tries_today: row.tries_today,
        return_percent: return_percent(conn, kept.id, &breaker, now).await?,
    })
}

async fn return_percent(
    conn: &mut PgConnection,
    id: PolicyId,
    breaker: &Breaker,
    now: DateTime<Utc>,
) -> Result<Option<u8>, StoreError> {
    let last = samples(conn, id, None, breaker, now).await?;
    Ok(breaker.return_percent(&last))
}

/// The last tries of a policy that could not be published, newest first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn failed(conn: &mut PgConnection, id: PolicyId) -> Result<Vec<FailedRetry>, StoreError> {
    let rows = sqlx::query!(
        r#"select i.letter_id, i.replay_id, i.outcome, i.detail, i.at
           from (select letter_id, replay_id, taken_at from retries
                 where policy_id = $1 and state = 'taken'
                 order by taken_at desc limit 1000) as last
           join replay_items i on i.letter_id = last.letter_id and i.replay_id = last.replay_id
           where i.outcome in ('unroutable', 'refused', 'unknown')
           order by last.taken_at desc limit $2"#,
        id.0,
        MOST_FAILED
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(FailedRetry {
                letter_id: LetterId(row.letter_id),
                replay_id: ReplayId(row.replay_id),
                outcome: read_outcome(&row.outcome)?,
                detail: row.detail,
                at: row.at,
            })
        })
        .collect()
}
