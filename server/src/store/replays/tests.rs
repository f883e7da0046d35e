//! What a replay costs Postgres must not grow with the square of its letters.

use sqlx::PgPool;

use super::are_all_between;

#[test]
fn positions_without_a_gap_need_no_list() {
    assert!(are_all_between(&[]) && are_all_between(&[7]) && are_all_between(&[4, 2, 3]));
    assert!(!are_all_between(&[2, 4]) && !are_all_between(&[i32::MIN, i32::MAX]));
}

/// A migration that replaces the function must say it again: see `count_changes_without_loops`.
#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn changed_letters_are_not_counted_in_loops(pool: PgPool) {
    let settings: Option<Vec<String>> =
        sqlx::query_scalar("select proconfig from pg_proc where proname = 'count_changed_letters'")
            .fetch_one(&pool)
            .await
            .expect("a function");
    assert_eq!(settings.unwrap_or_default(), ["enable_nestloop=off"]);
}
