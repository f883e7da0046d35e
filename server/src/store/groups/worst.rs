//! The groups of the first page: what dies now, or waits, and nobody has put away.

use chrono::{DateTime, Utc};
use dlo_domain::overview::{Left, WorstGroup};
use sqlx::PgConnection;
use uuid::Uuid;

use super::read::{self, Row};
use crate::store::StoreError;

/// The groups that wait or of which letters arrived since a time, by impact. Muted and resolved
/// ones are left off.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn worst(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<WorstGroup>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        "select g.id, g.title, g.state, g.state_since, g.owner, g.ticket_url, g.tags, t.critical,
             t.high, t.normal, t.low, t.letters, t.waiting, t.arrivals, t.impact, g.created_at,
             t.last_arrived_at
         from group_totals t join groups g on g.id = t.group_id
         where g.merged_into is null and g.state not in ('muted', 'resolved')
             and (t.waiting > 0 or t.letters > 0 and t.last_arrived_at >= $1)
         order by t.impact desc, t.group_id desc
         limit $2",
        since,
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let first_seen = first_seen(conn, &ids).await?;
    let groups = read::with_hours(conn, rows, now).await?;
    let groups = groups.into_iter().map(|summary| {
        let seen = first_seen.iter().find(|(id, _)| *id == summary.id.0);
        // A group that was split off is younger than what it is about.
        let first_seen_at = seen.map_or(summary.created_at, |(_, at)| *at);
        WorstGroup {
            is_new: first_seen_at >= since,
            first_seen_at,
            summary,
        }
    });
    Ok(groups.collect())
}

async fn first_seen(
    conn: &mut PgConnection,
    groups: &[Uuid],
) -> Result<Vec<(Uuid, DateTime<Utc>)>, StoreError> {
    let rows = sqlx::query!(
        r#"select group_id as "group_id!", min(first_seen_at) as "at!" from signatures
           where group_id = any($1) group by group_id"#,
        groups,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.group_id, row.at)).collect())
}

/// How many groups `worst` chooses from, and how many it leaves off.
///
/// # Errors
/// When Postgres does not do it.
pub async fn left(conn: &mut PgConnection, since: DateTime<Utc>) -> Result<Left, StoreError> {
    let left = sqlx::query_as!(
        Left,
        r#"select count(*) filter (where g.state not in ('muted', 'resolved')) as "groups!",
               count(*) filter (where g.state = 'muted') as "muted!",
               count(*) filter (where g.state = 'resolved') as "resolved!"
           from group_totals t join groups g on g.id = t.group_id
           where g.merged_into is null
               and (t.waiting > 0 or t.letters > 0 and t.last_arrived_at >= $1)"#,
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok(left)
}
