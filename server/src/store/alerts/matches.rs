//! Letters that the filters of alert rules match: counted as they arrive, and measured while they wait.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use dlo_domain::ids::{AlertCounterId, AlertRuleId, LetterId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// Arrivals of one batch, by the counters of the rules that count them.
pub type ArrivalCounts = BTreeMap<AlertCounterId, ArrivalCount>;

/// Arrivals that a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivalCount {
    /// How many.
    pub arrivals: i64,
    /// The last of them.
    pub last_letter: LetterId,
}

/// A letter, and the counter of a rule that measures how long it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingLetter {
    /// The rule's counter.
    pub counter: AlertCounterId,
    /// The letter.
    pub letter: LetterId,
}

/// A letter as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LetterVersion {
    /// The letter.
    pub letter: LetterId,
    /// How often it had arrived.
    pub arrivals: i32,
}

/// Adds arrivals to the minute of the rules that count them.
///
/// # Errors
/// Returns an error if a statement fails.
pub async fn add_arrivals(
    conn: &mut PgConnection,
    at: DateTime<Utc>,
    counts: &ArrivalCounts,
) -> Result<(), StoreError> {
    if counts.is_empty() {
        return Ok(());
    }
    let counters: Vec<Uuid> = counts.keys().map(|counter| counter.0).collect();
    let arrivals: Vec<i64> = counts.values().map(|count| count.arrivals).collect();
    let last: Vec<Uuid> = counts.values().map(|count| count.last_letter.0).collect();
    sqlx::query!(
        "insert into alert_arrivals (counter_id, minute, arrivals, last_letter)
         select counter_id, $1, arrivals, last_letter
         from unnest($2::uuid[], $3::bigint[], $4::uuid[]) as new (counter_id, arrivals, last_letter)",
        at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at),
        &counters,
        &arrivals,
        &last,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds letters that this transaction stored or locked to what rules measure.
///
/// # Errors
/// Returns an error if a statement fails.
pub async fn add_waiting(
    conn: &mut PgConnection,
    waiting: &[WaitingLetter],
) -> Result<(), StoreError> {
    if waiting.is_empty() {
        return Ok(());
    }
    let counters: Vec<Uuid> = waiting.iter().map(|one| one.counter.0).collect();
    let letters: Vec<Uuid> = waiting.iter().map(|one| one.letter.0).collect();
    sqlx::query!(
        "insert into alert_waiting (counter_id, letter_id, since)
         select new.counter_id, l.id, case when l.state = 'held' then l.state_since end
         from unnest($1::uuid[], $2::uuid[]) as new (counter_id, letter_id)
         join letters l on l.id = new.letter_id
         where l.state <> 'resolved'
         on conflict do nothing",
        &counters,
        &letters,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes letters that this transaction has locked or changed from what rules measure.
///
/// # Errors
/// Returns an error if a statement fails.
pub async fn remove_waiting(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|letter| letter.0).collect();
    sqlx::query!("delete from alert_waiting where letter_id = any($1)", &letters)
        .execute(conn)
        .await?;
    Ok(())
}

/// Locks letters, and returns those that have not arrived again since they were read.
///
/// # Errors
/// Returns an error if a statement fails.
pub async fn lock_unchanged(
    conn: &mut PgConnection,
    read: &[LetterVersion],
) -> Result<Vec<LetterId>, StoreError> {
    let ids: Vec<Uuid> = read.iter().map(|one| one.letter.0).collect();
    let arrivals: Vec<i32> = read.iter().map(|one| one.arrivals).collect();
    let same = sqlx::query_scalar!(
        "select l.id from letters l
         join unnest($1::uuid[], $2::integer[]) as read (id, arrivals)
             on read.id = l.id and read.arrivals = l.arrivals
         where l.id = any($1)
         order by l.id for update of l",
        &ids,
        &arrivals,
    )
    .fetch_all(conn)
    .await?;
    Ok(same.into_iter().map(LetterId).collect())
}

/// Has letters counted anew for a rule: another filter is counted from now on.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn reset(
    conn: &mut PgConnection,
    rule: AlertRuleId,
    counter: AlertCounterId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update alert_rules set counter_id = $2, counted_since = $3 where id = $1",
        rule.0,
        counter.0,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Folds the rows of each minute into one. Call within the transaction that folds the other counters.
///
/// # Errors
/// Returns an error if a statement fails; the transaction must be given up then.
pub async fn fold(conn: &mut PgConnection, since: DateTime<Utc>) -> Result<(), StoreError> {
    sqlx::query!(
        "with gone as (
             delete from alert_arrivals where minute > $1
             returning counter_id, minute, arrivals, last_letter)
         insert into alert_arrivals (counter_id, minute, arrivals, last_letter)
         select counter_id, minute, sum(arrivals), max(last_letter::text)::uuid from gone
         group by counter_id, minute",
        since,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes some of the counts that no window reaches any more, and of what was counted for filters that no rule
/// has any more.
///
/// # Errors
/// Returns an error if a statement fails.
pub async fn remove_old(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from alert_arrivals where ctid = any(array(
             select ctid from alert_arrivals where minute < $1 order by minute limit $2))",
        before,
        limit,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "delete from alert_arrivals where ctid = any(array(
             select a.ctid from alert_arrivals a
             where not exists (select from alert_rules r where r.counter_id = a.counter_id) limit $1))",
        limit,
    )
    .execute(&mut *conn)
    .await?;
    // The counters are found by hopping through the index, whatever the number of letters.
    sqlx::query!(
        "with recursive hop as (
             (select counter_id from alert_waiting order by counter_id limit 1)
             union all
             select (select w.counter_id from alert_waiting w where w.counter_id > hop.counter_id
                     order by w.counter_id limit 1)
             from hop where hop.counter_id is not null)
         delete from alert_waiting where ctid = any(array(
             select w.ctid from hop join alert_waiting w on w.counter_id = hop.counter_id
             where not exists (select from alert_rules r where r.counter_id = hop.counter_id) limit $1))",
        10 * limit,
    )
    .execute(conn)
    .await?;
    Ok(())
}
