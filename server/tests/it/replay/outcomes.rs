//! What a publish comes to, and replays that cannot begin. What one letter alone can do wrong is in
//! the table of `matrix`.

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Outcome, ReplayState, Target};
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, FieldValue, Properties};
use dlo_server::broker::{BrokerAddress, Brokers};
use lapin::options::BasicGetOptions;
use lapin::types::{AMQPValue, ShortString};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work, unique};

/// Outcomes of some letters in a replay, in the order of the letters.
async fn outcomes(
    bench: &Bench,
    replay: dlo_domain::ids::ReplayId,
    letters: &[LetterId],
) -> Vec<(Outcome, String)> {
    let items = bench.items(replay).await;
    let of = |letter: &LetterId| {
        let item = items.iter().find(|item| item.letter_id == *letter);
        let item = item.expect("an item");
        (item.outcome, item.detail.clone().unwrap_or_default())
    };
    letters.iter().map(of).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn confirmed_letters_are_in_the_queue_byte_by_byte_and_marked(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let mut headers = FieldTable::default();
    headers.set("x-death", FieldValue::Array(Vec::new()));
    headers.set("tenant", FieldValue::LongString("acme".into()));
    let properties = Properties {
        message_id: Some("m-1".into()),
        expiration: Some("100".into()),
        ..Properties::default()
    };
    let body = b"\0\xff{not json";
    let first = bench.letter_of("work", &properties, &headers, body).await;
    let mut letters = vec![first];
    for n in 0..119 {
        letters.push(bench.letter("work", format!("{n}").as_bytes()).await);
    }

    let engine = bench.engine().await;
    let replay = bench.plan(&letters, Target::OriginQueue).await;
    assert_eq!((replay.total, replay.left_out.len()), (120, 0));
    let id = replay.id.expect("an id");
    let done = bench.finished(id).await;
    assert_eq!((done.outcomes.confirmed, done.outcomes.total()), (120, 120));
    assert!(done.finished_at.is_some());
    assert_eq!(vhost.depth("work").await, 120);
    for letter in &letters {
        assert_eq!(bench.state(*letter).await, LetterState::Replayed);
    }
    let (outcome, detail) = outcomes(&bench, id, &[first]).await.remove(0);
    assert_eq!((outcome, detail.as_str()), (Outcome::Confirmed, "sent without expiration"));

    let got = vhost.channel.basic_get("work".into(), BasicGetOptions { no_ack: true });
    let message = got.await.expect("got").expect("a message").delivery;
    assert_eq!(message.data, body);
    let headers = message.properties.headers().as_ref().expect("headers");
    let text = |text: &str| AMQPValue::LongString(text.into());
    for (name, value) in [
        ("x-dlo-letter", text(&first.to_string())),
        ("x-dlo-replay", text(&id.to_string())),
        ("x-dlo-attempt", AMQPValue::LongInt(1)),
        ("tenant", text("acme")),
    ] {
        assert_eq!(headers.inner().get(name), Some(&value), "{name}");
    }
    assert_eq!(message.properties.message_id().as_ref().map(ShortString::as_str), Some("m-1"));
    assert_eq!(*message.properties.delivery_mode(), Some(2));
    let trail = bench.audit(first).await;
    let line = |action: &str, actor: &str| (action.to_owned(), actor.to_owned());
    assert_eq!(trail, [line("replay.confirmed", "dlo"), line("letter.replay", "tester")]);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_the_right_to_publish_every_letter_is_refused_and_none_is_unknown(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let user = unique("reader");
    vhost.add_user(&user, "secret", "^$").await;
    let direct: lapin::uri::AMQPUri =
        vhost.brokers.get("main").expect("a broker").amqp.parse().expect("an address");
    let amqp = format!("amqp://{user}:secret@127.0.0.1:{}/%2f", direct.authority.port);
    let brokers = Brokers::main(&amqp, None);
    let bench = Bench::new(&pool, &brokers, &vhost.name).await;
    let letters = [bench.letter("work", b"1").await, bench.letter("work", b"2").await];
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.refused, done.unknown, done.confirmed), (2, 0, 0));
    let came = outcomes(&bench, id, &letters).await;
    assert!(came.iter().all(|(_, why)| why.contains("ACCESS_REFUSED")), "{came:?}");
    assert_eq!(vhost.depth("work").await, 0);
    engine.stop().await;
    vhost.remove_user(&user).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_vhost_that_is_gone_gives_the_letters_back_with_the_reason(pool: PgPool) {
    let vhost = Vhost::create().await;
    let address: &BrokerAddress = vhost.brokers.get("main").expect("a broker");
    let brokers = Brokers::main(&address.amqp, None);
    let bench = Bench::new(&pool, &brokers, &unique("no-such-vhost")).await;
    let letter = bench.letter("work", b"{}").await;
    let engine = bench.engine().await;
    let id = bench.replay_home(&[letter]).await;
    assert_eq!(bench.finished(id).await.outcomes.refused, 1);
    assert_eq!(bench.state(letter).await, LetterState::Held);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_go_to_a_named_queue_and_those_that_cannot_are_left_out(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("elsewhere", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letters = [bench.letter("gone", b"1").await, bench.letter("", b"2").await];
    let engine = bench.engine().await;
    let left = bench.plan(&letters[1..], Target::OriginQueue).await;
    assert_eq!((left.total, left.state), (0, ReplayState::Finished));
    assert_eq!(
        left.left_out[0].reason,
        "it is not known which queue it died in: name a target queue"
    );
    let target = Target::Queue { queue: "elsewhere".into() };
    let id = bench.plan(&letters, target).await.id.expect("an id");
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 2);
    assert_eq!(vhost.depth("elsewhere").await, 2);
    engine.stop().await;
    vhost.delete().await;
}
