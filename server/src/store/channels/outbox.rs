//! Writes down what channels are to be told, with the change that it tells of.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{AlertChange, Life};
use dlo_domain::channel::Route;
use dlo_domain::ids::{AlertId, ChannelId, GroupId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::store::StoreError;

/// The channels that are used, and what goes there.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn routes(conn: &mut PgConnection) -> Result<Vec<(ChannelId, Route)>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, route as "route: Json<Route>" from channels where enabled and removed_at is null"#,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (ChannelId(row.id), row.route.0)).collect())
}

/// A channel that is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    /// The channel.
    pub channel: ChannelId,
    /// Not before this time; `None` at once.
    pub not_before: Option<DateTime<Utc>>,
}

/// Writes down that these channels are to be told of a change. Of its end only those are told that were told, or
/// were to be told, of the alert before.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn write(
    conn: &mut PgConnection,
    (alert, change, life): (AlertId, AlertChange, &Life),
    recipients: &[Recipient],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let channels: Vec<Uuid> = recipients.iter().map(|one| one.channel.0).collect();
    let not_before: Vec<Option<DateTime<Utc>>> =
        recipients.iter().map(|one| one.not_before).collect();
    sqlx::query!(
        "insert into notifications (channel_id, alert_id, change, severity, figure, at, not_before)
         select c.id, $1, $2, $3, $4, $5, r.not_before
         from channels c
         left join unnest($6::uuid[], $7::timestamptz[]) as r (channel_id, not_before) on r.channel_id = c.id
         where c.enabled and c.removed_at is null and case when $2 in ('resolved', 'unwatched')
             then exists (select from notifications n where n.alert_id = $1 and n.channel_id = c.id)
             else r.channel_id is not null end",
        alert.0,
        change.as_str(),
        life.severity.as_str(),
        life.figure,
        now,
        &channels,
        &not_before as &[Option<DateTime<Utc>>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who owns a group, if somebody does.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn owner_of(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<String>, StoreError> {
    let owner = sqlx::query_scalar!("select owner from groups where id = $1", group.0);
    Ok(owner.fetch_optional(conn).await?.flatten())
}
