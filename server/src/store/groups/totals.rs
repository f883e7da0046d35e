//! Counters by signature and by group. Triggers write every change down; here the changes are
//! folded into totals, and the totals of a group follow its signatures.

use chrono::{DateTime, Utc};
use dlo_domain::timeline::KEPT_FOR;
use sqlx::PgConnection;
use uuid::Uuid;

use super::impact;
use crate::store::StoreError;

/// Folds what changed since the last time and returns the groups that it concerns. Nothing when
/// another office is at it. Call within a transaction.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn fold(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<Vec<Uuid>, StoreError> {
    if !take_turn(conn).await? {
        return Ok(Vec::new());
    }
    let signatures = sqlx::query_scalar!(
        r#"with gone as (delete from signature_changes returning *),
           by_hour as (
               insert into signature_hours (signature, hour, arrivals)
               select signature, date_trunc('hour', last_arrived_at, 'UTC'), sum(arrivals)
               from gone where arrivals <> 0 group by 1, 2
               on conflict (signature, hour) do update
                   set arrivals = signature_hours.arrivals + excluded.arrivals),
           by_slot as (
               insert into signature_slots (signature, slot, arrivals)
               select signature, date_bin('5 minutes', last_arrived_at, 'epoch'), sum(arrivals)
               from gone where arrivals <> 0 and last_arrived_at >= $1 group by 1, 2
               on conflict (signature, slot) do update
                   set arrivals = signature_slots.arrivals + excluded.arrivals),
           by_state as (
               insert into signature_totals
                   (signature, state, severity, letters, arrivals, last_arrived_at)
               select signature, state, severity, sum(letters), sum(arrivals), max(last_arrived_at)
               from gone group by signature, state, severity
               on conflict (signature, state, severity) do update
                   set letters = signature_totals.letters + excluded.letters,
                       arrivals = signature_totals.arrivals + excluded.arrivals,
                       last_arrived_at =
                           greatest(signature_totals.last_arrived_at, excluded.last_arrived_at))
           select distinct signature as "signature!" from gone"#,
        now - KEPT_FOR,
    )
    .fetch_all(&mut *conn)
    .await?;
    let groups = sqlx::query_scalar!(
        r#"select distinct group_id as "group_id!" from signatures
           where id = any($1) and group_id is not null"#,
        &signatures,
    )
    .fetch_all(&mut *conn)
    .await?;
    sum_up(conn, &groups).await?;
    Ok(groups)
}

/// One office counts or arranges at a time; false when another does.
pub(super) async fn take_turn(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let alone = sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('groups', 0)) as "alone!""#,
    )
    .fetch_one(conn)
    .await?;
    Ok(alone)
}

/// Waits until nobody else counts or arranges, until the transaction ends.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn wait_for_turn(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('groups', 0))")
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Sums groups up from their signatures.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub(in crate::store) async fn sum_up(
    conn: &mut PgConnection,
    groups: &[Uuid],
) -> Result<(), StoreError> {
    // What waits is what a person can still do something about.
    sqlx::query!(
        "insert into group_totals (group_id, letters, waiting, critical, high, normal, low,
             arrivals, last_arrived_at, impact)
         select id, letters, critical + high + normal + low, critical, high, normal, low, arrivals,
             last_arrived_at, 0
         from (
             select g.id, coalesce(sum(t.letters), 0) as letters,
                 coalesce(sum(t.letters) filter (where waits and severity = 'critical'), 0)
                     as critical,
                 coalesce(sum(t.letters) filter (where waits and severity = 'high'), 0) as high,
                 coalesce(sum(t.letters) filter (where waits and severity = 'normal'), 0)
                     as normal,
                 coalesce(sum(t.letters) filter (where waits and severity = 'low'), 0) as low,
                 greatest(coalesce(sum(t.arrivals), 0), 0) as arrivals,
                 max(t.last_arrived_at) as last_arrived_at
             from groups g
             left join signatures s on s.group_id = g.id
             left join (
                 select *, state in ('held', 'scheduled', 'unknown') as waits
                 from signature_totals) as t on t.signature = s.id
             where g.id = any($1) group by g.id) as summed
         on conflict (group_id) do update
             set letters = excluded.letters, waiting = excluded.waiting,
                 critical = excluded.critical, high = excluded.high, normal = excluded.normal,
                 low = excluded.low, arrivals = excluded.arrivals,
                 last_arrived_at = excluded.last_arrived_at",
        groups,
    )
    .execute(&mut *conn)
    .await?;
    impact::count_places(conn, groups).await?;
    impact::weigh(conn, groups).await
}

/// Wakes groups that came back: resolved ones whose letters die again, and muted ones whose time,
/// count or rate is reached. Returns those that were woken.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn wake(
    conn: &mut PgConnection,
    groups: &[Uuid],
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>, StoreError> {
    let woken = sqlx::query_scalar!(
        r#"with woken as (
               update groups as g
               set state = case g.state when 'resolved' then 'regressed' else 'open' end,
                   state_since = $2, muted_until = null, muted_arrivals = null,
                   muted_per_hour = null, arrivals_when_muted = null
               from group_totals as t
               where t.group_id = g.id and g.merged_into is null and (
                   g.id = any($1) and g.state = 'resolved' and t.last_arrived_at > g.state_since
                   or g.state = 'muted' and (
                       g.muted_until <= $2
                       or t.arrivals - g.arrivals_when_muted >= g.muted_arrivals
                       or g.id = any($1) and g.muted_per_hour <= (
                           select sum(h.arrivals) from signature_hours h
                           join signatures s on s.id = h.signature
                           where s.group_id = g.id and h.hour = date_trunc('hour', $2, 'UTC'))))
               returning g.id, g.state),
           told as (
               insert into group_events (group_id, at, actor, action)
               select id, $2, 'dlo', case state when 'regressed' then 'regressed' else 'unmuted' end
               from woken)
           select id from woken"#,
        groups,
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(woken)
}
