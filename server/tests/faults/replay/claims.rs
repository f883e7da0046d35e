//! Two replays of one letter: a claim names its replay, so that none publishes what another one has, and a
//! message of an older replay that dies says nothing of one that is on its way.

use std::time::Duration;

use chrono::TimeDelta;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Control, Outcome};
use dlo_domain::state::LetterState;
use dlo_server::clock::{Clock as _, SystemClock};
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use lapin::types::AMQPValue;
use sqlx::PgPool;

use crate::harness::proxy::Proxy;
use crate::harness::reckoning::in_flight;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, Engine, settle_after};
use crate::support::office::Office;
use crate::support::reckoning::delivered;
use crate::support::until_within;

/// A letter whose message was published by a replay that knows nothing of it any more.
struct Scene {
    pool: PgPool,
    vhost: Vhost,
    proxy: Proxy,
    bench: Bench,
    intake: Office,
    letter: LetterId,
    first: ReplayId,
}

impl Scene {
    /// The letter's publish was cut off, and somebody said that it did not happen. It did.
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.dead_letter_pair("dlx", "dead").await;
        let dlx = AMQPValue::LongString("dlx".into());
        vhost.queue("work", &[("x-dead-letter-exchange", dlx)]).await;
        let proxy = Proxy::start(&vhost.brokers).await;
        let bench = Bench::new(pool, &proxy.brokers(&vhost.brokers), &vhost.name).await;
        let letter = bench.letter("work", b"one").await;
        let first = bench.replay_home(&[letter]).await;
        let scene = Self {
            pool: pool.clone(),
            intake: Office::start(pool, &vhost.brokers).await,
            vhost,
            proxy,
            bench,
            letter,
            first,
        };
        scene.cut_off(first, 1).await;
        scene.says_not_published().await;
        scene
    }

    /// A replay's office is killed when the broker has the letter, and before it knows that.
    async fn cut_off(&self, replay: ReplayId, copies: u32) {
        self.proxy.hold(true);
        let office = self.bench.engine().await;
        until_within("the broker has it", Duration::from_secs(20), || async {
            self.vhost.depth("work").await == copies && in_flight(&self.pool).await == 1
        })
        .await;
        office.kill().await;
        self.proxy.hold(false);
        let next = self.bench.engine().await;
        self.until_outcome(replay, Outcome::Unknown).await;
        next.stop().await;
    }

    async fn says_not_published(&self) {
        let actor = Actor("tester".into());
        let decided = self.bench.desk.decide_unknown(&actor, self.letter, false);
        decided.await.expect("decided");
    }

    /// Claims the letter for a replay that begins when it is told to.
    async fn claim(&self) -> ReplayId {
        let later = SystemClock.now() + TimeDelta::hours(1);
        self.bench.plan_with(&[self.letter], |new| new.start_at = Some(later)).await
    }

    async fn begin(&self, replay: ReplayId) {
        self.bench.tell(replay, Control::Resume, false).await;
    }

    /// The oldest message in the queue dies.
    async fn oldest_dies(&self) {
        let options = BasicGetOptions::default();
        let got = self.vhost.channel.basic_get("work".into(), options).await;
        let oldest = got.expect("got").expect("a message");
        let rejected = oldest.reject(BasicRejectOptions { requeue: false }).await;
        rejected.expect("rejected");
    }

    async fn outcome(&self, replay: ReplayId) -> Outcome {
        self.bench.items(replay).await[0].outcome
    }

    async fn until_outcome(&self, replay: ReplayId, outcome: Outcome) {
        until_within(&format!("its outcome is {outcome}"), Duration::from_secs(20), || async {
            self.outcome(replay).await == outcome
        })
        .await;
    }

    async fn state(&self) -> LetterState {
        self.bench.state(self.letter).await
    }

    async fn close(self, engine: Engine) {
        engine.stop().await;
        self.intake.stop().await;
        self.vhost.delete().await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_another_replay_claimed_is_published_by_that_one_alone(pool: PgPool) {
    let scene = Scene::open(&pool).await;
    let slow = scene.claim().await;
    scene.oldest_dies().await;
    scene.until_outcome(scene.first, Outcome::DiedAgain).await;
    assert_eq!(scene.state().await, LetterState::Held);
    // A retry policy claims it in the same way.
    let last = scene.claim().await;

    let engine = scene.bench.engine().await;
    scene.begin(slow).await;
    scene.bench.finished(slow).await;
    assert_eq!(scene.outcome(slow).await, Outcome::Refused);
    assert_eq!(scene.state().await, LetterState::Claimed);
    scene.begin(last).await;
    scene.bench.finished(last).await;
    assert_eq!(scene.outcome(last).await, Outcome::Confirmed);
    assert_eq!(scene.state().await, LetterState::Replayed);
    let copies = delivered(&scene.vhost, "work").await;
    assert_eq!(copies[&scene.letter], [last], "both published it");
    scene.close(engine).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_cancelled_replay_does_not_give_back_what_another_one_claimed(pool: PgPool) {
    let scene = Scene::open(&pool).await;
    let slow = scene.claim().await;
    scene.oldest_dies().await;
    scene.until_outcome(scene.first, Outcome::DiedAgain).await;
    let last = scene.claim().await;
    let engine = scene.bench.engine().await;
    scene.bench.tell(slow, Control::Cancel, false).await;
    scene.bench.given_back(slow).await;
    assert_eq!(scene.outcome(slow).await, Outcome::Refused);
    assert_eq!(scene.state().await, LetterState::Claimed);
    assert_eq!(scene.outcome(last).await, Outcome::Pending);
    scene.close(engine).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_older_message_that_dies_frees_no_letter_that_is_on_its_way(pool: PgPool) {
    let scene = Scene::open(&pool).await;
    scene.proxy.hold(true);
    let engine = scene.bench.engine_with(settle_after(Duration::from_secs(1))).await;
    let second = scene.bench.replay_home(&[scene.letter]).await;
    until_within("the broker has both", Duration::from_secs(20), || async {
        scene.vhost.depth("work").await == 2
    })
    .await;
    scene.oldest_dies().await;
    scene.until_outcome(scene.first, Outcome::DiedAgain).await;
    assert_eq!(scene.state().await, LetterState::Claimed);
    let third = scene.claim().await;
    assert_eq!(scene.bench.replay(third).await.total, 0, "it is taken");
    scene.proxy.hold(false);
    // What came of the second replay is what counts, though the first one's message died later.
    scene.until_outcome(second, Outcome::Settled).await;
    assert_eq!(scene.state().await, LetterState::Resolved);
    assert_eq!(scene.outcome(scene.first).await, Outcome::DiedAgain);
    let letter = scene.bench.desk.letter(scene.letter).await;
    assert_eq!(letter.expect("a letter").arrivals.len(), 2);
    let copies = delivered(&scene.vhost, "work").await;
    assert_eq!(copies[&scene.letter], [second]);
    scene.close(engine).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_older_message_that_dies_makes_nothing_known_of_a_publish_that_was_cut_off(
    pool: PgPool,
) {
    let scene = Scene::open(&pool).await;
    let second = scene.bench.replay_home(&[scene.letter]).await;
    scene.cut_off(second, 2).await;
    scene.oldest_dies().await;
    scene.until_outcome(scene.first, Outcome::DiedAgain).await;
    assert_eq!(scene.state().await, LetterState::Unknown);
    assert_eq!(scene.outcome(second).await, Outcome::Unknown);
    // Its own message does tell.
    scene.oldest_dies().await;
    scene.until_outcome(second, Outcome::DiedAgain).await;
    assert_eq!(scene.state().await, LetterState::Held);
    let engine = scene.bench.engine().await;
    scene.close(engine).await;
}
