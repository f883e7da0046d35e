//! Tries that are due before others that were made: they are made all the same, and soon.

use dlo_domain::ids::LetterId;
use sqlx::PgPool;

use super::office::{Office, policy};
use crate::retrying::Scheduler;

/// A letter whose try waits, which is due after 10 seconds.
async fn planned(office: &Office, scheduler: &mut Scheduler) -> LetterId {
    let letter = office.arrive("work").await;
    office.after(0, scheduler).await;
    letter
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_that_somebody_works_on_gets_its_try_right_afterwards(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let mut scheduler = office.scheduler();
    let letter = planned(&office, &mut scheduler).await;
    office.after(3, &mut scheduler).await;
    planned(&office, &mut scheduler).await;
    let mut held = pool.begin().await.expect("begun");
    sqlx::query("select from letters where id = $1 for update")
        .bind(letter.0)
        .execute(&mut *held)
        .await
        .expect("locked");
    office.after(12, &mut scheduler).await;
    assert_eq!(office.made().await, 1);
    held.rollback().await.expect("released");
    office.after(1, &mut scheduler).await;
    assert_eq!(office.made().await, 2);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_try_that_was_due_long_before_it_is_seen_is_made_within_ten_seconds(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let mut scheduler = office.scheduler();
    planned(&office, &mut scheduler).await;
    office.after(60, &mut scheduler).await;
    assert_eq!(office.made().await, 1);
    planned(&office, &mut scheduler).await;
    sqlx::query("update retries set due_at = due_at - interval '1 hour' where state = 'waiting'")
        .execute(&pool)
        .await
        .expect("due");
    for _ in 0..10 {
        office.after(1, &mut scheduler).await;
    }
    assert_eq!(office.made().await, 2);
}
