//! Downtime, clocks that are set, budgets and breakers.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::policy::{Breaker, BreakerState, NewPolicy};
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::clock::Clock as _;
use crate::store::events::{Heard, Listener, notify};
use crate::store::retries::samples;

use super::office::{Office, policy};

/// One a second.
fn slow() -> NewPolicy {
    NewPolicy { retries_per_minute: 60, breaker: None, ..policy("slow", "") }
}

/// Makes passes a second apart until all are tried; tells the most tries of any 10 seconds.
async fn most_in_ten_seconds(office: &Office, letters: i64) -> i64 {
    let mut scheduler = office.scheduler();
    let mut made = vec![office.made().await];
    for _ in 0..letters * 2 {
        office.after(1, &mut scheduler).await;
        office.engine_says(Outcome::Confirmed).await;
        made.push(office.made().await);
        if made.last() == Some(&letters) {
            break;
        }
    }
    assert_eq!(made.last(), Some(&letters), "none is lost");
    let windows = made.windows(11).map(|part| part[10] - part[0]);
    windows.max().unwrap_or_default()
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn an_hour_of_downtime_loses_no_try_and_makes_no_burst(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&slow()).await;
    let letters = office.arrive_all("work", 60).await;
    office.after(0, &mut office.scheduler()).await;
    // Nobody is there for an hour.
    office.clock.advance(TimeDelta::hours(1));
    let most = most_in_ten_seconds(&office, 60).await;
    assert!(most <= 15, "{most} in ten seconds");
    let mut replayed = BTreeSet::new();
    for letter in &letters {
        assert_eq!(office.state(*letter).await, LetterState::Replayed);
        let replays = office.letter(*letter).await.replays;
        assert_eq!(replays.len(), 1, "each once");
        replayed.insert(letter);
    }
    assert_eq!(replayed.len(), 60);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_clock_that_is_set_forward_makes_no_storm(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&slow()).await;
    office.arrive_all("work", 30).await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(3_600, &mut scheduler).await;
    assert!(office.made().await <= 1);
    // And back again, and forward: each time at most one more.
    for _ in 0..5 {
        office.after(-3_600, &mut scheduler).await;
        office.after(3_600, &mut scheduler).await;
    }
    assert!(office.made().await <= 12, "{}", office.made().await);
    let most = most_in_ten_seconds(&office, 30).await;
    assert!(most <= 15, "{most} in ten seconds");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_clock_that_is_set_back_delays_no_try_for_longer_than_it_was_to_wait(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&slow()).await;
    let letter = office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(-3_600, &mut scheduler).await;
    office.after(9, &mut scheduler).await;
    assert_eq!(office.state(letter).await, LetterState::Scheduled);
    office.after(1, &mut scheduler).await;
    assert_eq!(office.state(letter).await, LetterState::Claimed);
    // Another office, that begins after the clock was set, finds it too.
    let letter = office.arrive("work").await;
    office.after(0, &mut scheduler).await;
    office.clock.advance(TimeDelta::hours(-1));
    let mut other = office.scheduler();
    office.after(0, &mut other).await;
    office.after(11, &mut other).await;
    assert_eq!(office.state(letter).await, LetterState::Claimed);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn two_offices_keep_one_budget_and_make_each_try_once(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&slow()).await;
    let letters = office.arrive_all("work", 40).await;
    let (mut one, mut two) = (office.scheduler(), office.scheduler());
    let both = futures_util::future::join(one.pass(), two.pass()).await;
    assert!(both.0.is_ok() && both.1.is_ok());
    let waiting = office.count("select count(*) from retries where state = 'waiting'");
    assert_eq!(waiting.await, 40, "each is planned once");
    office.clock.advance(TimeDelta::seconds(11));
    for second in 0..30 {
        let both = futures_util::future::join(one.pass(), two.pass()).await;
        assert!(both.0.is_ok() && both.1.is_ok());
        office.engine_says(Outcome::Confirmed).await;
        let made = office.made().await;
        assert!(made <= 6 + second, "{made} after {second} s");
        office.clock.advance(TimeDelta::seconds(1));
    }
    assert!(office.made().await >= 25);
    for letter in letters {
        assert!(office.letter(letter).await.replays.len() <= 1);
    }
}

async fn die_all(office: &Office, letters: &[LetterId]) {
    for letter in letters {
        if office.state(*letter).await == LetterState::Replayed {
            office.die_again(*letter).await;
        }
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_breaker_stops_retries_that_come_back_and_lets_them_on_when_they_do_not(pool: PgPool) {
    let office = Office::open(&pool).await;
    let breaker = Breaker { of_last: 10, ..Breaker::default() };
    let policy = NewPolicy { breaker: Some(breaker), ..policy("again", "") };
    let id = office.add(&policy).await;
    let letters = office.arrive_all("work", 20).await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(11, &mut scheduler).await;
    office.after(2, &mut scheduler).await;
    office.engine_says(Outcome::Confirmed).await;
    die_all(&office, &letters).await;
    office.after(1, &mut scheduler).await;
    let figures = office.report(id).await.policy.figures;
    assert_eq!(figures.breaker_state, BreakerState::Open);
    assert_eq!(figures.return_percent, Some(100));
    let before = office.made().await;
    office.after(150, &mut scheduler).await;
    assert_eq!(office.made().await, before, "what is due now waits");
    // The pause is over: three, and no more until it is known what becomes of them.
    office.after(151, &mut scheduler).await;
    office.after(1, &mut scheduler).await;
    office.after(1, &mut scheduler).await;
    assert_eq!(office.made().await, before + 3);
    let figures = office.report(id).await.policy.figures;
    assert_eq!(figures.breaker_state, BreakerState::HalfOpen);
    office.engine_says(Outcome::Confirmed).await;
    office.after(31, &mut scheduler).await;
    office.after(1, &mut scheduler).await;
    office.after(1, &mut scheduler).await;
    let figures = office.report(id).await.policy.figures;
    assert_eq!(figures.breaker_state, BreakerState::Closed);
    assert!(office.made().await > before + 3);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn tries_wait_while_a_broker_does_not_take_those_before_them(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add(&slow()).await;
    office.arrive_all("work", 40).await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    // The first are due, are made, and are not published.
    for _ in 0..90 {
        office.after(1, &mut scheduler).await;
    }
    let held_up = office.made().await;
    assert!((1..20).contains(&held_up), "{held_up}");
    // Those of another broker need not wait.
    let elsewhere = office.arrive("work").await;
    sqlx::query(
        "with other as (
             insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at, origins)
             values (gen_random_uuid(), 'second', '/', 'dead', 'second', 'take', false, now(), now(), '[\"*\"]')
             returning id)
         update letters set source_id = other.id from other where letters.id = $1",
    )
    .bind(elsewhere.0)
    .execute(&pool)
    .await
    .expect("another source");
    for _ in 0..15 {
        office.after(1, &mut scheduler).await;
    }
    assert_eq!(office.state(elsewhere).await, LetterState::Claimed);
    assert_eq!(office.made().await, held_up + 1);
    for _ in 0..60 {
        office.engine_says(Outcome::Confirmed).await;
        office.after(1, &mut scheduler).await;
    }
    assert_eq!(office.made().await, 41);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn offices_whose_clocks_are_hours_apart_keep_one_budget(pool: PgPool) {
    let office = Office::open(&pool).await;
    let policy = NewPolicy { retries_per_minute: 6, ..policy("slow", "") };
    office.add(&policy).await;
    office.arrive_all("work", 100).await;
    let mut ahead = office.scheduler_off_by(TimeDelta::hours(1));
    let mut behind = office.scheduler_off_by(TimeDelta::hours(-1));
    office.after(0, &mut ahead).await;
    office.clock.advance(TimeDelta::seconds(11));
    for second in 0..600 {
        ahead.pass().await.expect("a pass");
        behind.pass().await.expect("a pass");
        office.engine_says(Outcome::Confirmed).await;
        let made = office.made().await;
        assert!(made <= 1 + (second + 9) / 10, "{made} after {second} s");
        office.clock.advance(TimeDelta::seconds(1));
    }
    assert_eq!(office.made().await, 60);
    ahead.pass().await.expect("a pass");
    // The next is due and has to wait: that the offices look is no news, and nothing is written.
    let mut events = Listener::open(&pool).await.expect("listens");
    let row = "select xmin::text::bigint from retry_policies";
    let before = office.count(row).await;
    for _ in 0..20 {
        ahead.pass().await.expect("a pass");
        behind.pass().await.expect("a pass");
    }
    assert_eq!(office.count(row).await, before);
    let mut conn = pool.acquire().await.expect("a connection");
    let end = LiveEvent::Missed;
    notify(&mut conn, &end).await.expect("told");
    assert_eq!(events.next().await.expect("heard"), Heard::Event(end));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_publish_that_cannot_have_been_then_counts_from_when_its_try_was_made(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(10, &mut scheduler).await;
    let taken_at = office.clock.now();
    office.clock.advance(TimeDelta::seconds(5));
    office.engine_says(Outcome::Confirmed).await;
    let published_at = office.clock.now();
    // As the clocks of three offices tell when that was.
    for (off, at) in [(0, published_at), (1, taken_at), (-2, taken_at)] {
        let mut conn = pool.acquire().await.expect("a connection");
        sqlx::query("update replay_items set at = at + make_interval(hours => $1)")
            .bind(off)
            .execute(&mut *conn)
            .await
            .expect("changed");
        let now = office.clock.now();
        let samples = samples(&mut conn, id, None, &Breaker::default(), now).await;
        let times: Vec<_> = samples.expect("read").iter().map(|one| one.at).collect();
        assert_eq!(times, [at]);
    }
}
