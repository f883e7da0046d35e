//! Alert rules: reading and changing them.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{AlertRule, BuiltIn, NewAlertRule};
use dlo_domain::ids::{AlertCounterId, AlertRuleId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::clock::{Clock, new_id};
use crate::store::StoreError;

/// A rule with what the evaluation needs to know beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The rule.
    pub rule: AlertRule,
    /// Since when it is there: what was there before is no news.
    pub created_at: DateTime<Utc>,
    /// What letters are counted under that its filter matches.
    pub counter: AlertCounterId,
    /// Since when they are.
    pub counted_since: DateTime<Utc>,
}

/// Adds the rules that every office comes with and that are not there yet.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn add_missing(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for built_in in BuiltIn::ALL {
        sqlx::query!(
            "insert into alert_rules (id, built_in, rule, created_at, changed_by, changed_at)
             values ($1, $2, $3, $4, 'Dead Letter Office', $4)
             on conflict (built_in) do nothing",
            new_id(clock),
            built_in.as_str(),
            Json(built_in.rule()) as _,
            now,
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Puts another in the place of a rule.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn change(
    conn: &mut PgConnection,
    id: AlertRuleId,
    rule: &NewAlertRule,
    (by, now): (&str, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!(
        "update alert_rules set rule = $2, changed_by = $3, changed_at = $4
         where id = $1 and removed_at is null",
        id.0,
        Json(rule) as _,
        by,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds a rule that somebody wrote. Its letters are counted from now on.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn add(
    conn: &mut PgConnection,
    id: AlertRuleId,
    rule: &NewAlertRule,
    (by, now): (&str, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into alert_rules (id, rule, created_at, changed_by, changed_at, counted_since)
         values ($1, $2, $3, $4, $3, $3)",
        id.0,
        Json(rule) as _,
        now,
        by,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a rule that somebody wrote. Its alerts point to it, so its row stays.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn remove(
    conn: &mut PgConnection,
    id: AlertRuleId,
    (by, now): (&str, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!(
        "update alert_rules set removed_at = $2, removed_by = $3 where id = $1 and built_in is null",
        id.0,
        now,
        by,
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct Row {
    id: Uuid,
    built_in: Option<String>,
    rule: serde_json::Value,
    created_at: DateTime<Utc>,
    counter_id: Uuid,
    counted_since: DateTime<Utc>,
}

impl TryFrom<Row> for Kept {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let corrupt = |column, why: String| StoreError::corrupt("alert_rules", column, why);
        let built_in: Option<BuiltIn> = row.built_in.map(|word| word.parse()).transpose().map_err(
            |why: dlo_domain::alert::UnknownBuiltIn| corrupt("built_in", why.to_string()),
        )?;
        let rule: NewAlertRule =
            serde_json::from_value(row.rule).map_err(|why| corrupt("rule", why.to_string()))?;
        let rule = AlertRule { id: AlertRuleId(row.id), built_in, rule };
        Ok(Self {
            rule,
            created_at: row.created_at,
            counter: AlertCounterId(row.counter_id),
            counted_since: row.counted_since,
        })
    }
}

/// All rules: those that every office comes with first, then people's, the oldest first. One that this
/// version cannot read is left out, and logged.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Kept>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        "select id, built_in, rule, created_at, counter_id, counted_since from alert_rules
         where removed_at is null order by built_in is null, id",
    )
    .fetch_all(conn)
    .await?;
    let kept = rows.into_iter().filter_map(|row| {
        let id = row.id;
        Kept::try_from(row)
            .inspect_err(|why| tracing::warn!(%id, %why, "an alert rule is left out"))
            .ok()
    });
    let mut kept: Vec<Kept> = kept.collect();
    let place = |kept: &Kept| {
        let built_in = kept.rule.built_in;
        built_in.and_then(|one| BuiltIn::ALL.iter().position(|other| *other == one))
    };
    kept.sort_by_key(|kept| place(kept).unwrap_or(BuiltIn::ALL.len()));
    Ok(kept)
}
