//! What is to be posted, by whom, and what came of it.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertChange, AlertSubject, NewAlertRule};
use dlo_domain::channel::ChannelKind;
use dlo_domain::ids::{AlertId, ChannelId, GroupId, SourceId};
use dlo_domain::notice::Notice;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::config::Secret;
use crate::store::StoreError;
use crate::store::alerts::open::severity;

/// By then it is known what came of a message and of its shorter form, or the office that posted it is gone.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// Notifications of one message.
const MOST_AT_ONCE: i64 = 2_000;

/// A channel that something is posted to now, by nobody else.
#[derive(Debug)]
pub struct Taken {
    /// The channel.
    pub id: ChannelId,
    /// What it speaks.
    pub kind: ChannelKind,
    /// Where it is posted.
    pub address: Secret,
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
/// When Postgres does not do it or a row cannot be read.
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
                 and exists (select from notifications n where n.channel_id = c.id and n.sent_at is null)
             order by c.due_at limit $3 for update skip locked)
         returning id, kind, address, failures",
        now,
        now + LEASE,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let taken = rows.into_iter().map(|row| {
        Ok(Taken {
            id: ChannelId(row.id),
            kind: super::kind(&row.kind)?,
            address: Secret::new(&row.address),
            failures: row.failures,
        })
    });
    taken.collect()
}

/// The address of a channel, and what it speaks.
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn address(
    conn: &mut PgConnection,
    id: ChannelId,
) -> Result<Option<(ChannelKind, Secret)>, StoreError> {
    let row = sqlx::query!(
        "select kind, address from channels where id = $1 and removed_at is null",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| Ok((super::kind(&row.kind)?, Secret::new(&row.address)))).transpose()
}

/// What waits for a channel: of each alert the last that happened.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn batch(conn: &mut PgConnection, channel: ChannelId) -> Result<Batch, StoreError> {
    let rows = sqlx::query!(
        r#"select n.id, n.alert_id, n.change, n.severity, n.figure, n.at, a.key, a.name, a.source_id, a.group_id,
             a.broker, a.vhost, a.queue, a.since, r.built_in, r.rule as "rule: Json<NewAlertRule>"
           from notifications n
           join alerts a on a.id = n.alert_id
           join alert_rules r on r.id = a.rule_id
           where n.channel_id = $1 and n.sent_at is null
           order by n.id limit $2"#,
        channel.0,
        MOST_AT_ONCE,
    )
    .fetch_all(conn)
    .await?;
    let mut ids = Vec::with_capacity(rows.len());
    let mut last: HashMap<AlertId, Notice> = HashMap::new();
    for row in rows {
        ids.push(row.id);
        let rule = row.rule.0;
        let notice = Notice {
            alert: AlertId(row.alert_id),
            change: change(&row.change)?,
            at: row.at,
            rule_name: rule.name,
            built_in: row.built_in.and_then(|word| word.parse().ok()),
            signal: rule.signal,
            limit: rule.limit,
            severity: severity("notifications.severity", &row.severity)?,
            subject: AlertSubject {
                key: row.key,
                name: row.name,
                source: row.source_id.map(SourceId),
                group: row.group_id.map(GroupId),
                broker: row.broker,
                vhost: row.vhost,
                queue: row.queue,
            },
            figure: row.figure,
            since: row.since,
            facts: Vec::new(),
            buttons: Vec::new(),
        };
        last.insert(notice.alert, notice);
    }
    let mut notices: Vec<Notice> = last.into_values().collect();
    let is_over = |notice: &Notice| notice.change == AlertChange::Resolved;
    notices.sort_by_key(|notice| (is_over(notice), notice.severity, notice.at, notice.alert));
    Ok(Batch { ids, notices })
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
/// When Postgres does not do it.
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
/// When Postgres does not do it.
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
