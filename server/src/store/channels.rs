//! Channels: reading and changing them. Their addresses are secrets: they are read where something is posted, and
//! nowhere else.

pub mod outbox;
pub mod posting;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::channel::{
    Channel, ChannelKind, ChannelTest, NewChannel, Route, UnknownChannelKind, masked,
};
use dlo_domain::ids::ChannelId;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::store::StoreError;

/// For how long messages are signed with the secret before, too.
const SIGNED_TWICE_FOR: TimeDelta = TimeDelta::days(1);

/// All channels in the order of their names.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Channel>, StoreError> {
    let rows = sqlx::query!(
        r#"select c.id, c.name, c.kind, c.address, c.route as "route: Json<Route>", c.enabled, c.last_sent_at,
             c.failing_since, c.last_answer, c.tested_at, c.test_taken, c.test_answer, c.previous_until,
             (select count(*) from notifications n where n.channel_id = c.id and n.sent_at is null
                  and coalesce(n.not_before, '-infinity') <= now()) as "waiting!",
             (select count(distinct n.alert_id) from notifications n where n.channel_id = c.id
                  and n.sent_at is null and n.not_before > now()) as "waiting_for_digest!"
           from channels c where c.removed_at is null order by c.name"#,
    )
    .fetch_all(conn)
    .await?;
    let channels = rows.into_iter().map(|row| {
        Ok(Channel {
            id: ChannelId(row.id),
            name: row.name,
            kind: kind(&row.kind)?,
            address: masked(&row.address),
            route: row.route.0,
            enabled: row.enabled,
            signed_twice_until: row.previous_until,
            waiting: row.waiting,
            waiting_for_digest: row.waiting_for_digest,
            last_sent_at: row.last_sent_at,
            failing_since: row.failing_since,
            last_answer: row.last_answer,
            last_test: row.tested_at.zip(row.test_taken).map(|(at, taken)| ChannelTest {
                taken,
                answer: row.test_answer.unwrap_or_default(),
                at,
            }),
        })
    });
    channels.collect()
}

fn kind(word: &str) -> Result<ChannelKind, StoreError> {
    let kind = word.parse();
    kind.map_err(|why: UnknownChannelKind| StoreError::corrupt("channels", "kind", why))
}

/// Adds a channel. `false` when another has its name.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn insert(
    conn: &mut PgConnection,
    id: ChannelId,
    (channel, address): (&NewChannel, &str),
    (by, now): (&str, DateTime<Utc>),
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "insert into channels (id, name, kind, address, route, enabled, created_at, changed_by, changed_at, due_at,
             secret)
         values ($1, $2, $3, $4, $5, $6, $8, $7, $8, $8, $9)
         on conflict (name) where removed_at is null do nothing",
        id.0,
        channel.name,
        channel.kind.as_str(),
        address,
        Json(&channel.route) as _,
        channel.enabled,
        by,
        now,
        channel.secret,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Puts another in the place of a channel; its address and its secret stay where none is given, and a secret that is
/// replaced is used beside the new one for a day. What waits for it is tried at once, or let go if it is switched off.
/// `false` when there is none.
///
/// # Errors
/// When Postgres does not do it, or another has the name.
pub async fn change(
    conn: &mut PgConnection,
    id: ChannelId,
    channel: &NewChannel,
    (by, now): (&str, DateTime<Utc>),
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update channels set name = $2, kind = $3, address = coalesce($4, address), route = $5, enabled = $6,
             changed_by = $7, changed_at = $8, due_at = $8, failures = 0, failing_since = null,
             last_answer = null,
             secret = case when $3 = 'webhook' then coalesce($9, secret) end,
             previous_secret = case when $3 <> 'webhook' then null
                 when $9 <> secret then secret else previous_secret end,
             previous_until = case when $3 <> 'webhook' then null
                 when $9 <> secret then $10 else previous_until end
         where id = $1 and removed_at is null",
        id.0,
        channel.name,
        channel.kind.as_str(),
        channel.address,
        Json(&channel.route) as _,
        channel.enabled,
        by,
        now,
        channel.secret,
        now + SIGNED_TWICE_FOR,
    )
    .execute(&mut *conn)
    .await?;
    if !channel.enabled {
        let_go(conn, id).await?;
    }
    Ok(done.rows_affected() > 0)
}

/// Keeps what came of a test.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn tested(
    conn: &mut PgConnection,
    id: ChannelId,
    test: &ChannelTest,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update channels set tested_at = $2, test_taken = $3, test_answer = $4 where id = $1",
        id.0,
        test.at,
        test.taken,
        test.answer,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a channel, and what waits for it. Tells its name; nothing when there is none.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn remove(
    conn: &mut PgConnection,
    id: ChannelId,
    now: DateTime<Utc>,
) -> Result<Option<String>, StoreError> {
    let name = sqlx::query_scalar!(
        "update channels set removed_at = $2 where id = $1 and removed_at is null returning name",
        id.0,
        now,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let_go(conn, id).await?;
    Ok(name)
}

async fn let_go(conn: &mut PgConnection, id: ChannelId) -> Result<(), StoreError> {
    sqlx::query!("delete from notifications where channel_id = $1 and sent_at is null", id.0)
        .execute(conn)
        .await?;
    Ok(())
}
