//! Which policy takes a letter, and what it does with it.

use dlo_app::desk::{DeskError, PolicyDesk as _};
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{Day, NewPolicy, PolicyVerdict, RetryWindow};
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use super::office::{Office, anna, policy};
use crate::clock::new_id;

fn that(verdict: PolicyVerdict, name: &str, filter: &str) -> NewPolicy {
    NewPolicy { verdict, ..policy(name, filter) }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_first_policy_that_matches_decides(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&that(PolicyVerdict::Hold, "by hand", "queue:payments")).await;
    let noise = office.add(&that(PolicyVerdict::Discard, "noise", "queue:*.noise")).await;
    let rest = office.add(&policy("the rest", "")).await;
    let held = office.arrive("payments").await;
    let gone = office.arrive("cache.noise").await;
    let tried = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(held).await, LetterState::Held);
    assert_eq!(office.state(tried).await, LetterState::Scheduled);
    let told = office.letter(gone).await;
    assert_eq!(told.summary.state, LetterState::Discarded);
    assert_eq!(told.audit[0].actor, "retry policy noise");

    let hold = office.desk.policies().await.expect("read")[0].id;
    let ordered = office.desk.order_policies(&anna(), &[rest, noise, hold]).await;
    let places: Vec<_> = ordered.expect("ordered").iter().map(|one| one.position).collect();
    assert_eq!(places, [1, 2, 3]);
    let now_tried = office.arrive("payments").await;
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(now_tried).await, LetterState::Scheduled);
    let doubled = office.desk.order_policies(&anna(), &[rest, rest, hold]).await;
    assert!(matches!(doubled, Err(DeskError::Conflict(_))));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn no_two_policies_have_one_name(pool: PgPool) {
    let office = Office::open(&pool).await;
    let again = policy("again", "queue:work");
    let first = office.add(&again).await;
    let other = office.add(&policy("other", "")).await;
    let desk = &office.desk;
    for refused in [
        desk.add_policy(&anna(), &again).await,
        desk.change_policy(&anna(), other, &policy(" again ", "")).await,
    ] {
        let Err(DeskError::Invalid(why)) = refused else {
            panic!("refused: {refused:?}");
        };
        assert!(why.contains("`again` already"), "{why}");
    }
    let kept = desk.change_policy(&anna(), first, &policy("again", "")).await;
    kept.expect("it keeps its name");
    desk.remove_policy(&anna(), first).await.expect("removed");
    office.add(&again).await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn intake_asks_nothing_while_no_policy_is_on(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.arrive("work").await;
    let id = office.add(&policy("again", "")).await;
    office.arrive("work").await;
    assert_eq!(office.count("select count(*) from policy_inbox").await, 1);
    let off = NewPolicy { enabled: false, ..policy("again", "") };
    office.desk.change_policy(&anna(), id, &off).await.expect("off");
    office.arrive("work").await;
    assert_eq!(office.count("select count(*) from policy_inbox").await, 1);
    office.after(0, &mut office.scheduler()).await;
    assert_eq!(office.count("select count(*) from policy_inbox").await, 0);
    let scheduled = office.count("select count(*) from letters where state = 'scheduled'");
    assert_eq!(scheduled.await, 0, "it is asked as it is now");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_that_is_off_makes_no_tries_and_one_that_is_gone_lets_go(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    let letter = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    let mut off = policy("again", "");
    off.enabled = false;
    office.desk.change_policy(&anna(), id, &off).await.expect("off");
    office.after(60, &mut scheduler).await;
    assert_eq!(office.made().await, 0);
    let next = office.letter(letter).await.retries.next.expect("it waits");
    assert!(next.is_paused);

    office.desk.remove_policy(&anna(), id).await.expect("removed");
    let next = office.letter(letter).await.retries.next;
    assert!(next.is_some_and(|next| next.is_paused), "for a moment");
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(letter).await, LetterState::Held);
    assert!(office.letter(letter).await.retries.next.is_none());
    let kept = office.desk.policy(id).await.expect("it is shown as removed");
    assert!(kept.removed.is_some());
    let gone = office.desk.remove_policy(&anna(), id).await;
    assert!(matches!(gone, Err(DeskError::NotFound(_))));
    office.after(60, &mut scheduler).await;
    assert_eq!(office.made().await, 0);

    let other = office.add(&policy("other", "")).await;
    let letter = office.arrive("work").await;
    office.after(0, &mut scheduler).await;
    let hold = that(PolicyVerdict::Hold, "other", "");
    office.desk.change_policy(&anna(), other, &hold).await.expect("changed");
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(letter).await, LetterState::Held);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_made_later_can_be_applied_to_what_is_held(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.arrive_all("work", 3).await;
    let other = office.arrive("other").await;
    let id = office.add(&policy("again", "queue:work")).await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(letters[0]).await, LetterState::Held);
    let applied = office.desk.apply_policy(&anna(), id).await.expect("applied");
    assert_eq!(applied.letters, 3);
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(letters[2]).await, LetterState::Scheduled);
    assert_eq!(office.state(other).await, LetterState::Held);
    let mut off = policy("again", "queue:work");
    off.enabled = false;
    office.desk.change_policy(&anna(), id, &off).await.expect("off");
    let refused = office.desk.apply_policy(&anna(), id).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_preview_counts_what_earlier_policies_leave(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.arrive_all("work", 4).await;
    office.arrive_all("payments", 2).await;
    let first = office.add(&that(PolicyVerdict::Hold, "by hand", "queue:payments")).await;
    let all = policy("all", "");
    let behind = office.desk.preview_policy(None, &all).await.expect("previewed");
    assert_eq!((behind.matched, behind.taken_before), (4, 2));
    let retries: i64 = behind.retries.iter().map(|day| day.retries).sum();
    assert_eq!(retries, 0, "they arrived just now");
    office.clock.advance(chrono::TimeDelta::hours(1));
    let instead = office.desk.preview_policy(Some(first), &all).await.expect("previewed");
    assert_eq!((instead.matched, instead.taken_before, instead.samples.len()), (6, 0, 5));
    let retries: i64 = instead.retries.iter().map(|day| day.retries).sum();
    assert_eq!(retries, 18, "three tries each");
    let discard = that(PolicyVerdict::Discard, "away", "queue:work");
    let discard = office.desk.preview_policy(None, &discard).await.expect("previewed");
    assert_eq!((discard.discards, discard.matched), (4, 4));
    assert_eq!(office.count("select count(*) from retry_policies").await, 1);
    let wrong = office.desk.preview_policy(None, &policy("wrong", "state:held")).await;
    assert!(matches!(wrong, Err(DeskError::Invalid(_))));
    let nobody = PolicyId(new_id(&*office.clock));
    let nowhere = office.desk.preview_policy(Some(nobody), &all).await;
    assert!(matches!(nowhere, Err(DeskError::NotFound(_))));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_window_holds_tries_back_until_it_opens(pool: PgPool) {
    let office = Office::open(&pool).await;
    let night = RetryWindow {
        days: vec![Day::Sat],
        from: "22:00".parse().expect("a time"),
        until: "06:00".parse().expect("a time"),
    };
    let policy = NewPolicy { window: Some(night), ..policy("at night", "") };
    office.add(&policy).await;
    let letter = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    // It is Saturday, noon.
    office.after(10 * 3_600 - 1, &mut scheduler).await;
    assert_eq!(office.made().await, 0);
    office.after(1, &mut scheduler).await;
    assert_eq!(office.made().await, 1);
    office.engine_says(Outcome::Confirmed).await;
    assert_eq!(office.state(letter).await, LetterState::Replayed);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_wait_a_little_for_their_group_when_a_policy_asks_for_one(pool: PgPool) {
    let office = Office::open(&pool).await;
    let group = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
    office.add(&policy("a group", &format!("group:{group}"))).await;
    let letter = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(1, &mut scheduler).await;
    assert_eq!(office.count("select count(*) from policy_inbox").await, 1);
    office.after(10, &mut scheduler).await;
    assert_eq!(office.count("select count(*) from policy_inbox").await, 0);
    assert_eq!(office.state(letter).await, LetterState::Held);
    let _ = office.desk.policies().await.expect("read");
}
