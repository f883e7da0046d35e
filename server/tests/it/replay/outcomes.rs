//! Every outcome that a publish can have, and that neighbours do not suffer.

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Outcome, ReplayState, Target};
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, FieldValue, Properties, WireText};
use dlo_server::broker::{BrokerAddress, Brokers, delivered_from};
use lapin::options::BasicGetOptions;
use lapin::types::AMQPValue;
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

#[sqlx::test(migrations = "../migrations")]
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
    assert_eq!(
        (outcome, detail.as_str()),
        (Outcome::Confirmed, "sent without expiration")
    );

    let got = vhost
        .channel
        .basic_get("work".into(), BasicGetOptions { no_ack: true });
    let message = delivered_from(got.await.expect("got").expect("a message").delivery);
    assert_eq!(message.body, body);
    assert_eq!(
        message.headers.text("x-dlo-letter"),
        Some(first.to_string().as_str())
    );
    assert_eq!(
        message.headers.text("x-dlo-replay"),
        Some(id.to_string().as_str())
    );
    assert_eq!(
        message.headers.get("x-dlo-attempt"),
        Some(&FieldValue::LongInt(1))
    );
    assert_eq!(message.headers.text("tenant"), Some("acme"));
    assert_eq!(
        message
            .properties
            .message_id
            .as_ref()
            .and_then(WireText::as_str),
        Some("m-1")
    );
    assert_eq!(message.properties.delivery_mode, Some(2));
    let trail = bench.audit(first).await;
    let line = |action: &str, actor: &str| (action.to_owned(), actor.to_owned());
    assert_eq!(
        trail,
        [
            line("replay.confirmed", "dlo"),
            line("letter.replay", "tester")
        ]
    );
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_letter_without_a_queue_or_with_a_full_one_is_held_and_its_neighbours_are_replayed(
    pool: PgPool,
) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let full = [
        ("x-max-length", AMQPValue::LongInt(1)),
        ("x-overflow", AMQPValue::LongString("reject-publish".into())),
    ];
    vhost.queue("full", &full).await;
    vhost
        .publish("full", lapin::BasicProperties::default(), b"first")
        .await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let mut letters = Vec::new();
    for queue in [
        "work", "gone", "full", "work", "gone", "work", "full", "work",
    ] {
        letters.push(bench.letter(queue, b"{}").await);
    }
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unroutable, done.refused), (4, 2, 2));
    let came = outcomes(&bench, id, &letters).await;
    assert_eq!(came[1].0, Outcome::Unroutable);
    assert!(came[1].1.contains("312"), "{}", came[1].1);
    assert_eq!(came[2].0, Outcome::Refused);
    assert!(came[2].1.contains("full"), "{}", came[2].1);
    assert_eq!(bench.state(letters[0]).await, LetterState::Replayed);
    assert_eq!(bench.state(letters[1]).await, LetterState::Held);
    assert_eq!(bench.state(letters[2]).await, LetterState::Held);
    assert_eq!(vhost.depth("work").await, 4);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn what_would_close_the_channel_is_stripped_or_refused_before(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let none = Properties::default();
    let hostile = Properties {
        user_id: Some("somebody".into()),
        expiration: Some("soon".into()),
        reply_to: Some("amq.rabbitmq.reply-to".into()),
        ..Properties::default()
    };
    let header = |name: &str, value: FieldValue| {
        let mut table = FieldTable::default();
        table.set(name, value);
        table
    };
    let text = |text: &str| FieldValue::LongString(text.into());
    let letters = [
        bench.letter("work", b"before").await,
        bench
            .letter_of(
                "work",
                &none,
                &header("note", text(&"x".repeat(130_000))),
                b"1",
            )
            .await,
        bench
            .letter_of("work", &hostile, &header("CC", text("not an array")), b"2")
            .await,
        bench
            .letter_of(
                "work",
                &none,
                &header("s", FieldValue::ShortString("x".into())),
                b"3",
            )
            .await,
        bench.letter("work", b"after").await,
    ];
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.refused, done.unknown), (3, 2, 0));
    let came = outcomes(&bench, id, &letters).await;
    assert_eq!(came[2].1, "sent without CC, expiration, user-id, reply-to");
    assert!(came[1].1.contains("bytes"), "{}", came[1].1);
    assert!(came[3].1.contains("short string"), "{}", came[3].1);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn without_the_right_to_publish_every_letter_is_refused_and_none_is_unknown(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let user = unique("reader");
    vhost.add_user(&user, "secret", "^$").await;
    let direct: lapin::uri::AMQPUri = vhost
        .brokers
        .get("main")
        .expect("a broker")
        .amqp
        .parse()
        .expect("an address");
    let amqp = format!(
        "amqp://{user}:secret@127.0.0.1:{}/%2f",
        direct.authority.port
    );
    let brokers = Brokers::main(&amqp, None);
    let bench = Bench::new(&pool, &brokers, &vhost.name).await;
    let letters = [
        bench.letter("work", b"1").await,
        bench.letter("work", b"2").await,
    ];
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.refused, done.unknown, done.confirmed), (2, 0, 0));
    let came = outcomes(&bench, id, &letters).await;
    assert!(
        came.iter().all(|(_, why)| why.contains("ACCESS_REFUSED")),
        "{came:?}"
    );
    assert_eq!(vhost.depth("work").await, 0);
    engine.stop().await;
    vhost.remove_user(&user).await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
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

#[sqlx::test(migrations = "../migrations")]
async fn letters_go_to_a_named_queue_and_those_that_cannot_are_left_out(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("elsewhere", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letters = [
        bench.letter("gone", b"1").await,
        bench.letter("", b"2").await,
    ];
    let engine = bench.engine().await;
    let left = bench.plan(&letters[1..], Target::OriginQueue).await;
    assert_eq!((left.total, left.state), (0, ReplayState::Finished));
    assert_eq!(
        left.left_out[0].reason,
        "nothing tells which queue it died in: name a target queue"
    );
    let target = Target::Queue {
        queue: "elsewhere".into(),
    };
    let id = bench.plan(&letters, target).await.id.expect("an id");
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 2);
    assert_eq!(vhost.depth("elsewhere").await, 2);
    engine.stop().await;
    vhost.delete().await;
}
