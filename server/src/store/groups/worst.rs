//! The groups of the first page: what dies now, or waits, and nobody has put away.

use chrono::{DateTime, Utc};
use dlo_domain::ids::GroupId;
use dlo_domain::overview::{Left, PutAway, WorstGroup};
use dlo_domain::severity::Severity;
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
        WorstGroup { is_new: first_seen_at >= since, first_seen_at, summary }
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

/// Groups that `put_away` names.
const MOST_PUT_AWAY: usize = 50;

/// Held letters in the groups that `worst` leaves off, those with the most of them named first.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn put_away(conn: &mut PgConnection) -> Result<PutAway, StoreError> {
    let rows = sqlx::query!(
        r#"select t.group_id, s.severity as "severity!", sum(s.letters)::bigint as "letters!"
           from groups g
           join group_totals t on t.group_id = g.id and t.waiting > 0
           join signatures own on own.group_id = g.id
           join signature_totals s on s.signature = own.id and s.state = 'held'
           where g.merged_into is null and g.state in ('muted', 'resolved')
           group by t.group_id, t.waiting, s.severity having sum(s.letters) > 0
           order by t.waiting desc, t.group_id"#
    )
    .fetch_all(conn)
    .await?;
    let mut put_away = PutAway::default();
    for row in rows {
        let severity: Severity = row
            .severity
            .parse()
            .map_err(|why| StoreError::corrupt("signature_totals", "severity", why))?;
        let id = GroupId(row.group_id);
        if !put_away.groups.contains(&id) && put_away.groups.len() < MOST_PUT_AWAY {
            put_away.groups.push(id);
        }
        let counts = &mut put_away.held_by_severity;
        match counts.iter_mut().find(|(of, _)| *of == severity) {
            Some((_, letters)) => *letters += row.letters,
            None => counts.push((severity, row.letters)),
        }
    }
    Ok(put_away)
}
