//! Groups as people see them: a page of the list, and one with all that is known of it.

use std::collections::HashMap;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use dlo_domain::group::{Group, GroupEvent, GroupState, GroupSummary, Mute, SignatureShare};
use dlo_domain::grouping::{Signature, SignatureId};
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::claimed;
use crate::store::StoreError;

/// Hours of the sparkline.
const HOURS: usize = 24;
/// The most signatures and lines of a timeline that are shown.
const MOST_SIGNATURES: i64 = 200;
const MOST_EVENTS: i64 = 200;

/// A place in the list: groups are ordered by impact, then by id, both falling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// What waits, weighted by severity.
    pub impact: i64,
    /// The group.
    pub id: Uuid,
}

/// What a list tells of a group, without its hours.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) id: Uuid,
    pub(super) title: String,
    pub(super) state: String,
    pub(super) state_since: DateTime<Utc>,
    pub(super) owner: Option<String>,
    pub(super) ticket_url: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) critical: i64,
    pub(super) high: i64,
    pub(super) normal: i64,
    pub(super) low: i64,
    pub(super) letters: i64,
    pub(super) waiting: i64,
    pub(super) arrivals: i64,
    pub(super) impact: i64,
    pub(super) created_at: DateTime<Utc>,
    pub(super) last_arrived_at: Option<DateTime<Utc>>,
}

/// At most `limit` groups after a place, the worst first, each with its place. A group that has no
/// letters any more, since they were judged again or are gone, is left off unless a person worked
/// on it.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    state: Option<GroupState>,
    after: Option<Place>,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<(Place, GroupSummary)>, StoreError> {
    let rows = listed(conn, state, after, limit).await?;
    let places: Vec<Place> =
        rows.iter().map(|row| Place { impact: row.impact, id: row.id }).collect();
    let groups = with_hours(conn, rows, now).await?;
    Ok(places.into_iter().zip(groups).collect())
}

async fn listed(
    conn: &mut PgConnection,
    state: Option<GroupState>,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<Row>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        "select g.id, g.title, g.state, g.state_since, g.owner, g.ticket_url, g.tags, t.critical,
             t.high, t.normal, t.low, t.letters, t.waiting, t.arrivals, t.impact, g.created_at,
             t.last_arrived_at
         from group_totals t join groups g on g.id = t.group_id
         where g.merged_into is null and ($1::text is null or g.state = $1)
             and (t.letters > 0 or g.state <> 'open' or g.owner is not null
                  or g.ticket_url is not null or g.tags <> '{}'
                  or exists (select from signatures where group_id = g.id and arranged)
                  or exists (select from group_events where group_id = g.id and actor <> 'dlo'))
             and ($2::bigint is null or (t.impact, t.group_id) < ($2, $3))
         order by t.impact desc, t.group_id desc
         limit $4",
        state.map(GroupState::as_str),
        after.map(|place| place.impact),
        after.map(|place| place.id),
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// Groups with their arrivals by the hour, in the order given.
pub(super) async fn with_hours(
    conn: &mut PgConnection,
    rows: Vec<Row>,
    now: DateTime<Utc>,
) -> Result<Vec<GroupSummary>, StoreError> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut hours = by_hour(conn, &ids, now).await?;
    rows.into_iter()
        .map(|row| {
            let by_hour = hours.remove(&row.id).unwrap_or_else(|| vec![0; HOURS]);
            summary(row, by_hour)
        })
        .collect()
}

/// Arrivals in each of the last hours, of groups that had any.
async fn by_hour(
    conn: &mut PgConnection,
    groups: &[Uuid],
    now: DateTime<Utc>,
) -> Result<HashMap<Uuid, Vec<i64>>, StoreError> {
    let this_hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
    let first = this_hour - TimeDelta::hours(i64::try_from(HOURS).expect("small") - 1);
    let rows = sqlx::query!(
        r#"select s.group_id as "group_id!", h.hour, sum(h.arrivals)::bigint as "arrivals!"
           from signatures s join signature_hours h on h.signature = s.id
           where s.group_id = any((select $1::uuid[])::uuid[]) and h.hour >= $2
           group by s.group_id, h.hour"#,
        groups,
        first,
    )
    .fetch_all(conn)
    .await?;
    let mut hours: HashMap<Uuid, Vec<i64>> = HashMap::new();
    for row in rows {
        let of_group = hours.entry(row.group_id).or_insert_with(|| vec![0; HOURS]);
        let place = usize::try_from((row.hour - first).num_hours()).unwrap_or(usize::MAX);
        // A clock that was ahead counts for now.
        // What died of several causes takes all its arrivals along when it is judged again, also
        // those that another group had counted: never less than nothing.
        let arrivals = row.arrivals.max(0);
        of_group[place.min(HOURS - 1)] += arrivals;
    }
    Ok(hours)
}

fn summary(row: Row, by_hour: Vec<i64>) -> Result<GroupSummary, StoreError> {
    let waiting = [row.critical, row.high, row.normal, row.low];
    let worst = Severity::ALL.into_iter().zip(waiting);
    let state = row.state.parse();
    Ok(GroupSummary {
        id: GroupId(row.id),
        title: row.title,
        state: state.map_err(|why| StoreError::corrupt("groups", "state", why))?,
        state_since: row.state_since,
        owner: row.owner,
        ticket_url: row.ticket_url,
        tags: row.tags,
        severity: worst.into_iter().find(|(_, waiting)| *waiting > 0).map(|(severity, _)| severity),
        letters: row.letters,
        waiting: row.waiting,
        arrivals: row.arrivals,
        created_at: row.created_at,
        last_arrived_at: row.last_arrived_at,
        by_hour,
    })
}

/// One group; where it was merged into another, that one.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn group(
    conn: &mut PgConnection,
    id: GroupId,
    now: DateTime<Utc>,
) -> Result<Option<Group>, StoreError> {
    let found = sqlx::query!(
        r#"select g.id, g.title, g.state, g.state_since, g.owner, g.ticket_url, g.tags, g.why,
               g.muted_until, g.muted_arrivals, g.muted_per_hour, g.created_at,
               coalesce(t.critical, 0) as "critical!", coalesce(t.high, 0) as "high!",
               coalesce(t.normal, 0) as "normal!", coalesce(t.low, 0) as "low!",
               coalesce(t.letters, 0) as "letters!", coalesce(t.waiting, 0) as "waiting!",
               coalesce(t.arrivals, 0) as "arrivals!", coalesce(t.impact, 0) as "impact!",
               t.last_arrived_at as "last_arrived_at?"
           from groups named
           join groups g on g.id = coalesce(named.merged_into, named.id)
           left join group_totals t on t.group_id = g.id
           where named.id = $1"#,
        id.0,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(found) = found else { return Ok(None) };
    let mute = Mute {
        until: found.muted_until,
        arrivals: found.muted_arrivals,
        per_hour: found.muted_per_hour,
    };
    let row = Row {
        id: found.id,
        title: found.title,
        state: found.state,
        state_since: found.state_since,
        owner: found.owner,
        ticket_url: found.ticket_url,
        tags: found.tags,
        critical: found.critical,
        high: found.high,
        normal: found.normal,
        low: found.low,
        letters: found.letters,
        waiting: found.waiting,
        arrivals: found.arrivals,
        impact: found.impact,
        created_at: found.created_at,
        last_arrived_at: found.last_arrived_at,
    };
    let mut hours = by_hour(conn, &[found.id], now).await?;
    let by_hour = hours.remove(&found.id).unwrap_or_else(|| vec![0; HOURS]);
    Ok(Some(Group {
        why: serde_json::from_value(found.why)
            .map_err(|why| StoreError::corrupt("groups", "why", why))?,
        mute: (mute != Mute::default()).then_some(mute),
        signatures: shares(conn, found.id).await?,
        timeline: timeline(conn, found.id).await?,
        claimed_origins: claimed::of_group(conn, GroupId(found.id)).await?,
        summary: summary(row, by_hour)?,
    }))
}

async fn shares(conn: &mut PgConnection, group: Uuid) -> Result<Vec<SignatureShare>, StoreError> {
    let rows = sqlx::query!(
        r#"select s.id, s.content, s.sample_letter_id, s.arranged,
               coalesce(sum(t.letters), 0)::bigint as "letters!"
           from signatures s left join signature_totals t on t.signature = s.id
           where s.group_id = $1
           group by s.id order by 5 desc, s.id limit $2"#,
        group,
        MOST_SIGNATURES,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let signature: Signature = serde_json::from_value(row.content)
                .map_err(|why| StoreError::corrupt("signatures", "content", why))?;
            Ok(SignatureShare {
                id: signature.id.to_string(),
                template: signature.template,
                scope: signature.scope,
                letters: row.letters,
                sample_letter_id: LetterId(row.sample_letter_id),
                arranged: row.arranged,
            })
        })
        .collect()
}

async fn timeline(conn: &mut PgConnection, group: Uuid) -> Result<Vec<GroupEvent>, StoreError> {
    let events = sqlx::query_as!(
        GroupEvent,
        "select at, actor, action, detail from group_events
         where group_id = $1 order by id desc limit $2",
        group,
        MOST_EVENTS,
    )
    .fetch_all(conn)
    .await?;
    Ok(events)
}

/// The group of a signature; none while the miner has not seen it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_signature(
    conn: &mut PgConnection,
    id: SignatureId,
) -> Result<Option<GroupId>, StoreError> {
    let group = sqlx::query_scalar!("select group_id from signatures where id = $1", &id.0[..])
        .fetch_optional(conn)
        .await?;
    Ok(group.flatten().map(GroupId))
}

/// How many groups there are in a state, or in all, that a list shows.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection, state: Option<GroupState>) -> Result<i64, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from groups g
           join group_totals t on t.group_id = g.id
           where g.merged_into is null and ($1::text is null or g.state = $1)
               and (t.letters > 0 or g.state <> 'open' or g.owner is not null
                    or g.ticket_url is not null or g.tags <> '{}'
                    or exists (select from signatures where group_id = g.id and arranged)
                    or exists (select from group_events where group_id = g.id and actor <> 'dlo'))"#,
        state.map(GroupState::as_str),
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// Whether there is such a group; one that was merged into another is still there.
///
/// # Errors
/// When Postgres does not do it.
pub async fn exists(conn: &mut PgConnection, id: GroupId) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from groups where id = $1) as "found!""#,
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}
