//! The alerts that are open, as the evaluation goes on with them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::alert::{AlertChange, AlertState, AlertSubject, Life};
use dlo_domain::ids::{AlertId, AlertRuleId};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;

use crate::store::StoreError;

/// The key of the advisory lock of whoever evaluates; any number will do that nothing else uses.
const LOCK: i64 = 0x646c_6f61_6c65_7274;

/// An alert that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its id.
    pub id: AlertId,
    /// What is remembered of it.
    pub life: Life,
    /// What it is about.
    pub subject: AlertSubject,
}

/// Takes the turn to evaluate, until the transaction ends. `false` when another office has it.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn take_turn(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let is_ours = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "ours!""#, LOCK)
        .fetch_one(conn)
        .await?;
    Ok(is_ours)
}

/// All that is open, by rule and key. A person who changes one waits until this transaction ends.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn all(
    conn: &mut PgConnection,
) -> Result<HashMap<(AlertRuleId, String), Open>, StoreError> {
    let rows = sqlx::query!(
        "select id, rule_id, key, name, source_id, group_id, broker, vhost, queue, state, severity, figure,
             worst, since, back_since, told_at, told_severity, muted_until_above
         from alerts where resolved_at is null for update",
    )
    .fetch_all(conn)
    .await?;
    let open = rows.into_iter().map(|row| {
        let told_as: Option<Severity> =
            row.told_severity.as_deref().map(|word| severity("told_severity", word)).transpose()?;
        let life = Life {
            state: state(&row.state)?,
            severity: severity("severity", &row.severity)?,
            figure: row.figure,
            worst: row.worst,
            since: row.since,
            back_since: row.back_since,
            told: row.told_at.zip(told_as),
            muted_until_above: row.muted_until_above,
        };
        let subject = AlertSubject {
            key: row.key,
            name: row.name,
            source: row.source_id.map(dlo_domain::ids::SourceId),
            group: row.group_id.map(dlo_domain::ids::GroupId),
            broker: row.broker,
            vhost: row.vhost,
            queue: row.queue,
        };
        let key = (AlertRuleId(row.rule_id), subject.key.clone());
        Ok((key, Open { id: AlertId(row.id), life, subject }))
    });
    open.collect()
}

/// The severity that a column names.
pub(in crate::store) fn severity(column: &'static str, word: &str) -> Result<Severity, StoreError> {
    word.parse().map_err(|why: dlo_domain::severity::UnknownSeverity| {
        StoreError::corrupt("alerts", column, why)
    })
}

/// The state that a column names.
pub(super) fn state(word: &str) -> Result<AlertState, StoreError> {
    let mut all = AlertState::ALL.into_iter();
    all.find(|state| state.as_str() == word)
        .ok_or_else(|| StoreError::corrupt("alerts", "state", format!("`{word}` is not a state")))
}

/// Writes an alert that has begun.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn begin(
    conn: &mut PgConnection,
    rule: AlertRuleId,
    open: &Open,
) -> Result<(), StoreError> {
    let Open { id, life, subject } = open;
    sqlx::query!(
        "insert into alerts (id, rule_id, key, name, source_id, group_id, broker, vhost, queue, state, severity,
             figure, worst, since)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', $10, $11, $12, $13)",
        id.0,
        rule.0,
        subject.key,
        subject.name,
        subject.source.map(|id| id.0),
        subject.group.map(|id| id.0),
        subject.broker,
        subject.vhost,
        subject.queue,
        life.severity.as_str(),
        life.figure,
        life.worst,
        life.since,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes how an alert goes on.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn go_on(
    conn: &mut PgConnection,
    open: &Open,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Open { id, life, .. } = open;
    sqlx::query!(
        "update alerts set state = $2, severity = $3, figure = $4, worst = $5, since = $6, back_since = $7,
             told_at = $8, told_severity = $9, muted_until_above = $10,
             fired_at = case when $2 = 'pending' then null else coalesce(fired_at, $11) end,
             resolved_at = case when $2 = 'resolved' then $11 end,
             acknowledged_by = case when $2 = 'firing' then null else acknowledged_by end,
             acknowledged_at = case when $2 = 'firing' then null else acknowledged_at end
         where id = $1",
        id.0,
        life.state.as_str(),
        life.severity.as_str(),
        life.figure,
        life.worst,
        life.since,
        life.back_since,
        life.told.map(|(at, _)| at),
        life.told.map(|(_, severity)| severity.as_str()),
        life.muted_until_above,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets one that passed before anybody was told.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn drop_pending(conn: &mut PgConnection, id: AlertId) -> Result<(), StoreError> {
    sqlx::query!("delete from alerts where id = $1 and state = 'pending'", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes what happened to an alert by itself.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note(
    conn: &mut PgConnection,
    id: AlertId,
    change: AlertChange,
    life: &Life,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into alert_events (alert_id, at, what, severity, figure) values ($1, $2, $3, $4, $5)",
        id.0,
        now,
        change.as_str(),
        life.severity.as_str(),
        life.figure,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Where an alert stands; nothing when there is none.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn state_of(
    conn: &mut PgConnection,
    id: AlertId,
) -> Result<Option<AlertState>, StoreError> {
    let word = sqlx::query_scalar!("select state from alerts where id = $1", id.0);
    word.fetch_optional(conn).await?.map(|word| state(&word)).transpose()
}

/// Writes of an acknowledgement. `false` when it is not firing.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn acknowledge(
    conn: &mut PgConnection,
    id: AlertId,
    by: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "with told as (
             update alerts set state = 'acknowledged', acknowledged_by = $2, acknowledged_at = $3
             where id = $1 and state = 'firing'
             returning id, severity, figure)
         insert into alert_events (alert_id, at, what, actor, severity, figure)
         select id, $3, 'acknowledged', $2, severity, figure from told",
        id.0,
        by,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Writes that nobody is to be told until the figure is so much above what it is now. `false` when it is not told
/// anyway: it is pending, or over.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn mute_until_more(
    conn: &mut PgConnection,
    id: AlertId,
    more: i64,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update alerts set muted_until_above = figure + $2
         where id = $1 and state in ('firing', 'acknowledged')",
        id.0,
        more,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Notes that somebody muted an alert.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note_mute(
    conn: &mut PgConnection,
    id: AlertId,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into alert_events (alert_id, at, what, actor, severity, figure)
         select id, $3, 'muted', $2, severity, figure from alerts where id = $1",
        id.0,
        by,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
