//! Tries whose time has come.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::{LetterId, PolicyId, ReplayId, SourceId};
use dlo_domain::policy::{Breaker, JUMP, Sample, SampleResult};
use dlo_domain::replay::Outcome;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;

/// A try whose time has come. Its letter is locked, and scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The letter.
    pub letter: LetterId,
    /// Since when it is due.
    pub due_at: DateTime<Utc>,
}

/// Locks letters whose tries are due, the longest due first; those that somebody else has locked
/// are left for next time, and those of the sources that are held up. What was due before `from` is not looked at.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn take_due(
    conn: &mut PgConnection,
    policy: PolicyId,
    held_up: &[SourceId],
    (from, now): (Option<DateTime<Utc>>, DateTime<Utc>),
    most: i64,
) -> Result<Vec<Due>, StoreError> {
    let held_up: Vec<Uuid> = held_up.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "select r.letter_id, r.due_at
         from retries r
         join letters l on l.id = r.letter_id and l.state = 'scheduled'
         where r.policy_id = $1 and r.state = 'waiting' and r.due_at <= $2
             and r.due_at >= coalesce($5::timestamptz, '-infinity') and l.source_id <> all($4)
         order by r.due_at limit $3
         for update of l skip locked",
        policy.0,
        now,
        most,
        &held_up,
        from
    )
    .fetch_all(conn)
    .await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| Due { letter: LetterId(row.letter_id), due_at: row.due_at }).collect())
}

/// Puts tries off: they are due again at this time.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn put_off(
    conn: &mut PgConnection,
    letters: &[LetterId],
    until: DateTime<Utc>,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update retries set due_at = $2 where letter_id = any($1) and state = 'waiting'",
        &letters,
        until,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks the waiting tries of letters, which must be locked, as made by a replay that is about to claim them: before
/// it does, so that its claim does not end them.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn take(
    conn: &mut PgConnection,
    letters: &[LetterId],
    replay: ReplayId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update retries set state = 'taken', taken_at = $3, replay_id = $2
         where letter_id = any($1) and state = 'waiting'",
        &letters,
        replay.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the tries of letters that their replay left out: they were not made. Returns these letters.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn withdraw_left_out(
    conn: &mut PgConnection,
    letters: &[LetterId],
    replay: ReplayId,
) -> Result<Vec<LetterId>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let left_out = sqlx::query_scalar!(
        "update retries r set state = 'withdrawn', taken_at = null, replay_id = null
         where r.letter_id = any($1) and r.replay_id = $2
             and not exists (
                 select from replay_items where letter_id = r.letter_id and replay_id = $2)
         returning r.letter_id",
        &letters,
        replay.0
    )
    .fetch_all(conn)
    .await?;
    Ok(left_out.into_iter().map(LetterId).collect())
}

/// The sources whose broker a replay that a policy made before a time still has letters for: the broker is away,
/// and one more replay would only wait beside it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn held_up(
    conn: &mut PgConnection,
    policy: PolicyId,
    before: DateTime<Utc>,
) -> Result<Vec<SourceId>, StoreError> {
    let held_up = sqlx::query_scalar!(
        "select s.id from sources s where s.broker in (
             select i.broker from replays r
             join replay_items i on i.replay_id = r.id and i.outcome = 'pending'
             where r.finished_at is null and r.state = 'running' and r.pending > 0
                 and r.policy_id = $1 and r.created_at < $2)",
        policy.0,
        before
    )
    .fetch_all(conn)
    .await?;
    Ok(held_up.into_iter().map(SourceId).collect())
}

/// When the next try of each policy is due that could be made, in any order. Of the policies in `from`, what was
/// due before is not looked at.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn earliest(
    conn: &mut PgConnection,
    from: &BTreeMap<PolicyId, DateTime<Utc>>,
) -> Result<Vec<(PolicyId, DateTime<Utc>)>, StoreError> {
    let (policies, begins): (Vec<Uuid>, Vec<DateTime<Utc>>) =
        from.iter().map(|(policy, begin)| (policy.0, *begin)).unzip();
    let rows = sqlx::query!(
        r#"select p.id as "id!", r.due_at as "due_at!"
           from retry_policies p
           left join unnest($1::uuid[], $2::timestamptz[]) as known (policy_id, begin)
               on known.policy_id = p.id
           cross join lateral (
               select due_at from retries
               where policy_id = p.id and state = 'waiting'
                   and due_at >= coalesce(known.begin, '-infinity')
               order by due_at limit 1) as r
           where p.enabled and p.removed_at is null"#,
        &policies,
        &begins
    )
    .fetch_all(conn)
    .await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| (PolicyId(row.id), row.due_at)).collect())
}

/// Tries that were planned in the future, by a clock that was set back since: they wait as long
/// from now as they were to wait from then. Tells how many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn rebase(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<u64, StoreError> {
    let done = sqlx::query!(
        "update retries set due_at = $1::timestamptz + (due_at - planned_at), planned_at = $1
         where state = 'waiting' and planned_at > $2",
        now,
        now + JUMP
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// A policy's last tries since a time, the newest first: as many as its breaker looks at, and as many
/// more of those that had the time to come back.
///
/// When a letter was published is told by the clock of the office that did it. What that cannot have
/// been, by the shared clock, is not believed: the try counts from when it was made.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn samples(
    conn: &mut PgConnection,
    policy: PolicyId,
    since: Option<DateTime<Utc>>,
    breaker: &Breaker,
    now: DateTime<Utc>,
) -> Result<Vec<Sample>, StoreError> {
    let rows = sqlx::query!(
        r#"with last as (
               (select letter_id, replay_id, taken_at from retries
                where policy_id = $1 and state = 'taken' and ($2::timestamptz is null or taken_at >= $2)
                order by taken_at desc limit $3)
               union
               (select letter_id, replay_id, taken_at from retries
                where policy_id = $1 and state = 'taken' and ($2::timestamptz is null or taken_at >= $2)
                  and taken_at <= $4
                order by taken_at desc limit $3))
           select last.taken_at as "taken_at!", i.outcome, i.at
           from last
           join replay_items i on i.letter_id = last.letter_id and i.replay_id = last.replay_id
           order by last.taken_at desc"#,
        policy.0,
        since,
        i64::from(breaker.of_last),
        now - TimeDelta::seconds(breaker.watch_seconds.into())
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let outcome = read_outcome(&row.outcome)?;
            let published_at = row
                .at
                .filter(|at| outcome == Outcome::Confirmed && (row.taken_at..=now).contains(at));
            Ok(Sample { at: published_at.unwrap_or(row.taken_at), result: result(outcome) })
        })
        .collect()
}

fn result(outcome: Outcome) -> SampleResult {
    match outcome {
        Outcome::Pending => SampleResult::Awaited,
        Outcome::Confirmed | Outcome::Processed | Outcome::Settled => SampleResult::Out,
        Outcome::Unroutable | Outcome::Refused | Outcome::Unknown | Outcome::DiedAgain => {
            SampleResult::Bad
        }
    }
}
