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
/// When Postgres does not do it or a row cannot be read.
pub async fn routes(conn: &mut PgConnection) -> Result<Vec<(ChannelId, Route)>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, route as "route: Json<Route>" from channels where enabled and removed_at is null"#,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (ChannelId(row.id), row.route.0)).collect())
}

/// Has these channels told of a change, and of its end those that were told of the alert before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write(
    conn: &mut PgConnection,
    (alert, change, life): (AlertId, AlertChange, &Life),
    channels: &[ChannelId],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let channels: Vec<Uuid> = channels.iter().map(|channel| channel.0).collect();
    sqlx::query!(
        "insert into notifications (channel_id, alert_id, change, severity, figure, at)
         select c.id, $1, $2, $3, $4, $5 from channels c
         where c.enabled and c.removed_at is null and case when $2 = 'resolved'
             then exists (select from notifications n where n.alert_id = $1 and n.channel_id = c.id)
             else c.id = any($6) end",
        alert.0,
        change.as_str(),
        life.severity.as_str(),
        life.figure,
        now,
        &channels,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who owns a group, if somebody does.
///
/// # Errors
/// When Postgres does not do it.
pub async fn owner_of(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<String>, StoreError> {
    let owner = sqlx::query_scalar!("select owner from groups where id = $1", group.0);
    Ok(owner.fetch_optional(conn).await?.flatten())
}
