//! Answers of a broker that do not say where a letter is: one queue of several refused it, a queue confirmed it
//! and keeps nothing, or nobody tells whether it does. A dry run warns of each.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Outcome, Replay, Target, WarningKind};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::broker::Brokers;
use lapin::options::BasicGetOptions;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::reckoning::delivered;
use crate::support::topology::Watcher;

async fn tried(bench: &Bench, letters: &[LetterId], target: Target) -> Replay {
    let new = NewReplay {
        selection: Selection::of_ids(letters.to_vec()),
        target,
        dry_run: true,
        ..NewReplay::default()
    };
    let tried = bench.desk.plan_replay(&Actor("tester".into()), &new).await;
    tried.expect("tried")
}

fn to_queue(queue: &str) -> Target {
    Target::Queue { queue: queue.into() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_one_queue_of_several_refused_is_unknown_and_a_replay_of_it_warns(
    pool: PgPool,
) {
    let (vhost, bench) = at_work(&pool).await;
    let full = [
        ("x-max-length", AMQPValue::LongInt(1)),
        ("x-overflow", AMQPValue::LongString("reject-publish".into())),
    ];
    vhost.queue("full", &full).await;
    vhost.fill("full").await;
    vhost.topic("events", &[("work", "#"), ("full", "#")]).await;
    let letters = bench.letters(20).await;
    let engine = bench.engine().await;
    let target = Target::Exchange { exchange: "events".into(), routing_key: "created".into() };
    assert_eq!(tried(&bench, &letters, target.clone()).await.perhaps_delivered, Some(0));
    let id = bench.plan(&letters, target.clone()).await.id.expect("an id");
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.unknown, done.refused, done.confirmed), (20, 0, 0));
    assert_eq!(delivered(&vhost, "work").await.len(), 20, "they are there");
    let detail = bench.items(id).await.remove(0).detail.expect("a reason");
    assert!(detail.contains("a queue refused it"), "{detail}");
    assert!(detail.contains("the exchange `events`"), "{detail}");
    // Somebody says of two that they were not published. Whoever replays them is warned.
    let actor = Actor("tester".into());
    for letter in &letters[..2] {
        assert_eq!(bench.state(*letter).await, LetterState::Unknown);
        let decided = bench.desk.decide_unknown(&actor, *letter, false).await;
        decided.expect("decided");
    }
    let fresh = bench.letters(3).await;
    let both: Vec<LetterId> = letters[..2].iter().chain(&fresh).copied().collect();
    let again = tried(&bench, &both, target).await;
    assert_eq!((again.total, again.perhaps_delivered), (5, Some(2)));
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_a_queue_confirms_and_drops_is_not_called_delivered(pool: PgPool) {
    let watcher = Watcher::start(&pool, "monitoring").await;
    let vhost = &watcher.vhost;
    let nothing = [("x-max-length", AMQPValue::LongInt(0))];
    vhost.queue("none", &nothing).await;
    vhost.queue("by-policy", &[]).await;
    let tiny = json!({"max-length-bytes": 0});
    vhost.policy("tiny", "^by-policy$", 1, tiny).await;
    vhost.queue("small", &[("x-max-length", AMQPValue::LongInt(2))]).await;
    vhost.queue("work", &[]).await;
    vhost.topic("events", &[("none", "#"), ("work", "#")]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letters = bench.letters(5).await;
    let says = async |target: Target| {
        let destination = tried(&bench, &letters, target).await.destinations.remove(0);
        destination.overflows.join("\n")
    };
    let unread = says(to_queue("none")).await;
    assert!(unread.starts_with("`none` keeps no messages"), "read for this, {unread}");
    crate::support::until("the policy is read", || async {
        watcher.look().await;
        says(to_queue("by-policy")).await.contains("the policy `tiny`")
    })
    .await;
    let none = says(to_queue("none")).await;
    assert!(none.starts_with("`none` keeps no messages"), "{none}");
    let small = says(to_queue("small")).await;
    assert!(small.contains("`small` holds 2 messages at most"), "{small}");
    assert_eq!(says(to_queue("work")).await, "");
    let events = Target::Exchange { exchange: "events".into(), routing_key: "created".into() };
    let told = says(events.clone()).await;
    assert!(told.starts_with("`none` keeps no messages"), "{told}");

    let engine = bench.engine().await;
    let queues = ["none", "by-policy"].map(|queue| (to_queue(queue), queue, "nobody may have it"));
    let behind = (events, "none", "not every queue that gets it may have it");
    for (target, queue, why) in queues.into_iter().chain([behind]) {
        let letters = bench.letters(5).await;
        let id = bench.plan(&letters, target).await.id;
        let id = id.expect("an id");
        let done = bench.finished(id).await.outcomes;
        assert_eq!((done.unknown, done.confirmed), (5, 0), "{queue}");
        let detail = bench.items(id).await.remove(0).detail.expect("a reason");
        assert!(detail.contains(why), "{detail}");
        assert_eq!(vhost.depth(queue).await, 0);
    }
    assert_eq!(vhost.depth("work").await, 5, "which has those that went to the exchange");
    engine.stop().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_nobody_tells_of_is_not_called_delivered(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let amqp = &vhost.brokers.get("main").expect("main").amqp;
    let bench = Bench::new(&pool, &Brokers::main(amqp, None), &vhost.name).await;
    let letters = bench.letters(3).await;
    let dry = tried(&bench, &letters, to_queue("work")).await;
    assert!(dry.destinations[0].keeping_unknown);
    let kinds: Vec<_> = dry.warnings.iter().map(|warning| warning.kind).collect();
    assert!(kinds.contains(&WarningKind::KeepingUnknown), "{kinds:?}");
    let engine = bench.engine().await;
    let id = bench.plan(&letters, to_queue("work")).await.id.expect("an id");
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.unknown, done.confirmed), (3, 0));
    assert_eq!(vhost.depth("work").await, 3);
    let detail = bench.items(id).await.remove(0).detail.expect("a reason");
    assert!(detail.contains("the management API did not describe their vhost"), "{detail}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_transient_message_is_sent_as_a_persistent_one_and_that_is_told(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let transient = Properties { delivery_mode: Some(1), ..Properties::default() };
    let none = FieldTable::default();
    let letter = bench.letter_of("work", &transient, &none, b"{}").await;
    let other = bench.letter("work", b"{}").await;
    let dry = tried(&bench, &[letter, other], Target::OriginQueue).await;
    assert_eq!(dry.made_persistent, 1);
    let engine = bench.engine().await;
    let id = bench.replay_home(&[letter]).await;
    bench.finished(id).await;
    let item = bench.items(id).await.remove(0);
    assert_eq!(item.outcome, Outcome::Confirmed);
    let detail = item.detail.expect("told");
    assert!(detail.contains("delivery mode 1"), "{detail}");
    let options = BasicGetOptions { no_ack: true };
    let got = vhost.channel.basic_get("work".into(), options).await;
    let got = got.expect("got").expect("a message");
    assert_eq!(got.delivery.properties.delivery_mode(), &Some(2));
    engine.stop().await;
    vhost.delete().await;
}
