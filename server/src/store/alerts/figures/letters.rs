//! Letters as they arrive, wait, and are given up.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertSubject, Arrivals, Measure};
use dlo_domain::ids::AlertCounterId;
use sqlx::PgConnection;

use super::{Figure, MOST_COUNTED, seconds};
use crate::store::StoreError;
use crate::store::alerts::open::severity;

/// Dead letters that arrived in a window, of all letters or of those that a rule counts.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn dead_letters(
    conn: &mut PgConnection,
    counter: Option<AlertCounterId>,
    measure: Measure,
    minutes: u32,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    // The minute that has begun is not over, so the one before it counts, too.
    let since = now - TimeDelta::minutes(i64::from(minutes) + 1);
    let all = arrivals(conn, since, now).await?;
    let Some(counter) = counter else { return Ok(measure.of(all, all.sum)) };
    let these = sqlx::query_as!(
        Arrivals,
        r#"select coalesce(sum(arrivals), 0)::bigint as "sum!", coalesce(max(arrivals), 0)::bigint as "worst!"
           from (select minute, sum(arrivals) as arrivals from alert_arrivals
                 where counter_id = $1 and minute > $2 and minute <= $3 group by minute) as minutes"#,
        counter.0,
        since,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(measure.of(these, all.sum))
}

async fn arrivals(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Arrivals, StoreError> {
    let all = sqlx::query_as!(
        Arrivals,
        r#"select coalesce(sum(arrivals), 0)::bigint as "sum!", coalesce(max(arrivals), 0)::bigint as "worst!"
           from (select minute, sum(arrivals) as arrivals from death_counts
                 where minute > $1 and minute <= $2 group by minute) as minutes"#,
        since,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(all)
}

/// For how many seconds the letter has waited that a rule asks for and that has done so for the longest; 0 when
/// none does.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn oldest_letter(
    conn: &mut PgConnection,
    counter: AlertCounterId,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let since = sqlx::query_scalar!(
        r#"select min(since) from alert_waiting where counter_id = $1 and since is not null"#,
        counter.0,
    )
    .fetch_one(conn)
    .await?;
    Ok(since.map_or(0, |since| seconds(since, now)))
}

/// Letters that their retry policy gave up and that wait, by policy and severity: of the thousand that came
/// last.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn retries_exhausted(conn: &mut PgConnection) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query!(
        r#"with newest as (
             select exhausted_by, severity, state from letters
             where exhausted_at is not null order by last_arrived_at desc, id desc limit $1)
           select n.exhausted_by, n.severity, count(*) as "letters!", p.policy ->> 'name' as name
           from newest n left join retry_policies p on p.id = n.exhausted_by
           where n.state = 'held'
           group by n.exhausted_by, n.severity, p.policy ->> 'name'"#,
        MOST_COUNTED,
    )
    .fetch_all(conn)
    .await?;
    let figures = rows.into_iter().map(|row| {
        let severity = severity("letters.severity", &row.severity)?;
        let policy = row.exhausted_by.map(|id| id.to_string()).unwrap_or_default();
        Ok(Figure {
            subject: AlertSubject {
                key: format!("{policy} {severity}"),
                name: row.name.unwrap_or_default(),
                ..AlertSubject::default()
            },
            figure: Some(row.letters),
            severity: Some(severity),
        })
    });
    figures.collect()
}
