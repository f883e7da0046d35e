//! Alerts as pages and programs read them: what is open, worst first, and what is over, newest first.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{Alert, AlertSubject, BuiltIn};
use dlo_domain::ids::{AlertId, AlertRuleId, GroupId, SourceId};
use dlo_domain::page::{Cursor, Total};
use sqlx::PgConnection;
use uuid::Uuid;

use super::open::{severity, state};
use crate::store::StoreError;

/// Alerts that are over are counted up to here.
const MOST_COUNTED: i64 = 10_000;

struct Row {
    id: Uuid,
    rule_id: Uuid,
    built_in: Option<String>,
    rule_name: Option<String>,
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

impl TryFrom<Row> for Alert {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: AlertId(row.id),
            rule: AlertRuleId(row.rule_id),
            rule_name: row.rule_name.unwrap_or_default(),
            // A rule that only a newer office knows is one that has no name here.
            built_in: row.built_in.and_then(|word| word.parse::<BuiltIn>().ok()),
            subject: AlertSubject {
                key: row.key,
                name: row.name,
                source: row.source_id.map(SourceId),
                group: row.group_id.map(GroupId),
                broker: row.broker,
                vhost: row.vhost,
                queue: row.queue,
            },
            state: state(&row.state)?,
            severity: severity("severity", &row.severity)?,
            figure: row.figure,
            worst: row.worst,
            since: row.since,
            fired_at: row.fired_at,
            told_at: row.told_at,
            muted_until_above: row.muted_until_above,
            acknowledged_by: row.acknowledged_by,
            acknowledged_at: row.acknowledged_at,
            resolved_at: row.resolved_at,
        })
    }
}

/// At most so many that are open, those that are pending among them: the worst first, then the newest.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn open(conn: &mut PgConnection, limit: i64) -> Result<Vec<Alert>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        "select a.id, a.rule_id, r.built_in, r.rule ->> 'name' as rule_name, a.key, a.name, a.source_id,
             a.group_id, a.broker, a.vhost, a.queue, a.state, a.severity, a.figure, a.worst, a.since,
             a.fired_at, a.told_at, a.muted_until_above, a.acknowledged_by, a.acknowledged_at, a.resolved_at
         from alerts a join alert_rules r on r.id = a.rule_id
         where a.resolved_at is null
         order by array_position(array['critical', 'high', 'normal', 'low'], a.severity), a.since desc, a.id
         limit $1",
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Alert::try_from).collect()
}

/// At most so many that are over, after the cursor, the last that ended first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn over(
    conn: &mut PgConnection,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Alert>, StoreError> {
    let (at, id) = after.map_or((None, None), |cursor| (Some(cursor.at), Some(cursor.id)));
    let rows = sqlx::query_as!(
        Row,
        "select a.id, a.rule_id, r.built_in, r.rule ->> 'name' as rule_name, a.key, a.name, a.source_id,
             a.group_id, a.broker, a.vhost, a.queue, a.state, a.severity, a.figure, a.worst, a.since,
             a.fired_at, a.told_at, a.muted_until_above, a.acknowledged_by, a.acknowledged_at, a.resolved_at
         from alerts a join alert_rules r on r.id = a.rule_id
         where a.resolved_at is not null and ($1::timestamptz is null or (a.resolved_at, a.id) < ($1, $2))
         order by a.resolved_at desc, a.id desc
         limit $3",
        at,
        id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Alert::try_from).collect()
}

/// How many are open.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count_open(conn: &mut PgConnection) -> Result<i64, StoreError> {
    let count =
        sqlx::query_scalar!(r#"select count(*) as "count!" from alerts where resolved_at is null"#);
    Ok(count.fetch_one(conn).await?)
}

/// How many are over, as far as they are counted.
///
/// # Errors
/// When Postgres does not do it.
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
