//! Alerts as pages and programs read them: what is open, worst first, and what is over, newest first.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{
    Alert, AlertEvent, AlertEventKind, AlertSubject, AlertTold, BuiltIn, Firing, NewAlertRule,
    Signal, Unit, says,
};
use dlo_domain::ids::{AlertId, AlertRuleId, ChannelId, GroupId, SourceId};
use dlo_domain::page::{Cursor, Total};
use dlo_domain::severity::Severity;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::open::{severity, state};
use crate::store::StoreError;
use crate::store::channels::posting::change;

/// Alerts that are over are counted up to here.
const MOST_COUNTED: i64 = 10_000;

struct Row {
    id: Uuid,
    rule_id: Uuid,
    built_in: Option<String>,
    rule: Json<NewAlertRule>,
    key: String,
    name: String,
    source_id: Option<Uuid>,
    group_id: Option<Uuid>,
    broker: Option<String>,
    vhost: Option<String>,
    queue: Option<String>,
    state: String,
    severity: String,
    figure: i64,
    worst: i64,
    since: DateTime<Utc>,
    fired_at: Option<DateTime<Utc>>,
    told_at: Option<DateTime<Utc>>,
    muted_until_above: Option<i64>,
    acknowledged_by: Option<String>,
    acknowledged_at: Option<DateTime<Utc>>,
    resolved_at: Option<DateTime<Utc>>,
}

impl Row {
    fn read(self, now: DateTime<Utc>) -> Result<Alert, StoreError> {
        let NewAlertRule { name, signal, limit, .. } = self.rule.0;
        let [figure, worst] =
            grown(&signal, limit, [self.figure, self.worst], (self.since, self.resolved_at, now));
        let told = if self.resolved_at.is_some() { worst } else { figure };
        Ok(Alert {
            id: AlertId(self.id),
            rule: AlertRuleId(self.rule_id),
            rule_name: name,
            // A rule that only a newer office knows is one that has no name here.
            built_in: self.built_in.and_then(|word| word.parse::<BuiltIn>().ok()),
            says: says(&signal, limit, told, &self.name),
            signal,
            limit,
            subject: AlertSubject {
                key: self.key,
                name: self.name,
                source: self.source_id.map(SourceId),
                group: self.group_id.map(GroupId),
                broker: self.broker,
                vhost: self.vhost,
                queue: self.queue,
            },
            state: state(&self.state)?,
            severity: severity("severity", &self.severity)?,
            figure,
            worst,
            since: self.since,
            fired_at: self.fired_at,
            told_at: self.told_at,
            muted_until_above: self.muted_until_above,
            acknowledged_by: self.acknowledged_by,
            acknowledged_at: self.acknowledged_at,
            resolved_at: self.resolved_at,
        })
    }
}

/// A figure that is a time grows by itself from its limit on, and is not written again for that.
fn grown(
    signal: &Signal,
    limit: i64,
    figures: [i64; 2],
    (since, until, now): (DateTime<Utc>, Option<DateTime<Utc>>, DateTime<Utc>),
) -> [i64; 2] {
    if signal.unit() != Unit::Seconds {
        return figures;
    }
    let grown = limit + (until.unwrap_or(now) - since).num_seconds();
    figures.map(|figure| figure.max(grown))
}

/// At most so many that are open, those that are pending among them: the worst first, then the newest.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn open(
    conn: &mut PgConnection,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<Alert>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select a.id, a.rule_id, r.built_in, r.rule as "rule: Json<NewAlertRule>", a.key, a.name, a.source_id,
             a.group_id, a.broker, a.vhost, a.queue, a.state, a.severity, a.figure, a.worst, a.since,
             a.fired_at, (select max(n.sent_at) from notifications n where n.alert_id = a.id) as told_at, a.muted_until_above, a.acknowledged_by, a.acknowledged_at, a.resolved_at
         from alerts a join alert_rules r on r.id = a.rule_id
         where a.resolved_at is null
         order by array_position(array['critical', 'high', 'normal', 'low'], a.severity), a.since desc, a.id
         limit $1"#,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| row.read(now)).collect()
}

/// At most so many that are over, after the cursor, the last that ended first.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn over(
    conn: &mut PgConnection,
    after: Option<Cursor>,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<Alert>, StoreError> {
    let (at, id) = after.map_or((None, None), |cursor| (Some(cursor.at), Some(cursor.id)));
    let rows = sqlx::query_as!(
        Row,
        r#"select a.id, a.rule_id, r.built_in, r.rule as "rule: Json<NewAlertRule>", a.key, a.name, a.source_id,
             a.group_id, a.broker, a.vhost, a.queue, a.state, a.severity, a.figure, a.worst, a.since,
             a.fired_at, (select max(n.sent_at) from notifications n where n.alert_id = a.id) as told_at, a.muted_until_above, a.acknowledged_by, a.acknowledged_at, a.resolved_at
         from alerts a join alert_rules r on r.id = a.rule_id
         where a.resolved_at is not null and ($1::timestamptz is null or (a.resolved_at, a.id) < ($1, $2))
         order by a.resolved_at desc, a.id desc
         limit $3"#,
        at,
        id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| row.read(now)).collect()
}

/// One alert; nothing when there is none.
///
/// # Errors
/// Returns an error if a query fails or the row cannot be read.
pub async fn one(
    conn: &mut PgConnection,
    id: AlertId,
    now: DateTime<Utc>,
) -> Result<Option<Alert>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select a.id, a.rule_id, r.built_in, r.rule as "rule: Json<NewAlertRule>", a.key, a.name, a.source_id,
             a.group_id, a.broker, a.vhost, a.queue, a.state, a.severity, a.figure, a.worst, a.since,
             a.fired_at, (select max(n.sent_at) from notifications n where n.alert_id = a.id) as told_at, a.muted_until_above, a.acknowledged_by, a.acknowledged_at, a.resolved_at
         from alerts a join alert_rules r on r.id = a.rule_id where a.id = $1"#,
        id.0,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| row.read(now)).transpose()
}

/// The last things that happened to an alert, at most so many, the first first.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn events(
    conn: &mut PgConnection,
    id: AlertId,
    limit: i64,
) -> Result<Vec<AlertEvent>, StoreError> {
    let mut rows = sqlx::query!(
        "select at, what, actor, severity, figure from alert_events where alert_id = $1
         order by id desc limit $2",
        id.0,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.reverse();
    let events = rows.into_iter().map(|row| {
        let word = row.what.as_str().into_deserializer();
        let what: Result<_, serde::de::value::Error> = AlertEventKind::deserialize(word);
        Ok(AlertEvent {
            at: row.at,
            what: what.map_err(|why| StoreError::corrupt("alert_events", "what", why))?,
            by: row.actor,
            severity: severity("severity", &row.severity)?,
            figure: row.figure,
        })
    });
    events.collect()
}

/// What channels were told of an alert last, or are to be told, at most so much, the first first.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn told(
    conn: &mut PgConnection,
    id: AlertId,
    limit: i64,
) -> Result<Vec<AlertTold>, StoreError> {
    let mut rows = sqlx::query!(
        "select n.channel_id, c.name, n.change, n.at, n.sent_at
         from notifications n join channels c on c.id = n.channel_id
         where n.alert_id = $1 order by n.id desc limit $2",
        id.0,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.reverse();
    let told = rows.into_iter().map(|row| {
        Ok(AlertTold {
            channel: ChannelId(row.channel_id),
            channel_name: row.name,
            change: change(&row.change)?,
            at: row.at,
            sent_at: row.sent_at,
        })
    });
    told.collect()
}

/// How many fire, and how bad the worst is.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn firing(conn: &mut PgConnection) -> Result<Firing, StoreError> {
    let firing = firing_by_severity(conn).await?;
    Ok(Firing {
        count: firing.iter().map(|(_, count)| count).sum(),
        worst: firing.first().map(|(severity, _)| *severity),
    })
}

/// How many fire of each severity that some have, the worst first.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn firing_by_severity(
    conn: &mut PgConnection,
) -> Result<Vec<(Severity, i64)>, StoreError> {
    let rows = sqlx::query!(
        r#"select severity, count(*) as "count!" from alerts
           where resolved_at is null and state = 'firing' group by severity"#,
    )
    .fetch_all(conn)
    .await?;
    let firing = rows.into_iter().map(|row| Ok((severity("severity", &row.severity)?, row.count)));
    let mut firing = firing.collect::<Result<Vec<_>, StoreError>>()?;
    firing.sort();
    Ok(firing)
}

/// How many are open.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn count_open(conn: &mut PgConnection) -> Result<i64, StoreError> {
    let count =
        sqlx::query_scalar!(r#"select count(*) as "count!" from alerts where resolved_at is null"#);
    Ok(count.fetch_one(conn).await?)
}

/// How many are over, as far as they are counted.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn count_over(conn: &mut PgConnection) -> Result<Total, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
             select from alerts where resolved_at is not null limit $1) as these"#,
        MOST_COUNTED,
    )
    .fetch_one(conn)
    .await?;
    Ok(Total { count, is_least: count >= MOST_COUNTED })
}
