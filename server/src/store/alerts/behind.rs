//! What is behind an alert, for whoever is told of it.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::{AlertRuleId, GroupId, LetterId, SourceId};
use dlo_domain::notice::{Surroundings, Worked};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// The letter of a group that arrived last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastLetter {
    /// Its id.
    pub id: Uuid,
    /// What went wrong.
    pub error: Option<String>,
    /// The queue that it died in.
    pub queue: Option<String>,
    /// The broker of its source.
    pub broker: String,
    /// The vhost of its source.
    pub vhost: String,
    /// When it arrived.
    pub arrived_at: DateTime<Utc>,
    /// How often it has arrived.
    pub arrivals: i32,
}

/// The letter of a group that arrived last, of those that wait; nothing when none does.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn last_of_group(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<LastLetter>, StoreError> {
    // Of each signature the newest, by its index; groups of more signatures are told by some of them.
    let last = sqlx::query_as!(
        LastLetter,
        "select l.id, l.error_message as error, l.queue, src.broker, src.vhost, l.last_arrived_at as arrived_at, l.arrivals
         from (select id from signatures where group_id = $1 limit 100) s
         cross join lateral (
             select id, error_message, queue, last_arrived_at, source_id, arrivals from letters
             where signature = s.id order by last_arrived_at desc, id desc limit 1) l
         join sources src on src.id = l.source_id
         order by l.last_arrived_at desc limit 1",
        group.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(last)
}

/// The letter that a retry policy gave up and that arrived last, of those that wait.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn last_exhausted(
    conn: &mut PgConnection,
    policy: Uuid,
    severity: &str,
) -> Result<Option<LastLetter>, StoreError> {
    let last = sqlx::query_as!(
        LastLetter,
        "select l.id, l.error_message as error, l.queue, src.broker, src.vhost, l.last_arrived_at as arrived_at, l.arrivals
         from letters l join sources src on src.id = l.source_id
         where l.exhausted_at is not null and l.exhausted_by = $1 and l.severity = $2 and l.state = 'held'
         order by l.last_arrived_at desc, l.id desc limit 1",
        policy,
        severity,
    )
    .fetch_optional(conn)
    .await?;
    Ok(last)
}

/// The letter that a rule counted last.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn last_counted(
    conn: &mut PgConnection,
    rule: AlertRuleId,
) -> Result<Option<LetterId>, StoreError> {
    let letter = sqlx::query_scalar!(
        "select a.last_letter from alert_arrivals a join alert_rules r on r.counter_id = a.counter_id
         where r.id = $1 order by a.minute desc limit 1",
        rule.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(letter.map(LetterId))
}

/// The letter that has waited for the longest, of those that a rule measures.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn oldest_waiting(
    conn: &mut PgConnection,
    rule: AlertRuleId,
) -> Result<Option<LetterId>, StoreError> {
    let letter = sqlx::query_scalar!(
        "select w.letter_id from alert_waiting w join alert_rules r on r.counter_id = w.counter_id
         where r.id = $1 and w.since is not null order by w.since limit 1",
        rule.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(letter.map(LetterId))
}

/// One letter; `None` if it is there no more.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn letter(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Option<LastLetter>, StoreError> {
    let letter = sqlx::query_as!(
        LastLetter,
        "select l.id, l.error_message as error, l.queue, src.broker, src.vhost, l.last_arrived_at as arrived_at, l.arrivals
         from letters l join sources src on src.id = l.source_id where l.id = $1",
        letter.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(letter)
}

/// What is known around the queue that a letter died in.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn surroundings(
    conn: &mut PgConnection,
    (broker, vhost, queue): (&str, &str, &str),
    now: DateTime<Utc>,
) -> Result<Surroundings, StoreError> {
    let findings = sqlx::query!(
        "(select first_seen_at, resolved_at from topology_findings
          where broker = $1 and vhost = $2 and kind = 'no_consumer' and subject = $3 and resolved_at is null
          limit 1)
         union all
         (select first_seen_at, resolved_at from topology_findings
          where resolved_at > $4 and broker = $1 and vhost = $2 and kind = 'no_consumer' and subject = $3
          order by resolved_at desc limit 1)",
        broker,
        vhost,
        queue,
        now - TimeDelta::days(1),
    )
    .fetch_all(&mut *conn)
    .await?;
    let open = findings.iter().find(|one| one.resolved_at.is_none());
    let gone = findings.iter().find_map(|one| one.resolved_at);
    let silent = sqlx::query!(
        r#"select name, silent_since as "since!" from workers
           where queue = $1 and silent_since is not null order by silent_since, name limit 50"#,
        queue,
    )
    .fetch_all(conn)
    .await?;
    Ok(Surroundings {
        queue: Some(queue.to_owned()),
        idle_since: open.and_then(|one| one.first_seen_at),
        consumed_since: gone.filter(|_| open.is_none()),
        silent: silent.into_iter().map(|row| (row.name, row.since)).collect(),
        ..Surroundings::default()
    })
}

/// The last replay from which letters of a group did not come back, of the group's newest letters.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn worked_for(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<Worked>, StoreError> {
    let worked = sqlx::query_as!(
        Worked,
        r#"with newest as (
             select l.id from (select id from signatures where group_id = $1 limit 20) s
             cross join lateral (
                 select id from letters where signature = s.id order by last_arrived_at desc, id desc limit 20) l)
           select r.created_at as at, r.created_by as by, r.processed + r.settled as "well!", r.died_again as again
           from newest n join replay_items i on i.letter_id = n.id join replays r on r.id = i.replay_id
           where i.outcome in ('processed', 'settled')
           order by r.created_at desc limit 1"#,
        group.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(worked)
}

/// Workers that are silent, those that fell silent last in front, up to fifty.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn silent_workers(
    conn: &mut PgConnection,
) -> Result<Vec<(String, DateTime<Utc>)>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, silent_since as "since!" from workers
           where silent_since is not null order by silent_since desc, name limit 50"#,
    );
    Ok(rows.fetch_all(conn).await?.into_iter().map(|row| (row.name, row.since)).collect())
}

/// What is said of the condition of a source.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn condition_of(
    conn: &mut PgConnection,
    source: SourceId,
) -> Result<Option<String>, StoreError> {
    let detail =
        sqlx::query_scalar!("select condition_detail from sources where id = $1", source.0)
            .fetch_optional(conn)
            .await?;
    Ok(detail.flatten())
}
