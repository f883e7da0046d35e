//! What is to be posted, by whom, and what came of it.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertChange, AlertSubject, NewAlertRule};
use dlo_domain::channel::ChannelKind;
use dlo_domain::ids::{AlertId, AlertRuleId, ChannelId, GroupId, SourceId};
use dlo_domain::notice::Notice;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::config::Secret;
use crate::store::StoreError;
use crate::store::alerts::open::severity;

/// By then it is known what came of a message and of its shorter form, or the office that posted it is gone.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// Notifications of one message.
const MOST_AT_ONCE: i64 = 2_000;

/// Where is posted, and how.
#[derive(Debug)]
pub struct Endpoint {
    /// What it speaks.
    pub kind: ChannelKind,
    /// Where it is posted.
    pub address: Secret,
    /// What a webhook's messages are signed with: one secret, or two after a change.
    pub secrets: Vec<Secret>,
}

/// A channel that something is posted to now, by nobody else.
#[derive(Debug)]
pub struct Taken {
    /// The channel.
    pub id: ChannelId,
    /// Where is posted.
    pub endpoint: Endpoint,
    /// How often it failed in a row.
    pub failures: i32,
}

/// What is posted.
#[derive(Debug)]
pub struct Batch {
    /// The notifications that it tells.
    pub ids: Vec<i64>,
    /// What is told of each alert, the worst first.
    pub notices: Vec<Notice>,
}

/// Takes channels that have something to be told, and that it is time for.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn take(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Taken>, StoreError> {
    let rows = sqlx::query!(
        "update channels set taken_until = $2 where id in (
             select c.id from channels c
             where c.enabled and c.removed_at is null and c.due_at <= $1
                 and coalesce(c.taken_until, '-infinity') <= $1
                 and exists (select from notifications n where n.channel_id = c.id and n.sent_at is null
                     and coalesce(n.not_before, '-infinity') <= $1)
             order by c.due_at limit $3 for update skip locked)
         returning id, kind, address, failures, secret,
             case when previous_until > $1 then previous_secret end as previous",
        now,
        now + LEASE,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let taken = rows.into_iter().map(|row| {
        Ok(Taken {
            id: ChannelId(row.id),
            endpoint: endpoint(&row.kind, &row.address, [row.secret, row.previous])?,
            failures: row.failures,
        })
    });
    taken.collect()
}

fn endpoint(
    kind: &str,
    address: &str,
    secrets: [Option<String>; 2],
) -> Result<Endpoint, StoreError> {
    let secrets = secrets.into_iter().flatten().map(|secret| Secret::new(&secret)).collect();
    Ok(Endpoint { kind: super::kind(kind)?, address: Secret::new(address), secrets })
}

/// Where is posted for a channel; nothing when there is none.
///
/// # Errors
/// Returns an error if a query fails or the row cannot be read.
pub async fn endpoint_of(
    conn: &mut PgConnection,
    id: ChannelId,
    now: DateTime<Utc>,
) -> Result<Option<Endpoint>, StoreError> {
    let row = sqlx::query!(
        "select kind, address, secret, case when previous_until > $2 then previous_secret end as previous
         from channels where id = $1 and removed_at is null",
        id.0,
        now,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| endpoint(&row.kind, &row.address, [row.secret, row.previous])).transpose()
}

/// What waits for a channel: of each alert the last that happened. What waits for its digest is told with what is
/// told now of the same alert.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn batch(
    conn: &mut PgConnection,
    channel: ChannelId,
    now: DateTime<Utc>,
) -> Result<Batch, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select n.id, n.alert_id, n.change, n.severity, n.figure, n.at, a.key, a.name, a.source_id, a.group_id,
             a.broker, a.vhost, a.queue, a.since, a.rule_id, r.built_in, r.rule as "rule: Json<NewAlertRule>"
           from notifications n
           join alerts a on a.id = n.alert_id
           join alert_rules r on r.id = a.rule_id
           where n.channel_id = $1 and n.sent_at is null
             and (coalesce(n.not_before, '-infinity') <= $3 or exists (
                 select from notifications due where due.alert_id = n.alert_id and due.channel_id = $1
                     and due.sent_at is null and coalesce(due.not_before, '-infinity') <= $3))
           order by n.id limit $2"#,
        channel.0,
        MOST_AT_ONCE,
        now,
    )
    .fetch_all(conn)
    .await?;
    let mut ids = Vec::with_capacity(rows.len());
    let mut last: HashMap<AlertId, Notice> = HashMap::new();
    for row in rows {
        ids.push(row.id);
        let notice = row.read()?;
        last.insert(notice.alert, notice);
    }
    let mut notices: Vec<Notice> = last.into_values().collect();
    let is_over = |notice: &Notice| notice.change.is_end();
    notices.sort_by_key(|notice| (is_over(notice), notice.severity, notice.at, notice.alert));
    Ok(Batch { ids, notices })
}

/// What was to be told last to any channel, of an alert that fired; nothing when nothing was.
///
/// # Errors
/// Returns an error if a query fails or the row cannot be read.
pub async fn last(conn: &mut PgConnection) -> Result<Option<Notice>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select n.id, n.alert_id, n.change, n.severity, n.figure, n.at, a.key, a.name, a.source_id, a.group_id,
             a.broker, a.vhost, a.queue, a.since, a.rule_id, r.built_in, r.rule as "rule: Json<NewAlertRule>"
           from (select * from notifications order by id desc limit 50) n
           join alerts a on a.id = n.alert_id
           join alert_rules r on r.id = a.rule_id
           order by n.change in ('resolved', 'unwatched'), n.id desc limit 1"#,
    )
    .fetch_optional(conn)
    .await?;
    row.map(Row::read).transpose()
}

/// A notification with its alert and its rule.
struct Row {
    id: i64,
    alert_id: Uuid,
    change: String,
    severity: String,
    figure: i64,
    at: DateTime<Utc>,
    key: String,
    name: String,
    source_id: Option<Uuid>,
    group_id: Option<Uuid>,
    broker: Option<String>,
    vhost: Option<String>,
    queue: Option<String>,
    since: DateTime<Utc>,
    rule_id: Uuid,
    built_in: Option<String>,
    rule: Json<NewAlertRule>,
}

impl Row {
    fn read(self) -> Result<Notice, StoreError> {
        let rule = self.rule.0;
        Ok(Notice {
            alert: AlertId(self.alert_id),
            change: change(&self.change)?,
            at: self.at,
            rule_name: rule.name,
            rule: AlertRuleId(self.rule_id),
            built_in: self.built_in.and_then(|word| word.parse().ok()),
            signal: rule.signal,
            limit: rule.limit,
            severity: severity("notifications.severity", &self.severity)?,
            subject: AlertSubject {
                key: self.key,
                name: self.name,
                source: self.source_id.map(SourceId),
                group: self.group_id.map(GroupId),
                broker: self.broker,
                vhost: self.vhost,
                queue: self.queue,
            },
            figure: self.figure,
            since: self.since,
            facts: Vec::new(),
            buttons: Vec::new(),
        })
    }
}

/// The change that a column names.
pub(in crate::store) fn change(word: &str) -> Result<AlertChange, StoreError> {
    let mut all = AlertChange::ALL.into_iter();
    all.find(|change| change.as_str() == word)
        .ok_or_else(|| StoreError::corrupt("notifications", "change", format!("`{word}` is none")))
}

/// A channel took a message; it is to be told nothing more until `due_at`.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn sent(
    conn: &mut PgConnection,
    channel: ChannelId,
    ids: &[i64],
    (now, due_at): (DateTime<Utc>, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!("update notifications set sent_at = $2 where id = any($1)", ids, now)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "update channels set due_at = $3, taken_until = null, failures = 0, failing_since = null,
             last_answer = null, last_sent_at = $2
         where id = $1",
        channel.0,
        now,
        due_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A channel did not take a message, and said why. It is tried again at `due_at`.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn failed(
    conn: &mut PgConnection,
    channel: ChannelId,
    answer: &str,
    (now, due_at): (DateTime<Utc>, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!(
        "update channels set due_at = $3, taken_until = null, failures = failures + 1,
             failing_since = coalesce(failing_since, $2), last_answer = $4
         where id = $1",
        channel.0,
        now,
        due_at,
        answer,
    )
    .execute(conn)
    .await?;
    Ok(())
}
