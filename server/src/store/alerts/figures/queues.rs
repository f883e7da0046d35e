//! Queues of brokers.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::AlertSubject;
use sqlx::PgConnection;

use super::{Figure, MOST_THINGS, seconds};
use crate::store::StoreError;

/// For how many seconds queues have had no consumer, of those that are held to be idle after `patience`.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn queues_without_consumer(
    conn: &mut PgConnection,
    patience: TimeDelta,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query!(
        "select broker, vhost, subject, first_seen_at from topology_findings
         where resolved_at is null and kind = 'no_consumer' and coalesce(muted_until, '-infinity') <= $1
         order by first_seen_at, id limit $2",
        now,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    let figures = rows.into_iter().map(|row| Figure {
        subject: AlertSubject {
            key: format!("{}\n{}\n{}", row.broker, row.vhost, row.subject),
            name: row.subject.clone(),
            broker: Some(row.broker),
            vhost: Some(row.vhost),
            queue: Some(row.subject),
            ..AlertSubject::default()
        },
        // It was found when it had been without one for so long already; the limit itself is passed then.
        figure: Some(seconds(row.first_seen_at, now) + patience.num_seconds() + 1),
        severity: None,
    });
    Ok(figures.collect())
}
