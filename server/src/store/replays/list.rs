//! The list of replays: everybody's, or of some makers only. Each list has an index of its own, so
//! that people's replays are found at once between very many of policies.

use dlo_domain::page::{Cursor, Total};
use dlo_domain::replay::{Makers, Replay};
use sqlx::PgConnection;
use uuid::Uuid;

use super::read;
use crate::store::StoreError;

/// Replays are counted up to here: policies make many.
const MOST_COUNTED: i64 = 10_000;

/// At most `limit` replays after the cursor, newest first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    by: Makers,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Replay>, StoreError> {
    let ids = ids(conn, by, after, limit).await?;
    read::these(conn, &ids).await
}

async fn ids(
    conn: &mut PgConnection,
    by: Makers,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let (at, id) = (after.map(|cursor| cursor.at), after.map(|cursor| cursor.id));
    let ids = match by {
        Makers::All => {
            sqlx::query_scalar!(
                "select id from replays
                 where $1::timestamptz is null or (created_at, id) < ($1, $2)
                 order by created_at desc, id desc limit $3",
                at,
                id,
                limit
            )
            .fetch_all(conn)
            .await?
        }
        Makers::People => {
            sqlx::query_scalar!(
                "select id from replays
                 where policy_id is null
                     and ($1::timestamptz is null or (created_at, id) < ($1, $2))
                 order by created_at desc, id desc limit $3",
                at,
                id,
                limit
            )
            .fetch_all(conn)
            .await?
        }
        Makers::Policies => {
            sqlx::query_scalar!(
                "select id from replays
                 where policy_id is not null
                     and ($1::timestamptz is null or (created_at, id) < ($1, $2))
                 order by created_at desc, id desc limit $3",
                at,
                id,
                limit
            )
            .fetch_all(conn)
            .await?
        }
        Makers::Policy(policy) => {
            sqlx::query_scalar!(
                "select id from replays
                 where policy_id = $4
                     and ($1::timestamptz is null or (created_at, id) < ($1, $2))
                 order by created_at desc, id desc limit $3",
                at,
                id,
                limit,
                policy.0
            )
            .fetch_all(conn)
            .await?
        }
    };
    Ok(ids)
}

/// How many replays there are.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection, by: Makers) -> Result<Total, StoreError> {
    let counted = match by {
        Makers::All => {
            sqlx::query_scalar!(
                "select count(*) from (select from replays limit $1) as these",
                MOST_COUNTED
            )
            .fetch_one(conn)
            .await?
        }
        Makers::People => {
            sqlx::query_scalar!(
                "select count(*) from (
                 select from replays where policy_id is null limit $1) as these",
                MOST_COUNTED
            )
            .fetch_one(conn)
            .await?
        }
        Makers::Policies => {
            sqlx::query_scalar!(
                "select count(*) from (
                 select from replays where policy_id is not null limit $1) as these",
                MOST_COUNTED
            )
            .fetch_one(conn)
            .await?
        }
        Makers::Policy(policy) => {
            sqlx::query_scalar!(
                "select count(*) from (
                 select from replays where policy_id = $2 limit $1) as these",
                MOST_COUNTED,
                policy.0
            )
            .fetch_one(conn)
            .await?
        }
    };
    let count = counted.unwrap_or_default();
    let is_least = count >= MOST_COUNTED;
    Ok(Total { count, is_least })
}
