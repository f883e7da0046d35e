//! Who sets what here: one at a time; and who set it, which the audit trail is asked by what it is about.

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::topology::{SetHere, policy_name};
use sqlx::PgConnection;

use super::Place;
use crate::store::StoreError;

/// How the line of a policy of ours begins.
#[must_use]
pub fn about(place: Place<'_>, queue: &str, policy: &str) -> String {
    let Place { broker, vhost } = place;
    format!("`{queue}` in {vhost} of {broker}: the policy `{policy}`: ")
}

/// What a line says behind that where the policy was taken away.
pub const TAKEN_AWAY: &str = "taken away";

/// The last change of a queue's policy that was made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastChange {
    /// When.
    pub at: DateTime<Utc>,
    /// Whether it was set; else it was taken away.
    pub is_set: bool,
}

/// The last change of a queue's policy that was made here, if there was one.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn last_change(
    conn: &mut PgConnection,
    place: Place<'_>,
    queue: &str,
) -> Result<Option<LastChange>, StoreError> {
    let about = about(place, queue, &policy_name(queue));
    let row = sqlx::query!(
        r#"select at, substr(detail, length($1) + 1) <> $2 as "is_set!" from audit
           where action = 'queue.dead_lettering' and starts_with(detail, $1)
           order by id desc limit 1"#,
        about,
        TAKEN_AWAY,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| LastChange { at: row.at, is_set: row.is_set }))
}

/// Makes sure that nobody else sets dead-lettering in this vhost until the transaction ends. Tells whether
/// that is so: not while somebody else does.
///
/// # Errors
/// When Postgres does not do it.
pub async fn alone(conn: &mut PgConnection, place: Place<'_>) -> Result<bool, StoreError> {
    // The length tells where the one name ends.
    let key = format!("{} {}{}", place.broker.len(), place.broker, place.vhost);
    let alone = sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('dead-lettering ' || $1, 0)) as "alone!""#,
        key,
    )
    .fetch_one(conn)
    .await?;
    Ok(alone)
}

/// Who set the policies of these queues last, and when.
///
/// # Errors
/// When Postgres does not do it.
pub async fn who(
    conn: &mut PgConnection,
    place: Place<'_>,
    queues: &[&str],
) -> Result<SetHere, StoreError> {
    if queues.is_empty() {
        return Ok(SetHere::new());
    }
    let abouts: Vec<String> =
        queues.iter().map(|queue| about(place, queue, &policy_name(queue))).collect();
    let rows = sqlx::query!(
        r#"select queue as "queue!", a.actor, a.at
           from unnest($1::text[], $2::text[]) as set_here (queue, about)
           cross join lateral (
               select actor, at from audit
               where action = 'queue.dead_lettering' and starts_with(detail, about)
               order by id desc limit 1) a"#,
        queues as &[&str],
        &abouts,
    )
    .fetch_all(conn)
    .await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| (row.queue, (Actor(row.actor), row.at))).collect())
}
