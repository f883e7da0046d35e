//! What policies that only look say they would do.

use dlo_domain::policy::{NewPolicy, PolicyVerdict};
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use super::office::{Office, policy};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_in_shadow_mode_says_what_it_would_do_and_is_passed_by(pool: PgPool) {
    let office = Office::open(&pool).await;
    let shadow = NewPolicy {
        shadow: true,
        verdict: PolicyVerdict::Discard,
        ..policy("would discard", "queue:work")
    };
    let shadow = office.add(&shadow).await;
    office.add(&policy("real", "queue:work")).await;
    let letters = office.arrive_all("work", 3).await;
    office.arrive("other").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    for letter in &letters {
        assert_eq!(office.state(*letter).await, LetterState::Scheduled);
    }
    let results = office.report(shadow).await.shadow;
    assert_eq!((results.discards, results.retries, results.samples.len()), (3, 0, 3));
    // What it would have done is forgotten after a week.
    office.after(8 * 86_400, &mut scheduler).await;
    assert_eq!(office.count("select count(*) from retry_shadows").await, 0);
}

/// One that acts would plan a try, refuse it when it is due, and give the letter up.
#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_in_shadow_mode_gives_up_what_only_a_message_says_that_it_died(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.believe("orders.*").await;
    let shadow = NewPolicy { shadow: true, ..policy("would retry", "") };
    let shadow = office.add(&shadow).await;
    office.arrive("orders.work").await;
    office.arrive("payments.execute").await;
    office.after(0, &mut office.scheduler()).await;
    let results = office.report(shadow).await.shadow;
    assert_eq!((results.retries, results.exhausted), (1, 1));
}
