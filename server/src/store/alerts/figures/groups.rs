//! Groups that are new, or back.

use chrono::{DateTime, Utc};
use dlo_domain::alert::AlertSubject;
use dlo_domain::ids::GroupId;
use dlo_domain::severity::Severity;
use sqlx::PgConnection;

use super::{Figure, MOST_THINGS};
use crate::store::StoreError;

/// Letters that wait of groups that came up after `since`, those with the greatest impact.
///
/// # Errors
/// Returns an error if the query fails.
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
/// Returns an error if the query fails.
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
            figure: Some(row.waiting),
            severity: Some(worst.map_or(rest, |(_, severity)| severity)),
        }
    }
}
