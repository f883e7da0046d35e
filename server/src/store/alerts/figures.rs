//! The figures that alert rules watch. All are read from what is maintained anyway: counters, short lists,
//! and indexes that hold only what is not well. Letters are never counted.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertSubject, Measure};
use dlo_domain::ids::{GroupId, SourceId};
use dlo_domain::severity::Severity;
use dlo_domain::source::SourceCondition;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Things of one rule, at most: of a storm that is larger the worst are told.
pub const MOST_THINGS: i64 = 5_000;

/// Executions, and exhausted letters, that are counted at most.
const MOST_COUNTED: i64 = 1_000;

/// A depth that was seen longer ago than this is not known any more.
const DEPTH_WITHIN: TimeDelta = TimeDelta::minutes(15);

/// A figure of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The thing.
    pub subject: AlertSubject,
    /// The figure.
    pub figure: i64,
    /// How bad the letters are that it is about.
    pub severity: Option<Severity>,
}

impl Figure {
    fn of_all(figure: i64) -> Vec<Self> {
        vec![Self { subject: AlertSubject::default(), figure, severity: None }]
    }
}

/// Dead letters that arrived, in the minutes up to now.
///
/// # Errors
/// When Postgres does not do it.
pub async fn dead_letters(
    conn: &mut PgConnection,
    measure: Measure,
    minutes: u32,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    // The minute that has begun is not over, so the one before it counts, too.
    let since = now - TimeDelta::minutes(i64::from(minutes) + 1);
    let row = sqlx::query!(
        r#"select coalesce(sum(arrivals), 0)::bigint as "sum!", coalesce(max(arrivals), 0)::bigint as "worst!"
           from (select minute, sum(arrivals) as arrivals from death_counts
                 where minute > $1 and minute <= $2 group by minute) as minutes"#,
        since,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Figure::of_all(match measure {
        Measure::Count => row.sum,
        Measure::Rate => row.worst,
    }))
}

/// Executions that were failed because of time, in the worse of this minute and the one before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn execution_timeouts(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let worst = sqlx::query_scalar!(
        r#"select coalesce(max(timeouts), 0)::bigint as "worst!"
           from (select minute, sum(timeouts) as timeouts from execution_minutes
                 where minute > $1 and minute <= $2 group by minute) as minutes"#,
        now - TimeDelta::minutes(2),
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Figure::of_all(worst))
}

/// Workers that are heard; nothing while none is known.
///
/// # Errors
/// When Postgres does not do it.
pub async fn active_workers(conn: &mut PgConnection) -> Result<Vec<Figure>, StoreError> {
    let row = sqlx::query!(
        r#"select count(*) filter (where state = 'active' and silent_since is null) as "active!",
             count(*) as "known!"
           from workers"#,
    )
    .fetch_one(conn)
    .await?;
    Ok(if row.known == 0 { Vec::new() } else { Figure::of_all(row.active) })
}

/// Executions that are scheduled since before a time, up to a thousand and one.
///
/// # Errors
/// When Postgres does not do it.
pub async fn stuck_executions(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let stuck = sqlx::query_scalar!(
        r#"select count(*) as "stuck!" from (
             select from executions where state = 'scheduled' and state_since < $1 limit $2) as these"#,
        before,
        MOST_COUNTED + 1,
    )
    .fetch_one(conn)
    .await?;
    Ok(Figure::of_all(stuck))
}

/// What waits of each source: letters here, and messages in its queue as its broker's queues were read last.
/// Where letters are copies of messages that stay in the queue, the larger of both.
///
/// # Errors
/// When Postgres does not do it.
pub async fn depths(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query!(
        r#"with held as (
             select source_id, sum(letters)::bigint as letters from letter_counts
             where state = 'held' group by source_id),
           seen as (
             select distinct on (broker, vhost, queue) broker, vhost, queue, depth from queue_depths
             where slot > $1 order by broker, vhost, queue, slot desc)
           select s.id, s.name, s.broker, s.vhost, s.queue,
             case when s.mode = 'mirror'
               then greatest(coalesce(held.letters, 0), coalesce(seen.depth, 0))
               else coalesce(held.letters, 0) + coalesce(seen.depth, 0) end as "depth!"
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
    let figures = rows.into_iter().map(|row| Figure {
        subject: AlertSubject {
            key: row.id.to_string(),
            name: row.name,
            source: Some(SourceId(row.id)),
            group: None,
            broker: Some(row.broker),
            vhost: Some(row.vhost),
            queue: Some(row.queue),
        },
        figure: row.depth,
        severity: None,
    });
    Ok(figures.collect())
}

/// For how many seconds sources have been in one of these conditions.
///
/// # Errors
/// When Postgres does not do it.
pub async fn sources_in(
    conn: &mut PgConnection,
    conditions: &[SourceCondition],
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let words: Vec<String> = conditions.iter().map(|one| one.as_str().to_owned()).collect();
    let rows = sqlx::query!(
        "select id, name, broker, vhost, queue, condition_since from sources
         where removed_at is null and condition = any($1)
         order by condition_since, id limit $2",
        &words,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    let figures = rows.into_iter().map(|row| Figure {
        subject: AlertSubject {
            key: row.id.to_string(),
            name: row.name,
            source: Some(SourceId(row.id)),
            group: None,
            broker: Some(row.broker),
            vhost: Some(row.vhost),
            queue: Some(row.queue),
        },
        figure: seconds(row.condition_since, now),
        severity: None,
    });
    Ok(figures.collect())
}

/// For how many seconds brokers of sources have not answered.
///
/// # Errors
/// When Postgres does not do it.
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
        figure: seconds(row.since, now),
        severity: None,
    });
    Ok(figures.collect())
}

/// For how many seconds channels have taken nothing.
///
/// # Errors
/// When Postgres does not do it.
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
        figure: seconds(row.since, now),
        severity: None,
    });
    Ok(figures.collect())
}

/// For how many seconds queues have had no consumer, of those that are held to be idle after `patience`.
///
/// # Errors
/// When Postgres does not do it.
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
        figure: seconds(row.first_seen_at, now) + patience.num_seconds() + 1,
        severity: None,
    });
    Ok(figures.collect())
}

/// Letters that their retry policy gave up and that wait, by policy and severity: of the thousand that came
/// last.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
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
        let severity = super::open::severity("letters.severity", &row.severity)?;
        let policy = row.exhausted_by.map(|id| id.to_string()).unwrap_or_default();
        Ok(Figure {
            subject: AlertSubject {
                key: format!("{policy} {severity}"),
                name: row.name.unwrap_or_default(),
                ..AlertSubject::default()
            },
            figure: row.letters,
            severity: Some(severity),
        })
    });
    figures.collect()
}

/// Letters that wait of groups that came up after `since`, those with the greatest impact.
///
/// # Errors
/// When Postgres does not do it.
pub async fn new_groups(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query_as!(
        GroupRow,
        "select g.id, g.title, t.waiting, t.critical, t.high, t.normal
         from groups g join group_totals t on t.group_id = g.id
         where g.state in ('open', 'investigating') and g.merged_into is null and g.created_at > $1
             and t.waiting > 0
         order by t.impact desc, g.id limit $2",
        since,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Figure::from).collect())
}

/// Letters that wait of groups that came back after they were resolved, those with the greatest impact.
///
/// # Errors
/// When Postgres does not do it.
pub async fn regressed_groups(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let rows = sqlx::query_as!(
        GroupRow,
        "select g.id, g.title, t.waiting, t.critical, t.high, t.normal
         from groups g join group_totals t on t.group_id = g.id
         where g.state = 'regressed' and g.merged_into is null and g.state_since > $1 and t.waiting > 0
         order by t.impact desc, g.id limit $2",
        since,
        MOST_THINGS,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Figure::from).collect())
}

struct GroupRow {
    id: uuid::Uuid,
    title: String,
    waiting: i64,
    critical: i64,
    high: i64,
    normal: i64,
}

impl From<GroupRow> for Figure {
    fn from(row: GroupRow) -> Self {
        let worst = [(row.critical, Severity::Critical), (row.high, Severity::High)];
        let worst = worst.into_iter().find(|(letters, _)| *letters > 0);
        let rest = if row.normal > 0 { Severity::Normal } else { Severity::Low };
        Self {
            subject: AlertSubject {
                key: row.id.to_string(),
                name: row.title,
                group: Some(GroupId(row.id)),
                ..AlertSubject::default()
            },
            figure: row.waiting,
            severity: Some(worst.map_or(rest, |(_, severity)| severity)),
        }
    }
}

fn seconds(since: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    (now - since).num_seconds().max(0)
}
