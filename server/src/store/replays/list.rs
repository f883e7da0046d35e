//! The list of replays: everybody's, or of some makers only. Each list has an index of its own, so
//! that people's replays are found at once between very many of policies.

use dlo_domain::page::{Cursor, Total};
use dlo_domain::replay::{Makers, Replay};
use sqlx::{PgConnection, Postgres, QueryBuilder};
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
    let mut sql = QueryBuilder::new("select id from replays where ");
    write_makers(&mut sql, by);
    if let Some(Cursor { at, id }) = after {
        sql.push(" and (created_at, id) < (").push_bind(at);
        sql.push(", ").push_bind(id).push(")");
    }
    sql.push(" order by created_at desc, id desc limit ").push_bind(limit);
    Ok(sql.build_query_scalar().fetch_all(conn).await?)
}

/// How many replays there are.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection, by: Makers) -> Result<Total, StoreError> {
    let mut sql = QueryBuilder::new("select count(*) from (select from replays where ");
    write_makers(&mut sql, by);
    sql.push(" limit ").push_bind(MOST_COUNTED).push(") as these");
    let count: i64 = sql.build_query_scalar().fetch_one(conn).await?;
    let is_least = count >= MOST_COUNTED;
    Ok(Total { count, is_least })
}

/// As the indexes have it.
fn write_makers(sql: &mut QueryBuilder<Postgres>, by: Makers) {
    match by {
        Makers::All => sql.push("true"),
        Makers::People => sql.push("policy_id is null and created_by <> 'dead letter handler'"),
        Makers::Policies => sql.push("policy_id is not null"),
        Makers::Handler => sql.push("policy_id is null and created_by = 'dead letter handler'"),
        Makers::Policy(policy) => sql.push("policy_id = ").push_bind(policy.0),
    };
}
