//! How far the walk over stored letters has come, and what it reads and writes of them.

mod matches;
mod walk;

use chrono::{DateTime, Utc};
use dlo_domain::ids::LetterId;
use dlo_domain::rule::JudgingAgain;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

pub use matches::{Matched, groups_of, matched, newest};
pub use walk::{Ruling, Window, give_way, rejudge, window};

/// What of letters is to be judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Due {
    /// How bad open letters are.
    pub severity: bool,
    /// What letters have in common.
    pub signature: bool,
    /// What is in their bodies: with it, everything that is judged by that.
    pub contents: bool,
}

impl Due {
    /// Whether there is anything to do.
    #[must_use]
    pub fn is_any(self) -> bool {
        self.severity || self.signature || self.contents
    }
}

/// A walk under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// What it judges.
    pub due: Due,
    /// The letter that was looked at last: the next are older.
    pub cursor: Option<LetterId>,
}

/// What a step of the walk did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The letter that was looked at last; none when there are no more.
    pub cursor: Option<LetterId>,
    /// Letters that were looked at.
    pub done: i64,
    /// Letters that were changed.
    pub changed: i64,
}

/// Begins a walk over all letters, in the place of one that is under way; what that one had to
/// do is done by this one.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin(
    conn: &mut PgConnection,
    due: Due,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update judging set severity_is_due = severity_is_due or $1,
             signature_is_due = signature_is_due or $2,
             contents_are_due = contents_are_due or $3, cursor = null, done = 0,
             total = (select coalesce(sum(letters), 0) from letter_counts), changed = 0,
             began_at = $4",
        due.severity || due.contents,
        due.signature || due.contents,
        due.contents,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the walk until the transaction ends; nothing when there is none, or another has it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(conn: &mut PgConnection) -> Result<Option<Walk>, StoreError> {
    let row = sqlx::query!(
        "select severity_is_due, signature_is_due, contents_are_due, cursor from judging
         where severity_is_due or signature_is_due for update skip locked"
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Walk {
        due: Due {
            severity: row.severity_is_due,
            signature: row.signature_is_due,
            contents: row.contents_are_due,
        },
        cursor: row.cursor.map(LetterId),
    }))
}

/// Writes a step down. Without a cursor the walk is over.
///
/// # Errors
/// When Postgres does not do it.
pub async fn advance(conn: &mut PgConnection, step: Step) -> Result<(), StoreError> {
    let cursor: Option<Uuid> = step.cursor.map(|id| id.0);
    sqlx::query!(
        "update judging set cursor = $1::uuid, done = done + $2, changed = changed + $3,
             severity_is_due = severity_is_due and $1::uuid is not null,
             signature_is_due = signature_is_due and $1::uuid is not null,
             contents_are_due = contents_are_due and $1::uuid is not null",
        cursor,
        step.done,
        step.changed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether open letters are still to be looked at.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn is_under_way(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let due = sqlx::query_scalar!(
        r#"select exists (select from judging where severity_is_due) as "due!""#
    )
    .fetch_one(conn)
    .await?;
    Ok(due)
}

/// How far the walk has come; nothing when there is none.
///
/// # Errors
/// When Postgres does not do it.
pub async fn progress(conn: &mut PgConnection) -> Result<Option<JudgingAgain>, StoreError> {
    let row = sqlx::query!(
        "select done, total, changed, began_at from judging
         where severity_is_due or signature_is_due"
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| JudgingAgain {
        done: row.done,
        // It is an estimate, and more than everything is not to be read anywhere.
        of: row.total.max(row.done),
        changed: row.changed,
        began_at: row.began_at,
    }))
}
