//! What a replay costs Postgres must not grow with the square of its letters.

use sqlx::PgPool;

/// A migration that replaces the function must say it again: see `count_changes_without_loops`.
#[sqlx::test(migrations = "../migrations")]
async fn changed_letters_are_not_counted_in_loops(pool: PgPool) {
    let settings: Option<Vec<String>> =
        sqlx::query_scalar("select proconfig from pg_proc where proname = 'count_changed_letters'")
            .fetch_one(&pool)
            .await
            .expect("a function");
    assert_eq!(settings.unwrap_or_default(), ["enable_nestloop=off"]);
}
