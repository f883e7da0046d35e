//! Policies are kept as they were written.

use dlo_domain::policy::{BreakerState, NewPolicy};
use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_that_another_version_wrote_is_left_out_and_can_be_removed(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let now: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().expect("a time");
    let ids = [1, 2, 3].map(|number| PolicyId(Uuid::from_u128(number)));
    for id in ids {
        let policy =
            NewPolicy { name: format!("policy {}", id.0.as_u128()), ..NewPolicy::default() };
        insert(&mut conn, id, &policy, "anna", now).await.expect("inserted");
    }
    sqlx::query("update retry_policies set policy = '{\"newer\": true}' where position = 2")
        .execute(&mut *conn)
        .await
        .expect("changed");
    let kept = all(&mut conn).await.expect("read");
    let places: Vec<i32> = kept.iter().map(|kept| kept.position).collect();
    assert_eq!(places, [1, 3]);
    let seized = seize(&mut conn, ids[1]).await.expect("asked");
    assert_eq!(seized, None, "it is not guessed at");
    let gone = remove(&mut conn, ids[1], "anna", now).await.expect("removed");
    assert_eq!(gone.as_deref(), Some("policy 2"));
    let kept = all(&mut conn).await.expect("read");
    let places: Vec<i32> = kept.iter().map(|kept| kept.position).collect();
    assert_eq!(places, [1, 2]);
    assert_eq!(kept[0].breaker.state, BreakerState::Closed);
}
