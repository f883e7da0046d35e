//! Sources, and the brokers and channels that must answer.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::AlertSubject;
use dlo_domain::ids::SourceId;
use dlo_domain::source::SourceCondition;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Figure, MOST_THINGS, seconds};
use crate::store::StoreError;

/// A depth that was seen longer ago than this is not known any more.
const DEPTH_WITHIN: TimeDelta = TimeDelta::minutes(15);

/// A source, and its figure.
struct SourceFigure {
    id: Uuid,
    name: String,
    broker: String,
    vhost: String,
    queue: String,
    figure: i64,
}

impl From<SourceFigure> for Figure {
    fn from(source: SourceFigure) -> Self {
        Self {
            subject: AlertSubject {
                key: source.id.to_string(),
                name: source.name,
                source: Some(SourceId(source.id)),
                group: None,
                broker: Some(source.broker),
                vhost: Some(source.vhost),
                queue: Some(source.queue),
            },
            figure: Some(source.figure),
            severity: None,
        }
    }
}

/// What waits of each source: letters here, and messages in its queue as its broker's queues were read last.
/// Where letters are copies of messages that stay in the queue, the larger of both.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn depths(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query_as!(
        SourceFigure,
        r#"with held as (
             select source_id, sum(letters)::bigint as letters from letter_counts
             where state = 'held' group by source_id),
           seen as (
             select distinct on (broker, vhost, queue) broker, vhost, queue, waiting from queue_depths
             where slot > $1 order by broker, vhost, queue, slot desc)
           select s.id, s.name, s.broker, s.vhost, s.queue,
             case when s.mode = 'mirror'
               then greatest(coalesce(held.letters, 0), coalesce(seen.waiting, 0))
               else coalesce(held.letters, 0) + coalesce(seen.waiting, 0) end as "figure!"
           from sources s
           left join held on held.source_id = s.id
           left join seen on seen.broker = s.broker and seen.vhost = s.vhost and seen.queue = s.queue
           where s.removed_at is null
           order by 6 desc, s.id
           limit $2"#,
        now - DEPTH_WITHIN,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Figure::from).collect())
}

/// For how many seconds sources have been in one of these conditions.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn sources_in(
    conn: &mut PgConnection,
    conditions: &[SourceCondition],
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let words: Vec<String> = conditions.iter().map(|one| one.as_str().to_owned()).collect();
    let rows = sqlx::query_as!(
        SourceFigure,
        r#"select id, name, broker, vhost, queue,
             greatest(floor(extract(epoch from $3::timestamptz - condition_since)), 0)::bigint as "figure!"
           from sources
           where removed_at is null and condition = any($1)
           order by condition_since, id limit $2"#,
        &words,
        MOST_THINGS,
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Figure::from).collect())
}

/// For how many seconds brokers of sources have not answered.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn brokers_away(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query!(
        r#"select broker, min(condition_since) as "since!" from sources
           where removed_at is null and condition = $1 group by broker order by 2 limit $2"#,
        SourceCondition::BrokerAway.as_str(),
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    let figures = rows.into_iter().map(|row| Figure {
        subject: AlertSubject {
            key: row.broker.clone(),
            name: row.broker.clone(),
            broker: Some(row.broker),
            ..AlertSubject::default()
        },
        figure: Some(seconds(row.since, now)),
        severity: None,
    });
    Ok(figures.collect())
}

/// For how many seconds channels have taken nothing.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn failing_channels(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, name, failing_since as "since!" from channels
           where enabled and removed_at is null and failing_since is not null limit $1"#,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    let figures = rows.into_iter().map(|row| Figure {
        subject: AlertSubject {
            key: row.id.to_string(),
            name: row.name,
            ..AlertSubject::default()
        },
        figure: Some(seconds(row.since, now)),
        severity: None,
    });
    Ok(figures.collect())
}
