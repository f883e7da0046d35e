//! The database of a test, as programs and other connections reach it.

use sqlx::PgPool;

use super::needed;

/// The address of a test's database.
pub fn database_url(pool: &PgPool) -> String {
    let url = needed("DATABASE_URL");
    let (server, _) = url.rsplit_once('/').expect("a path");
    format!("{server}/{}", pool.connect_options().get_database().expect("named"))
}

/// Removes the tables that a new database has in the tests, for what begins without any.
pub async fn empty(pool: &PgPool) {
    let schema = "drop schema public cascade;
                  create schema public authorization pg_database_owner;
                  grant usage on schema public to public";
    sqlx::raw_sql(schema).execute(pool).await.expect("emptied");
}

/// A connection to another database of the same server.
pub async fn admin() -> PgPool {
    let url = needed("DATABASE_URL");
    PgPool::connect(&url).await.expect("a connection")
}

pub async fn count(pool: &PgPool, of: &'static str) -> i64 {
    let counted = sqlx::query_scalar(of).fetch_one(pool).await;
    counted.unwrap_or(-1)
}
