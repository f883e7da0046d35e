//! Probes: whose address is to be asked, and what it answered.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use crate::store::StoreError;

/// A worker to be probed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Its name.
    pub name: String,
    /// Its address.
    pub url: String,
}

/// What came of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status; nothing when there was no answer.
    pub status: Option<i16>,
    /// How long it took, in milliseconds.
    pub millis: i32,
    /// Why there was no answer.
    pub fault: Option<String>,
}

/// Takes workers whose last probe is older than `every`: nobody else probes them for so long. Stale and
/// stopped ones are left alone.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    every: TimeDelta,
    most: i64,
) -> Result<Vec<Due>, StoreError> {
    // One that was probed in what is now the future was probed before the clock was set back.
    let due = sqlx::query_as!(
        Due,
        r#"update workers set probed_at = $1
         where name in (
             select name from workers
             where probe_url is not null and state <> 'stopped' and silent_since is null
                 and (probed_at is null or probed_at <= $2 or probed_at > $1)
             order by probed_at nulls first limit $3 for no key update skip locked)
         returning name, probe_url as "url!""#,
        now,
        now - every,
        most,
    )
    .fetch_all(conn)
    .await?;
    Ok(due)
}

/// Writes down what a worker's address answered, if it is its address still.
///
/// # Errors
/// When Postgres does not do it.
pub async fn answered(
    conn: &mut PgConnection,
    due: &Due,
    answer: &Answer,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update workers set probe_status = $3, probe_ms = $4, probe_fault = $5
         where name = $1 and probe_url = $2",
        due.name,
        due.url,
        answer.status,
        answer.millis,
        answer.fault,
    )
    .execute(conn)
    .await?;
    Ok(())
}
