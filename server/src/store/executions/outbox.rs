//! What is to be published of executions: written with the change that it tells of, and kept until a
//! queue has it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// Where announcements go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The exchange.
    pub exchange: String,
    /// The routing key.
    pub routing_key: String,
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Its id: the message's too, so that a receiver can tell one that came twice.
    pub id: Uuid,
    /// Where it goes.
    pub destination: Destination,
    /// What it says.
    pub body: Value,
    /// How often it was tried, this time included.
    pub tries: i32,
}

/// Adds a message.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(
    conn: &mut PgConnection,
    id: Uuid,
    to: &Destination,
    body: &Value,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into execution_outbox (id, broker, vhost, exchange, routing_key, body, due_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
        id,
        to.broker,
        to.vhost,
        to.exchange,
        to.routing_key,
        body,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes messages that are due, and puts them off until `until`: by then it is known what came of
/// them, or whoever took them is gone. What a clock that was set back left far in the future is due
/// too.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    (until, never_later): (DateTime<Utc>, DateTime<Utc>),
    most: i64,
) -> Result<Vec<Waiting>, StoreError> {
    let rows = sqlx::query!(
        "update execution_outbox o set due_at = $2, tries = o.tries + 1
         from (select id from execution_outbox where due_at <= $1 or due_at > $3
               order by due_at, id limit $4 for update skip locked) due
         where o.id = due.id
         returning o.id, broker, vhost, exchange, routing_key, body, tries",
        now,
        until,
        never_later,
        most,
    )
    .fetch_all(conn)
    .await?;
    let mut taken: Vec<Waiting> = rows
        .into_iter()
        .map(|row| Waiting {
            id: row.id,
            destination: Destination {
                broker: row.broker,
                vhost: row.vhost,
                exchange: row.exchange,
                routing_key: row.routing_key,
            },
            body: row.body,
            tries: row.tries,
        })
        .collect();
    taken.sort_by_key(|waiting| waiting.id);
    Ok(taken)
}

/// A queue has them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn done(conn: &mut PgConnection, ids: &[Uuid]) -> Result<(), StoreError> {
    sqlx::query!("delete from execution_outbox where id = any($1)", ids).execute(conn).await?;
    Ok(())
}

/// It was not published, and is tried again.
///
/// # Errors
/// When Postgres does not do it.
pub async fn failed(
    conn: &mut PgConnection,
    id: Uuid,
    due_at: DateTime<Utc>,
    why: &str,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update execution_outbox set due_at = $2, last_error = $3 where id = $1",
        id,
        due_at,
        why,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How many wait, up to 10,000, and why the oldest that was tried was not published.
///
/// # Errors
/// When Postgres does not do it.
pub async fn waiting(conn: &mut PgConnection) -> Result<(i64, Option<String>), StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (select from execution_outbox limit 10000) as these"#
    )
    .fetch_one(&mut *conn)
    .await?;
    let why = sqlx::query_scalar!(
        r#"select last_error as "why!" from execution_outbox
           where last_error is not null order by due_at, id limit 1"#
    )
    .fetch_optional(conn)
    .await?;
    Ok((count, why))
}
