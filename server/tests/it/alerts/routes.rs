//! Channels of other kinds, and which of them is told of what.

use chrono::TimeDelta;
use dlo_app::desk::{ChannelDesk as _, DeskError};
use dlo_domain::audit::Actor;
use dlo_domain::channel::{ChannelKind, NewChannel, Route};
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use super::channels::Telling;
use super::groups::GROUP;
use crate::support::receiver::Receiver;
use crate::support::slack::Answer;

const SECRETS: [&str; 2] =
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"];

fn anna() -> Actor {
    Actor("anna".to_owned())
}

fn webhook(name: &str, address: &str) -> NewChannel {
    NewChannel {
        name: name.to_owned(),
        kind: ChannelKind::Webhook,
        address: Some(address.to_owned()),
        secret: Some(SECRETS[0].to_owned()),
        route: Route { severities: Severity::ALL.to_vec(), ..Route::default() },
        enabled: true,
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_program_is_told_with_a_signature_and_knows_what_it_is_told_again(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let receiver = Receiver::start().await;
    let hook = webhook("a program", &receiver.address);
    let added = telling.desk.add_channel(&anna(), &hook).await.expect("added");
    assert!(!format!("{added:?} {hook:?}").contains("MfKQ"), "a secret is told to nobody");
    receiver.will_refuse(1);
    telling.office.run(GROUP).await;
    telling.pass(10).await;
    telling.pass(10).await;
    let sent = receiver.sent();
    let [refused, taken] = &sent[..] else { panic!("{sent:?}") };
    for one in [refused, taken] {
        assert_eq!(one.signed_with(SECRETS[0]), 1, "{one:?}");
        assert!(one.header("webhook-id").starts_with("msg_"), "{one:?}");
    }
    assert_eq!(refused.header("webhook-id"), taken.header("webhook-id"));
    assert_ne!(refused.header("webhook-timestamp"), taken.header("webhook-timestamp"));
    let alert = &taken.json()["data"]["alerts"][0];
    assert_eq!((&alert["change"], &alert["figure"]), (&"fired".into(), &3.into()));
    assert_eq!(alert["facts"]["queue"], "orders");
    assert!(
        alert["links"]["Open group"]
            .as_str()
            .expect("a link")
            .starts_with("https://dlo.example/groups/")
    );

    // Another secret: both are used for a day.
    let rotated = NewChannel { secret: Some(SECRETS[1].to_owned()), address: None, ..hook.clone() };
    let changed = telling.desk.change_channel(&anna(), added.id, &rotated).await.expect("changed");
    assert!(changed.signed_twice_until.is_some());
    telling.desk.test_channel(&anna(), added.id).await.expect("tested");
    let last = receiver.sent().pop().expect("a test");
    assert_eq!(SECRETS.map(|secret| last.signed_with(secret)), [1, 1]);
    telling.office.clock.advance(TimeDelta::hours(25));
    telling.desk.test_channel(&anna(), added.id).await.expect("tested");
    let last = receiver.sent().pop().expect("a test");
    assert_eq!(SECRETS.map(|secret| last.signed_with(secret)), [0, 1]);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_webhook_has_a_secret_that_is_one(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let with = |edit: fn(&mut NewChannel)| {
        let mut channel = webhook("b", "https://example.org/hook");
        edit(&mut channel);
        channel
    };
    for wrong in [
        with(|channel| channel.secret = None),
        with(|channel| channel.secret = Some("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned())),
        with(|channel| channel.secret = Some("whsec_short".to_owned())),
        with(|channel| channel.kind = ChannelKind::Slack),
        with(|channel| channel.kind = ChannelKind::Teams),
        with(|channel| channel.route.filter = "queue:a severity:lo".to_owned()),
        with(|channel| channel.route.owners = vec![String::new()]),
    ] {
        let refused = telling.desk.add_channel(&anna(), &wrong).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{wrong:?}: {refused:?}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_route_goes_by_the_owner_of_a_group_and_by_its_letters(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let routes = [
        ("theirs", Route { owners: vec!["payments".to_owned()], ..Route::default() }, true),
        ("others'", Route { owners: vec!["sales".to_owned()], ..Route::default() }, false),
        ("matching", Route { filter: "queue:ord*".to_owned(), ..Route::default() }, true),
        ("not matching", Route { filter: "queue:sales".to_owned(), ..Route::default() }, false),
    ];
    let mut receivers = Vec::new();
    for (name, route, is_told) in routes {
        let receiver = Receiver::start().await;
        let channel = NewChannel { route, ..webhook(name, &receiver.address) };
        telling.desk.add_channel(&anna(), &channel).await.expect("added");
        receivers.push((name, receiver, is_told));
    }
    telling.office.run(GROUP).await;
    telling.office.run("update groups set owner = 'payments'").await;
    telling.pass(10).await;
    for (name, receiver, is_told) in &receivers {
        assert_eq!(receiver.sent().len(), usize::from(*is_told), "{name}");
    }
    // What is about no group is told to each.
    telling
        .office
        .run("insert into death_counts values ('2026-11-21T12:00:00Z', 'normal', 1000)")
        .await;
    telling.pass(60).await;
    for (name, receiver, is_told) in &receivers {
        assert_eq!(receiver.sent().len(), 1 + usize::from(*is_told), "{name}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_channel_that_takes_nothing_is_told_to_the_others(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let receiver = Receiver::start().await;
    telling
        .desk
        .add_channel(&anna(), &webhook("a program", &receiver.address))
        .await
        .expect("added");
    telling.slack.will(std::iter::repeat_n(Answer::Refuse(404, "no_service"), 100));
    telling.office.run(GROUP).await;
    telling.pass(120).await;
    let told: Vec<String> = receiver
        .sent()
        .iter()
        .flat_map(|sent| sent.json()["data"]["alerts"].as_array().cloned().unwrap_or_default())
        .map(|alert| alert["says"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(told[1..], ["the channel “on call” accepts nothing: its messages wait"]);
    let waiting = telling.desk.channels().await.expect("listed").remove(1).waiting;
    assert_eq!(waiting, 1, "it is not told so itself");
}
