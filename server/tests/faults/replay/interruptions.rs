//! The broker or the office ends in the middle: nothing is called a success that was not
//! confirmed, and nothing is published twice.

use std::collections::BTreeMap;
use std::time::Duration;

use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::harness::proxy::at_work_behind_proxy;
use crate::harness::proxy::{Proxy, free_port, through};
use crate::harness::reckoning::in_flight;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::reckoning::delivered;
use crate::support::until_within;

/// How often each letter is in a queue.
pub(super) async fn copies(vhost: &Vhost, queue: &str) -> BTreeMap<String, u32> {
    let delivered = delivered(vhost, queue).await.into_iter();
    let count = |replays: Vec<_>| u32::try_from(replays.len()).expect("few");
    delivered.map(|(letter, replays)| (letter.to_string(), count(replays))).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_in_flight_when_the_connection_breaks_are_unknown_and_the_others_go_on(
    pool: PgPool,
) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(12).await;
    // The first window holds one letter, the second eight. The cut comes with the first confirm
    // of these, and some may not have left by then: they are published later, and not unknown.
    proxy.cut_after(1);
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!(done.confirmed + done.unknown, 12, "{done:?}");
    assert!((1..=8).contains(&done.unknown), "{done:?}");
    let copies = copies(&vhost, "work").await;
    for item in bench.items(id).await {
        let copies = copies.get(&item.letter_id.to_string()).copied().unwrap_or_default();
        let state = bench.state(item.letter_id).await;
        match item.outcome {
            Outcome::Confirmed => assert_eq!((state, copies), (LetterState::Replayed, 1)),
            Outcome::Unknown => {
                assert_eq!(state, LetterState::Unknown);
                assert!(copies <= 1, "published twice");
            }
            other => panic!("{other}"),
        }
    }
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_goes_on_in_another_office_when_its_own_is_killed(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(400).await;
    // 400 letters need seven windows at least, and each one confirm or more.
    proxy.hold_after(3);
    let first = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    // It is killed with letters in flight, whose confirms do not arrive.
    until_within("a confirm is held back", Duration::from_secs(30), || async {
        proxy.is_holding()
    })
    .await;
    first.kill().await;
    let marked = in_flight(&pool).await;
    assert!(marked > 0, "nothing was in flight");
    proxy.hold(false);
    let confirmed = bench.replay(id).await.outcomes.confirmed;
    assert!(confirmed < 400);

    let second = bench.engine().await;
    until_within("the replay goes on", Duration::from_secs(5), || async {
        bench.replay(id).await.outcomes.confirmed > confirmed
    })
    .await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!(done.unknown, marked);
    assert_eq!(done.confirmed, 400 - marked);
    let copies = copies(&vhost, "work").await;
    assert!(copies.values().all(|copies| *copies == 1), "published twice");
    for item in bench.items(id).await {
        if item.outcome == Outcome::Confirmed {
            assert!(copies.contains_key(&item.letter_id.to_string()), "a false success");
        }
    }
    second.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_is_away_is_waited_for_and_nothing_is_marked(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let port = free_port().await;
    let bench = Bench::new(&pool, &through(&vhost.brokers, port), &vhost.name).await;
    let letters = bench.letters(3).await;
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    until_within("the wait is told", Duration::from_secs(10), || async {
        !bench.waits.troubles().is_empty()
    })
    .await;
    let trouble = bench.waits.troubles().remove(0);
    assert!(trouble.what.contains("`main`"), "{}", trouble.what);
    assert_eq!(in_flight(&pool).await, 0);
    assert_eq!(bench.replay(id).await.outcomes.pending, 3);
    let proxy = Proxy::start_on(port, &vhost.brokers).await;
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 3);
    assert!(bench.waits.troubles().is_empty());
    engine.stop().await;
    drop(proxy);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_that_stops_leaves_the_rest_to_another(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(300).await;
    let first = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    until_within("some are confirmed", Duration::from_secs(30), || async {
        bench.replay(id).await.outcomes.confirmed > 0
    })
    .await;
    first.stop().await;
    assert_eq!(in_flight(&pool).await, 0, "an orderly stop waits for its confirms");
    let second = bench.engine().await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unknown), (300, 0));
    assert_eq!(vhost.depth("work").await, 300);
    second.stop().await;
    vhost.delete().await;
}
