//! Offices: the running processes that share this database, and which of them live.

use dlo_domain::ids::OfficeId;
use dlo_domain::office::Trouble;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;
use crate::clock::Clock;

/// The key of an office's advisory lock.
fn lock_key(id: OfficeId) -> i64 {
    // The random half of a UUID of version 7.
    let (_, random) = id.0.as_u64_pair();
    i64::from_be_bytes(random.to_be_bytes())
}

/// Writes an office down and takes its lock for as long as this connection lives.
///
/// # Errors
/// When Postgres does not do it.
pub async fn register(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    id: OfficeId,
) -> Result<(), StoreError> {
    sqlx::query!("select pg_advisory_lock($1)", lock_key(id)).execute(&mut *conn).await?;
    sqlx::query!(
        "insert into offices (id, lock_key, started_at) values ($1, $2, $3)
         on conflict (id) do nothing",
        id.0,
        lock_key(id),
        clock.now(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps what is not well with an office.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_troubles(
    conn: &mut PgConnection,
    id: OfficeId,
    troubles: &[Trouble],
) -> Result<(), StoreError> {
    sqlx::query!("update offices set troubles = $2 where id = $1", id.0, Json(troubles) as _)
        .execute(conn)
        .await?;
    Ok(())
}

/// What is not well with offices that live.
///
/// # Errors
/// When Postgres does not answer.
pub async fn troubles(conn: &mut PgConnection) -> Result<Vec<Trouble>, StoreError> {
    let troubled = sqlx::query!(
        r#"select id, troubles as "troubles: Json<Vec<Trouble>>" from offices
           where troubles <> '[]' order by id"#,
    )
    .fetch_all(&mut *conn)
    .await?;
    // Mostly; and whose locks are held takes as long as much of a page.
    if troubled.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = troubled.iter().map(|office| office.id).collect();
    let living = living(conn, &ids).await?;
    let living = troubled.into_iter().filter(|office| living.contains(&office.id));
    Ok(living.flat_map(|office| office.troubles.0).collect())
}

/// Which of these offices live: their connections hold their locks.
///
/// # Errors
/// When Postgres does not answer.
pub async fn living(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let ids = sqlx::query_scalar!(
        "select id from offices
         where id = any($1) and exists (
             select from pg_locks
             where locktype = 'advisory' and granted and objsubid = 1
                 and database = (select oid from pg_database where datname = current_database())
                 and (classid::bigint << 32) | objid::bigint = lock_key)",
        ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(ids)
}

/// Whether one office lives.
///
/// # Errors
/// When Postgres does not answer.
pub async fn is_alive(conn: &mut PgConnection, id: OfficeId) -> Result<bool, StoreError> {
    Ok(!living(conn, &[id.0]).await?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{SystemClock, new_id};
    use sqlx::{Connection, PgPool};

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn an_office_lives_as_long_as_its_connection(pool: PgPool) {
        let id = OfficeId(new_id(&SystemClock));
        let mut own =
            PgConnection::connect_with(&pool.connect_options()).await.expect("a connection");
        register(&mut own, &SystemClock, id).await.expect("registered");
        let mut other = pool.acquire().await.expect("a connection");
        assert!(is_alive(&mut other, id).await.expect("an answer"));
        own.close().await.expect("closed");
        for _ in 0..100 {
            if !is_alive(&mut other, id).await.expect("an answer") {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("the office still lives after its connection is gone");
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn what_is_not_well_is_told_of_offices_that_live(pool: PgPool) {
        let id = OfficeId(new_id(&SystemClock));
        let mut own =
            PgConnection::connect_with(&pool.connect_options()).await.expect("a connection");
        register(&mut own, &SystemClock, id).await.expect("registered");
        let mut other = pool.acquire().await.expect("a connection");
        assert_eq!(troubles(&mut other).await.expect("read"), []);
        // To the microsecond, as Postgres keeps it.
        let since = chrono::DateTime::from_timestamp(1_900_000_000, 0).expect("a time");
        let trouble = Trouble { what: "a duty fails".to_owned(), since };
        set_troubles(&mut own, id, std::slice::from_ref(&trouble)).await.expect("written");
        assert_eq!(troubles(&mut other).await.expect("read"), [trouble]);
        own.close().await.expect("closed");
        // Postgres lets the lock go in its own time.
        while is_alive(&mut other, id).await.expect("an answer") {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!(troubles(&mut other).await.expect("read"), [], "an office that is gone");
    }
}
