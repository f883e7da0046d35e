//! Silences.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{NewSilence, Silence, SilenceScope};
use dlo_domain::ids::{AlertRuleId, GroupId, SilenceId, SourceId};
use sqlx::PgConnection;

use crate::store::StoreError;

/// The silences that hold at a time, those that end first in front.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn holding(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Silence>, StoreError> {
    let rows = sqlx::query!(
        "select id, rule_id, thing, source_id, group_id, since, until, reason, silenced_by
         from alert_silences where until > $1 order by until, id",
        now,
    )
    .fetch_all(conn)
    .await?;
    let silences = rows.into_iter().map(|row| Silence {
        id: SilenceId(row.id),
        scope: SilenceScope {
            rule: row.rule_id.map(AlertRuleId),
            thing: row.thing,
            source: row.source_id.map(SourceId),
            group: row.group_id.map(GroupId),
        },
        since: row.since,
        until: row.until,
        reason: row.reason,
        by: row.silenced_by,
    });
    Ok(silences.collect())
}

/// Adds a silence. `false` when what it names is not there.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn add(
    conn: &mut PgConnection,
    id: SilenceId,
    silence: &NewSilence,
    (by, now): (&str, DateTime<Utc>),
) -> Result<bool, StoreError> {
    let scope = &silence.scope;
    let done = sqlx::query!(
        "insert into alert_silences (id, rule_id, source_id, group_id, since, until, reason, silenced_by, thing)
         select $1, $2, $3, $4, $5, $6, $7, $8, $9
         where ($2::uuid is null or exists (select from alert_rules where id = $2 and removed_at is null))
             and ($3::uuid is null or exists (select from sources where id = $3 and removed_at is null))
             and ($4::uuid is null or exists (select from groups where id = $4))",
        id.0,
        scope.rule.map(|id| id.0),
        scope.source.map(|id| id.0),
        scope.group.map(|id| id.0),
        now,
        silence.until,
        silence.reason,
        by,
        scope.thing,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a silence now. `false` when it holds no more.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn end(
    conn: &mut PgConnection,
    id: SilenceId,
    (by, now): (&str, DateTime<Utc>),
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update alert_silences set until = $3, ended_by = $2 where id = $1 and until > $3",
        id.0,
        by,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
