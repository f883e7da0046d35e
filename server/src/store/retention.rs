//! What is done is kept for a while and then removed: whole weeks where all of it is due, letter
//! by letter elsewhere. A letter that still waits for somebody is never removed, however old.

mod pace;

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::weeks::{self, Week};
use super::{StoreError, audit, drafts};

pub use pace::{OwnPass, horizon, pass};

/// Letters that one statement removes: few enough that nobody waits for it.
const AT_ONCE: i64 = 1_000;

/// How long letters are kept, counted from when they came into their state, and replays, counted from
/// their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Those that are resolved.
    pub resolved: Duration,
    /// Those that were discarded; until then they can be restored.
    pub discarded: Duration,
    /// Replays that are over, and whose letters are gone.
    pub replays: Duration,
}

/// The times before which what is done is due.
#[derive(Debug, Clone, Copy)]
struct Due {
    resolved: DateTime<Utc>,
    discarded: DateTime<Utc>,
}

impl Retention {
    fn due(self, now: DateTime<Utc>) -> Due {
        Due { resolved: now - self.resolved, discarded: now - self.discarded }
    }
}

/// Removes what is due at the time that retention goes by ([`pass`]); returns how many letters. Safe at several
/// offices at once.
///
/// # Errors
/// When Postgres does not do it. What was removed until then stays removed and is audited.
pub async fn remove_due(
    conn: &mut PgConnection,
    retention: Retention,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let due = retention.due(now);
    drafts::forget_old(conn, now).await?;
    let mut removed = 0;
    for week in weeks::all(conn).await? {
        // What was made in the week cannot have been done for long before the week's end.
        if week.end() <= due.resolved.max(due.discarded) {
            removed += drop_week(conn, week, due, now).await?;
        }
    }
    loop {
        let some = remove_some(conn, due, now).await?;
        removed += some;
        if some < AT_ONCE {
            return Ok(removed);
        }
    }
}

/// Drops a week when everything in it is due; zero when something is not, or others use it.
async fn drop_week(
    conn: &mut PgConnection,
    week: Week,
    due: Due,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    // Looked at without a lock first: most weeks hold something that waits.
    if !all_due(conn, week, due).await? {
        return Ok(0);
    }
    let mut transaction = conn.begin().await?;
    sqlx::query!("select set_config('lock_timeout', '500ms', true)")
        .fetch_one(&mut *transaction)
        .await?;
    if !weeks::seize(&mut transaction, week).await? || !all_due(&mut transaction, week, due).await?
    {
        return Ok(0);
    }
    let removed = uncount(&mut transaction, week).await?;
    forget_with(&mut transaction, week).await?;
    weeks::drop_seized(&mut transaction, week).await?;
    let what = format!("{removed} letters of the week before {}", week.end().date_naive());
    note(&mut transaction, &what, now).await?;
    transaction.commit().await?;
    Ok(removed)
}

async fn all_due(conn: &mut PgConnection, week: Week, due: Due) -> Result<bool, StoreError> {
    let statement = format!(
        "select not exists (select from {} where not (
             state = 'resolved' and state_since < $1 or state = 'discarded' and state_since < $2))",
        week.part_of("letters")
    );
    let all: bool = sqlx::query_scalar(AssertSqlSafe(statement))
        .bind(due.resolved)
        .bind(due.discarded)
        .fetch_one(conn)
        .await?;
    Ok(all)
}

/// Takes a week's letters out of the counters, which see a deleted row but no dropped table.
async fn uncount(conn: &mut PgConnection, week: Week) -> Result<i64, StoreError> {
    let statement = format!(
        "with gone as (
             insert into letter_counts (source_id, state, severity, letters)
             select source_id, state, severity, -count(*) from {}
             group by source_id, state, severity
             returning letters)
         select coalesce(-sum(letters), 0)::bigint from gone",
        week.part_of("letters")
    );
    let removed: i64 = sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(conn).await?;
    Ok(removed)
}

/// What replays sent of a week's letters, which executions they named, and which alert rules asked for them, goes
/// with them.
async fn forget_with(conn: &mut PgConnection, week: Week) -> Result<(), StoreError> {
    for table in ["replay_bodies", "letter_executions", "alert_waiting"] {
        let statement = format!(
            "delete from {table} t using {} l where t.letter_id = l.id",
            week.part_of("letters")
        );
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *conn).await?;
    }
    Ok(())
}

async fn remove_some(
    conn: &mut PgConnection,
    due: Due,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let mut transaction = conn.begin().await?;
    let removed = sqlx::query_scalar!(
        r#"with due as (
               select id from letters
               where shelf = 'resolved' and done_since < $1
                   or shelf = 'discarded' and done_since < $2
               limit $3 for update skip locked),
           gone as (delete from letters using due where letters.id = due.id returning letters.id),
           bodies as (delete from arrivals using due where letter_id = due.id),
           extracts as (delete from extracts using due where letter_id = due.id),
           texts as (delete from texts using due where letter_id = due.id),
           sent as (delete from replay_bodies using due where letter_id = due.id),
           named as (delete from letter_executions using due where letter_id = due.id),
           watched as (delete from alert_waiting using due where letter_id = due.id)
           select count(*) as "removed!" from gone"#,
        due.resolved,
        due.discarded,
        AT_ONCE
    )
    .fetch_one(&mut *transaction)
    .await?;
    if removed > 0 {
        note(&mut transaction, &format!("{removed} letters"), now).await?;
    }
    transaction.commit().await?;
    Ok(removed)
}

async fn note(conn: &mut PgConnection, what: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    let note = audit::Note {
        at: now,
        actor: &Actor::office(),
        action: "letters.expire",
        detail: Some(what),
        replay: None,
    };
    audit::write_office(conn, note).await
}

#[cfg(test)]
mod tests;
