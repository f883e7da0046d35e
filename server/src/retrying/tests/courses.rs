//! A letter's way through its tries.

use dlo_app::desk::{PolicyDesk as _, TriageDesk as _};
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Outcome};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use super::office::{Office, anna, policy};

/// The letter dies again after every try but is tried by the schedule.
async fn die_of_every_try(office: &Office, letter: LetterId) {
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    for (number, delay) in [(1, 10), (2, 100), (3, 1_000)] {
        let next = office.letter(letter).await.retries.next.expect("planned");
        assert_eq!(next.number, number);
        office.after(delay - 1, &mut scheduler).await;
        assert_eq!(office.state(letter).await, LetterState::Scheduled);
        office.after(1, &mut scheduler).await;
        assert_eq!(office.state(letter).await, LetterState::Claimed);
        office.engine_says(Outcome::Confirmed).await;
        office.die_again(letter).await;
        office.after(0, &mut scheduler).await;
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_gets_its_three_tries_and_then_the_obituary(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "queue:work")).await;
    let letter = office.arrive("work").await;
    die_of_every_try(&office, letter).await;

    let told = office.letter(letter).await;
    assert_eq!(told.summary.state, LetterState::Held);
    let obituary = told.retries.exhausted.expect("given up on");
    assert_eq!((obituary.policy_id, &*obituary.policy), (id, "again"));
    let tries: Vec<_> = told.retries.tries.iter().map(|one| (one.number, one.outcome)).collect();
    let died = Outcome::DiedAgain;
    assert_eq!(tries, [(1, died), (2, died), (3, died)]);
    let last = &told.audit[0];
    assert_eq!((&*last.action, &*last.actor), ("letter.exhausted", "retry policy again"));
    assert_eq!(office.made().await, 3);
    let report = office.report(id).await;
    assert_eq!((report.policy.figures.waiting, report.policy.figures.tries_today), (0, 3));
    let filter = LetterFilter::parse("exhausted:true").expect("a filter");
    let page = office.desk.letters(&filter, None, 10).await.expect("a page");
    assert_eq!(page.items.len(), 1);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_persons_replay_begins_anew_and_ends_the_mark_when_it_is_back(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let letter = office.arrive("work").await;
    die_of_every_try(&office, letter).await;
    let new = NewReplay { selection: Selection::of_ids(vec![letter]), ..NewReplay::default() };
    office.desk.plan_replay(&anna(), &new).await.expect("planned");
    office.engine_says(Outcome::Confirmed).await;
    assert!(office.letter(letter).await.retries.exhausted.is_some(), "nobody got further yet");
    office.die_again(letter).await;
    assert!(office.letter(letter).await.retries.exhausted.is_none());
    office.after(0, &mut office.scheduler()).await;
    let retries = office.letter(letter).await.retries;
    assert_eq!(retries.next.map(|next| next.number), Some(1));
    assert_eq!(retries.tries, [], "those were of the course before");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_is_resolved_is_not_given_up_on(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let letter = office.arrive("work").await;
    die_of_every_try(&office, letter).await;
    office.desk.processed(&anna(), letter).await.expect("processed");
    let told = office.letter(letter).await;
    assert_eq!(told.summary.state, LetterState::Resolved);
    assert!(told.retries.exhausted.is_none());
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn whoever_takes_a_scheduled_letter_ends_its_try(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    let letters = office.arrive_all("work", 4).await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    let one = |place: usize| Selection::of_ids(vec![letters[place]]);
    let held = office.desk.hold(&anna(), &one(0)).await.expect("held");
    assert_eq!(held.changed, 1);
    office.desk.discard(&anna(), &one(1), "no").await.expect("discarded");
    let new = NewReplay { selection: one(2), ..NewReplay::default() };
    office.desk.plan_replay(&anna(), &new).await.expect("planned");
    office.desk.restore(&anna(), &one(1)).await.expect("restored");
    assert_eq!(office.report(id).await.policy.figures.waiting, 1);
    office.after(11, &mut scheduler).await;
    assert_eq!(office.made().await, 1, "only the one that nobody touched");
    assert_eq!(office.state(letters[0]).await, LetterState::Held);
    assert_eq!(office.state(letters[1]).await, LetterState::Held);
    assert_eq!(office.state(letters[3]).await, LetterState::Claimed);
    let replayed = office.letter(letters[2]).await.replays;
    assert_eq!(replayed.len(), 1, "by a person, and by nobody else");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_try_that_could_not_be_published_is_one_and_the_next_one_follows(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    let gone = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    for (number, delay, outcome) in
        [(1, 10, Outcome::Unroutable), (2, 100, Outcome::Refused), (3, 1_000, Outcome::Unroutable)]
    {
        let next = office.letter(gone).await.retries.next.expect("planned");
        assert_eq!(next.number, number);
        office.after(delay, &mut scheduler).await;
        office.engine_says(outcome).await;
        assert_eq!(office.state(gone).await, LetterState::Held);
        office.after(0, &mut scheduler).await;
    }
    let told = office.letter(gone).await;
    assert_eq!(told.summary.state, LetterState::Held);
    assert!(told.retries.exhausted.is_some(), "nobody tries a 4th time");
    let outcomes = told.retries.tries.iter().map(|one| one.outcome);
    assert_eq!(
        outcomes.collect::<Vec<_>>(),
        [Outcome::Unroutable, Outcome::Refused, Outcome::Unroutable]
    );
    assert_eq!(told.audit[0].action, "letter.exhausted");
    let report = office.report(id).await;
    let failed: Vec<_> = report.failed.iter().map(|one| (one.letter_id, one.outcome)).collect();
    assert_eq!(failed[0], (gone, Outcome::Unroutable));
    assert_eq!(report.policy.figures.return_percent, Some(100));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_try_that_cannot_be_made_or_is_unknown_or_cancelled_waits_for_a_person(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let homeless = office.arrive("").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(11, &mut scheduler).await;
    let told = office.letter(homeless).await;
    assert_eq!(told.summary.state, LetterState::Held, "nobody knows its queue");
    assert!(told.retries.exhausted.is_some(), "given up on");
    assert_eq!(told.audit[0].action, "letter.exhausted");
    assert_eq!(told.audit[1].action, "letter.unschedule");

    let unknown = office.arrive("work").await;
    office.after(0, &mut scheduler).await;
    office.after(11, &mut scheduler).await;
    office.engine_says(Outcome::Unknown).await;
    let cancelled = office.arrive("work").await;
    office.after(0, &mut scheduler).await;
    office.after(11, &mut scheduler).await;
    sqlx::query("update replays set state = 'cancelled' where pending > 0")
        .execute(&pool)
        .await
        .expect("cancelled");
    office.engine_says(Outcome::Refused).await;
    office.after(2_000, &mut scheduler).await;
    assert_eq!(office.state(unknown).await, LetterState::Unknown);
    assert_eq!(office.state(cancelled).await, LetterState::Held);
    assert_eq!(office.made().await, 2, "none is tried again in silence");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_copy_that_comes_late_goes_on_where_the_letter_is(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&policy("again", "")).await;
    let letter = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(10, &mut scheduler).await;
    office.engine_says(Outcome::Confirmed).await;
    office.die_again(letter).await;
    // The broker had delivered the first try twice.
    office.die_again(letter).await;
    office.after(0, &mut scheduler).await;
    let next = office.letter(letter).await.retries.next.expect("planned");
    assert_eq!(next.number, 2);
    let waiting = office.count("select count(*) from retries where state = 'waiting'");
    assert_eq!(waiting.await, 1);
}
