//! What is there now, in figures for `/metrics`: read from counters and short lists, none of it counts letters.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::StoreError;

/// So many of something, by one or two words of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The first word: a state, a condition.
    pub word: String,
    /// The second, where there is one: a severity.
    pub severity: String,
    /// How many.
    pub count: i64,
}

/// Letters by state and severity.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn letters(conn: &mut PgConnection) -> Result<Vec<Count>, StoreError> {
    let rows = sqlx::query_as!(
        Count,
        r#"select state as word, severity, sum(letters)::bigint as "count!"
           from letter_counts group by state, severity"#,
    );
    Ok(rows.fetch_all(conn).await?)
}

/// Alerts that are open, by state and severity.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn alerts(conn: &mut PgConnection) -> Result<Vec<Count>, StoreError> {
    let rows = sqlx::query_as!(
        Count,
        r#"select state as word, severity, count(*) as "count!"
           from alerts where resolved_at is null group by state, severity"#,
    );
    Ok(rows.fetch_all(conn).await?)
}

/// Workers by what they are: `silent`, or the state that they are in.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn workers(conn: &mut PgConnection) -> Result<Vec<Count>, StoreError> {
    let rows = sqlx::query_as!(
        Count,
        r#"select case when silent_since is null then state else 'silent' end as "word!", '' as "severity!",
             count(*) as "count!"
           from workers group by 1"#,
    );
    Ok(rows.fetch_all(conn).await?)
}

/// Sources by condition.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn sources(conn: &mut PgConnection) -> Result<Vec<Count>, StoreError> {
    let rows = sqlx::query_as!(
        Count,
        r#"select condition as word, '' as "severity!", count(*) as "count!"
           from sources where removed_at is null group by condition"#,
    );
    Ok(rows.fetch_all(conn).await?)
}

/// For how many seconds workers were away in the last day, all together.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn downtime_of_a_day(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<f64, StoreError> {
    let seconds = sqlx::query_scalar!(
        r#"select coalesce(sum(extract(epoch from
             least(coalesce(until, $1), $1) - greatest(since, $2))), 0)::float8 as "seconds!"
           from worker_downtimes where (until is null or until > $2) and since < $1"#,
        now,
        now - TimeDelta::days(1),
    );
    Ok(seconds.fetch_one(conn).await?)
}

/// Notifications that wait for channels.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn notifications_waiting(conn: &mut PgConnection) -> Result<i64, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from notifications
           where sent_at is null and coalesce(not_before, '-infinity') <= now()"#
    );
    Ok(count.fetch_one(conn).await?)
}
