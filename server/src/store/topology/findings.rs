//! What can lose messages: found, seen again, gone, acknowledged and muted.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::FindingId;
use dlo_domain::topology::{Finding, FindingEdit, FindingScope, Findings, KeptFinding};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::super::StoreError;
use super::Place;
use crate::clock::{Clock, new_id};

/// Findings that are told.
const MOST_TOLD: i64 = 1_000;

/// How long those that are gone are kept.
const KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// Writes down what a read found: new findings, those that are still there, and that others are gone.
/// What could not be found out stays as it was. Tells how many are new, and how many are gone.
///
/// # Errors
/// When Postgres does not do it.
pub async fn note(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    place: Place<'_>,
    findings: &Findings,
    now: DateTime<Utc>,
) -> Result<(u64, u64), StoreError> {
    let ids: Vec<Uuid> = findings.found.iter().map(|_| new_id(clock)).collect();
    let of = |text: fn(&Finding) -> &str| -> Vec<String> {
        findings.found.iter().map(|f| text(f).to_owned()).collect()
    };
    let json: Vec<Json<&Finding>> = findings.found.iter().map(Json).collect();
    let fresh = sqlx::query_scalar!(
        r#"insert into topology_findings
             (id, broker, vhost, kind, subject, other, severity, finding, first_seen_at, last_seen_at)
         select id, $2, $3, kind, subject, other, severity, finding, $9, $9
         from unnest($1::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[])
             as found (id, kind, subject, other, severity, finding)
         on conflict (broker, vhost, kind, subject, other) where resolved_at is null
         do update set last_seen_at = $9, severity = excluded.severity, finding = excluded.finding
         returning (xmax = 0) as "is_new!""#,
        &ids,
        place.broker,
        place.vhost,
        &of(|f| f.kind.as_str()),
        &of(|f| &f.subject),
        &of(|f| &f.other),
        &of(|f| f.severity.as_str()),
        &json as _,
        now,
    )
    .fetch_all(&mut *conn)
    .await?;
    let untold = findings.untold.iter().map(|kind| kind.as_str().to_owned());
    let gone = sqlx::query!(
        "update topology_findings set resolved_at = $3
         where broker = $1 and vhost = $2 and resolved_at is null and last_seen_at <> $3
             and kind <> all($4)",
        place.broker,
        place.vhost,
        now,
        &untold.collect::<Vec<String>>(),
    )
    .execute(conn)
    .await?;
    let fresh = fresh.into_iter().filter(|is_new| *is_new).count();
    Ok((u64::try_from(fresh).unwrap_or(u64::MAX), gone.rows_affected()))
}

/// Ends the findings of vhosts that are not there any more, and forgets those that are long gone.
///
/// # Errors
/// When Postgres does not do it.
pub async fn tidy(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    sqlx::query!(
        "update topology_findings f set resolved_at = $1
         where resolved_at is null and not exists (
             select from topology_vhosts v where v.broker = f.broker and v.vhost = f.vhost)",
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("delete from topology_findings where resolved_at < $1", now - KEPT_FOR)
        .execute(conn)
        .await?;
    Ok(())
}

/// Findings, those that are there first, and of these the worst; the first 1,000. With `only`, the
/// one of that id.
///
/// # Errors
/// When Postgres does not do it.
pub async fn list(
    conn: &mut PgConnection,
    scope: FindingScope,
    only: Option<FindingId>,
    now: DateTime<Utc>,
) -> Result<Vec<KeptFinding>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, broker, vhost, finding as "finding: Json<Finding>", first_seen_at,
               last_seen_at, resolved_at, acknowledged_by, acknowledged_at, muted_until
           from topology_findings
           where ($1 or resolved_at is null)
               and ($2 or coalesce(muted_until, '-infinity') <= $3)
               and ($4::uuid is null or id = $4)
           order by resolved_at desc nulls first,
               array_position(array['critical', 'high', 'normal', 'low'], severity),
               first_seen_at desc, id
           limit $5"#,
        scope == FindingScope::All,
        scope != FindingScope::Open,
        now,
        only.map(|id| id.0),
        MOST_TOLD,
    )
    .fetch_all(conn)
    .await?;
    let kept = rows.into_iter().map(|row| KeptFinding {
        id: FindingId(row.id),
        broker: row.broker,
        vhost: row.vhost,
        finding: row.finding.0,
        first_seen_at: row.first_seen_at,
        last_seen_at: row.last_seen_at,
        resolved_at: row.resolved_at,
        acknowledged_by: row.acknowledged_by,
        acknowledged_at: row.acknowledged_at,
        muted_until: row.muted_until.filter(|until| *until > now),
    });
    Ok(kept.collect())
}

/// Takes note of a finding, or mutes it. Tells whether there is one.
///
/// # Errors
/// When Postgres does not do it.
pub async fn edit(
    conn: &mut PgConnection,
    id: FindingId,
    edit: FindingEdit,
    by: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let muted_until = edit.mute_hours.map(|hours| now + TimeDelta::hours(hours.into()));
    let done = sqlx::query!(
        "update topology_findings set
             acknowledged_by = case when $2::bool is null then acknowledged_by
                 when $2 then $3 end,
             acknowledged_at = case when $2::bool is null then acknowledged_at
                 when $2 then $4::timestamptz end,
             muted_until = coalesce($5, muted_until)
         where id = $1",
        id.0,
        edit.acknowledged,
        by,
        now,
        muted_until,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
