//! Several at once: people, offices, and a letter that is faster than its own confirm.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::replay::{NewReplay, Outcome, Target};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use lapin::options::{BasicConsumeOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::office::Office;
use crate::support::proxy::Proxy;
use crate::support::until;

#[sqlx::test(migrations = "../migrations")]
async fn of_many_overlapping_requests_one_publishes_each_letter(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let mut letters = Vec::new();
    for n in 0..90 {
        letters.push(bench.letter("work", &[n]).await);
    }
    let (one, two) = (bench.engine().await, bench.engine().await);
    let actor = Actor("tester".into());
    let plans = (0..50).map(|n| {
        let new = NewReplay {
            selection: Selection::of_ids(letters[n..n + 40].iter().rev().copied().collect()),
            target: Target::OriginQueue,
            ..NewReplay::default()
        };
        let (desk, actor) = (&bench.desk, &actor);
        async move { desk.plan_replay(actor, &new).await.expect("planned") }
    });
    let replays = join_all(plans).await;
    let planned: i64 = replays.iter().map(|replay| replay.total).sum();
    assert_eq!(planned, 89);
    for replay in &replays {
        let left_out: i64 = replay
            .left_out
            .iter()
            .map(|left_out| left_out.letters)
            .sum();
        assert_eq!(replay.total + left_out, 40);
        bench.finished(replay.id.expect("an id")).await;
    }
    assert_eq!(vhost.depth("work").await, 89);
    one.stop().await;
    two.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_letter_that_dies_again_before_its_confirm_is_recorded_stays_held(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    vhost
        .queue(
            "work",
            &[(
                "x-dead-letter-exchange",
                AMQPValue::LongString("dlx".into()),
            )],
        )
        .await;
    let proxy = Proxy::start(&vhost.brokers).await;
    let bench = Bench::new(&pool, &proxy.brokers(&vhost.brokers), &vhost.name).await;
    let letter = bench.letter("work", b"fails again").await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    proxy.hold(true);
    let engine = bench.engine().await;
    let id = bench.replay_home(&[letter]).await;

    let mut consumer = vhost
        .channel
        .basic_consume(
            "work".into(),
            "fails".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .expect("consuming");
    let delivery = consumer
        .next()
        .await
        .expect("a delivery")
        .expect("a message");
    delivery
        .reject(BasicRejectOptions { requeue: false })
        .await
        .expect("rejected");
    until("it is back", 15, || async {
        bench.items(id).await[0].outcome == Outcome::DiedAgain
    })
    .await;
    assert_eq!(bench.state(letter).await, LetterState::Held);
    proxy.hold(false);
    let done = bench.finished(id).await.outcomes;
    engine.stop().await;
    let after = bench.replay(id).await.outcomes;
    assert_eq!((done, done.died_again, done.total()), (after, 1, 1));
    assert_eq!(bench.state(letter).await, LetterState::Held);
    let whole = bench.desk.letter(letter).await.expect("a letter");
    assert_eq!(whole.arrivals.len(), 2);
    assert_eq!(whole.replays[0].outcome, Outcome::DiedAgain);
    let detail = |action: &str| {
        let mut lines = whole.audit.iter();
        lines.find(|line| line.action == action)?.detail.clone()
    };
    let planned = format!("replay {id}, to the queue it died in");
    assert_eq!(detail("letter.replay"), Some(planned));
    assert_eq!(
        detail("letter.died_again"),
        Some(format!("after replay {id}"))
    );
    intake.stop().await;
    vhost.delete().await;
}
