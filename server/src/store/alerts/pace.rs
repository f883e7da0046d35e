//! How fast letters die lately, from counters.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::{AlertRuleId, GroupId};
use dlo_domain::notice::Pace;
use sqlx::PgConnection;

use crate::store::StoreError;

/// The minutes that are told apart from the hour.
const RECENT_MINUTES: i64 = 10;

struct Row {
    recent: i64,
    hour: i64,
}

impl Row {
    fn over(self, minutes: i64) -> Pace {
        Pace { recent: self.recent, minutes, hour: self.hour }
    }
}

/// All of them.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn of_all(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<Pace, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select coalesce(sum(arrivals) filter (where minute > $2), 0)::bigint as "recent!",
             coalesce(sum(arrivals), 0)::bigint as "hour!"
           from death_counts where minute > $1"#,
        now - TimeDelta::hours(1),
        now - TimeDelta::minutes(RECENT_MINUTES),
    )
    .fetch_one(conn)
    .await?;
    Ok(row.over(RECENT_MINUTES))
}

/// Those that a rule counts.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn of_rule(
    conn: &mut PgConnection,
    rule: AlertRuleId,
    now: DateTime<Utc>,
) -> Result<Pace, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select coalesce(sum(a.arrivals) filter (where a.minute > $3), 0)::bigint as "recent!",
             coalesce(sum(a.arrivals), 0)::bigint as "hour!"
           from alert_arrivals a join alert_rules r on r.counter_id = a.counter_id
           where r.id = $1 and a.minute > $2"#,
        rule.0,
        now - TimeDelta::hours(1),
        now - TimeDelta::minutes(RECENT_MINUTES),
    )
    .fetch_one(conn)
    .await?;
    Ok(row.over(RECENT_MINUTES))
}

/// Those of a group, which are counted by slots of five minutes: of the slot that has begun and the one before.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn of_group(
    conn: &mut PgConnection,
    group: GroupId,
    now: DateTime<Utc>,
) -> Result<Pace, StoreError> {
    let slot = now.timestamp().div_euclid(300) * 300 - 300;
    let first = DateTime::from_timestamp(slot, 0).unwrap_or(now);
    let row = sqlx::query_as!(
        Row,
        r#"select coalesce(sum(t.arrivals) filter (where t.slot >= $3), 0)::bigint as "recent!",
             coalesce(sum(t.arrivals), 0)::bigint as "hour!"
           from signatures s join signature_slots t on t.signature = s.id
           where s.group_id = $1 and t.slot > $2"#,
        group.0,
        now - TimeDelta::minutes(65),
        first,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.over((now - first).num_minutes() + 1))
}
