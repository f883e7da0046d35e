//! When there were alerts, for a timeline.

use chrono::{DateTime, Utc};
use dlo_domain::alert::NewAlertRule;
use dlo_domain::ids::{AlertId, GroupId};
use dlo_domain::timeline::AlertBand;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::open::severity;
use crate::store::StoreError;

/// Alerts that a timeline shows.
const MOST_BANDS: i64 = 50;

/// The alerts that fired and were not over before `from`, the worst last: about a group, else about some queues,
/// else all of them.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn since(
    conn: &mut PgConnection,
    from: DateTime<Utc>,
    group: Option<GroupId>,
    queues: Option<&[String]>,
) -> Result<Vec<AlertBand>, StoreError> {
    let rows = sqlx::query!(
        r#"select a.id as "id!", a.severity as "severity!", a.fired_at as "fired_at!", a.resolved_at,
             r.rule as "rule: Json<NewAlertRule>"
           from (select id, rule_id, severity, fired_at, resolved_at, group_id, queue from alerts
                 where resolved_at is null
                 union all
                 select id, rule_id, severity, fired_at, resolved_at, group_id, queue from alerts
                 where resolved_at >= $1) a
           join alert_rules r on r.id = a.rule_id
           where a.fired_at is not null
             and case when $2::uuid is not null then a.group_id = $2
                      when $3::text[] is not null then a.queue = any($3) else true end
           order by array_position(array['critical', 'high', 'normal', 'low'], a.severity), a.fired_at desc
           limit $4"#,
        from,
        group.map(|group| group.0),
        queues,
        MOST_BANDS,
    )
    .fetch_all(conn)
    .await?;
    let bands = rows.into_iter().rev().map(|row| {
        Ok(AlertBand {
            alert: AlertId(row.id),
            rule_name: row.rule.0.name,
            severity: severity("alerts.severity", &row.severity)?,
            since: row.fired_at,
            until: row.resolved_at,
        })
    });
    bands.collect()
}
