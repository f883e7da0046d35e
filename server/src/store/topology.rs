//! What was read of brokers' queues: who reads next, the last read of each vhost, and why there is
//! none. Findings are in `findings`.

pub mod depths;
pub mod findings;
pub mod set_here;
pub mod workers;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::topology::{BrokerTopology, Delay, Gap, Vhost, VhostTopology};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::StoreError;

/// A vhost as it was last read.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The broker.
    pub broker: String,
    /// Its name.
    pub name: String,
    /// When it was read.
    pub read_at: DateTime<Utc>,
    /// What was read.
    pub vhost: Vhost,
}

/// Which vhost of which broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The broker's name in the configuration.
    pub broker: &'a str,
    /// The vhost.
    pub vhost: &'a str,
}

/// Takes it upon oneself to read a broker, unless somebody did within `every`. A time that lies ahead
/// was written before a clock was set back, and does not count.
///
/// # Errors
/// When Postgres does not do it.
pub async fn claim(
    conn: &mut PgConnection,
    broker: &str,
    now: DateTime<Utc>,
    every: TimeDelta,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "insert into topology_brokers as b (broker, asked_at) values ($1, $2)
         on conflict (broker) do update set asked_at = $2
         where b.asked_at <= $3 or b.asked_at > $2",
        broker,
        now,
        now - every,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Has brokers asked again at once.
///
/// # Errors
/// When Postgres does not do it.
pub async fn ask_again(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("update topology_brokers set asked_at = '-infinity'").execute(conn).await?;
    Ok(())
}

/// Writes down why a broker cannot be read, or that it can. The time moves only when that changes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_trouble(
    conn: &mut PgConnection,
    broker: &str,
    trouble: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update topology_brokers set trouble = $2,
             trouble_since = case when $2::text is null then null
                 else coalesce(trouble_since, $3) end
         where broker = $1",
        broker,
        trouble,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts a read in the place of the one before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn keep(
    conn: &mut PgConnection,
    place: Place<'_>,
    vhost: &Vhost,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into topology_vhosts (broker, vhost, read_at, content, queues, gaps, version, delays)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (broker, vhost) do update set read_at = excluded.read_at,
             content = excluded.content, queues = excluded.queues, gaps = excluded.gaps,
             version = excluded.version, delays = excluded.delays, trouble = null, trouble_since = null",
        place.broker,
        place.vhost,
        now,
        Json(vhost) as _,
        i32::try_from(vhost.queues.len()).unwrap_or(i32::MAX),
        Json(&vhost.gaps) as _,
        vhost.version,
        Json(Delay::all(vhost, now)) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down why a vhost cannot be read, while its broker can. What was read last stays; of one that
/// was never read it is known that it is there.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_vhost_trouble(
    conn: &mut PgConnection,
    place: Place<'_>,
    trouble: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into topology_vhosts as v
             (broker, vhost, read_at, content, queues, gaps, trouble, trouble_since)
         values ($1, $2, $4, $5, 0, '[]', $3, $4)
         on conflict (broker, vhost) do update set trouble = excluded.trouble,
             trouble_since = coalesce(v.trouble_since, excluded.trouble_since)",
        place.broker,
        place.vhost,
        trouble,
        now,
        Json(Vhost::default()) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The vhosts of a broker that are known and not among these, each with since when it cannot be read: they
/// were deleted, or are not shown to us any more. At most some.
///
/// # Errors
/// When Postgres does not do it.
pub async fn unseen(
    conn: &mut PgConnection,
    broker: &str,
    vhosts: &[String],
) -> Result<Vec<(String, Option<DateTime<Utc>>)>, StoreError> {
    let unseen = sqlx::query!(
        "select vhost, trouble_since from topology_vhosts where broker = $1 and vhost <> all($2)
         order by vhost limit 50",
        broker,
        vhosts,
    )
    .fetch_all(conn)
    .await?;
    let unseen = unseen.into_iter();
    Ok(unseen.map(|row| (row.vhost, row.trouble_since)).collect())
}

/// The vhosts of a broker that could not be read last time.
///
/// # Errors
/// When Postgres does not do it.
pub async fn troubled(
    conn: &mut PgConnection,
    broker: &str,
) -> Result<BTreeSet<String>, StoreError> {
    let troubled = sqlx::query_scalar!(
        "select vhost from topology_vhosts where broker = $1 and trouble is not null",
        broker,
    )
    .fetch_all(conn)
    .await?;
    Ok(troubled.into_iter().collect())
}

/// How long what was read of a broker is kept that nobody asks any more.
const KEPT_FOR: TimeDelta = TimeDelta::days(7);

/// Removes the vhosts that a broker does not show any more, and brokers that no office has asked for
/// a week: offices may name different ones.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_others(
    conn: &mut PgConnection,
    broker: &str,
    vhosts: &[String],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from topology_brokers where asked_at > '-infinity' and asked_at < $1",
        now - KEPT_FOR
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "delete from topology_vhosts v
         where (broker = $1 and vhost <> all($2))
             or not exists (select from topology_brokers b where b.broker = v.broker)",
        broker,
        vhosts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The last read of a vhost.
///
/// # Errors
/// When Postgres does not do it, or a newer version wrote what this one cannot read.
pub async fn one(conn: &mut PgConnection, place: Place<'_>) -> Result<Option<Kept>, StoreError> {
    let row = sqlx::query!(
        "select read_at, content from topology_vhosts where broker = $1 and vhost = $2",
        place.broker,
        place.vhost,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(Kept {
            broker: place.broker.to_owned(),
            name: place.vhost.to_owned(),
            read_at: row.read_at,
            vhost: serde_json::from_value(row.content)
                .map_err(|why| StoreError::corrupt("topology_vhosts", "content", why))?,
        })
    })
    .transpose()
}

/// The last read of a vhost, unless it is the one of this time.
///
/// # Errors
/// Returns an error if the query fails, or a newer version wrote what this one cannot read.
pub async fn one_other_than(
    conn: &mut PgConnection,
    place: Place<'_>,
    read_at: Option<DateTime<Utc>>,
) -> Result<Option<Kept>, StoreError> {
    let is_other = sqlx::query_scalar!(
        r#"select read_at is distinct from $3 as "other!"
           from topology_vhosts where broker = $1 and vhost = $2"#,
        place.broker,
        place.vhost,
        read_at,
    )
    .fetch_optional(&mut *conn)
    .await?;
    match is_other {
        Some(true) => one(conn, place).await,
        _ => Ok(None),
    }
}

/// Every broker that was asked, with its vhosts.
///
/// # Errors
/// When Postgres does not do it.
pub async fn brokers(conn: &mut PgConnection) -> Result<Vec<BrokerTopology>, StoreError> {
    let rows = sqlx::query!(
        r#"select broker, nullif(asked_at, '-infinity') as asked_at, trouble, trouble_since
           from topology_brokers order by broker"#
    )
    .fetch_all(&mut *conn)
    .await?;
    let vhosts = vhosts(conn).await?;
    let of = |broker: &str| {
        let all = vhosts.iter().filter(|vhost| vhost.broker == broker);
        all.cloned().collect()
    };
    let brokers = rows.into_iter().map(|row| BrokerTopology {
        vhosts: of(&row.broker),
        broker: row.broker,
        asked_at: row.asked_at,
        trouble: row.trouble,
        trouble_since: row.trouble_since,
    });
    Ok(brokers.collect())
}

async fn vhosts(conn: &mut PgConnection) -> Result<Vec<VhostTopology>, StoreError> {
    let rows = sqlx::query!(
        r#"select v.broker, v.vhost, v.read_at, v.version, v.queues, v.trouble, v.trouble_since,
               v.gaps as "gaps: Json<Vec<Gap>>", v.delays as "delays: Json<Vec<Delay>>",
               (select count(*) from topology_findings f
                where f.broker = v.broker and f.vhost = v.vhost and f.resolved_at is null
                    and coalesce(f.muted_until, '-infinity') <= clock_timestamp())
                   as "findings!"
           from topology_vhosts v order by v.broker, v.vhost"#
    )
    .fetch_all(conn)
    .await?;
    let vhosts = rows.into_iter().map(|row| VhostTopology {
        broker: row.broker,
        vhost: row.vhost,
        read_at: row.read_at,
        version: row.version,
        trouble: row.trouble,
        trouble_since: row.trouble_since,
        queues: i64::from(row.queues),
        findings: row.findings,
        delays: row.delays.0,
        notes: row.gaps.iter().map(|gap| gap.says().to_owned()).collect(),
        gaps: row.gaps.0,
    });
    Ok(vhosts.collect())
}
