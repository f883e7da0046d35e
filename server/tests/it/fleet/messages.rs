//! Heartbeats as messages.

use dlo_domain::source::SourceMode;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::fleet::{
    Lookout, QUEUE, downtimes, heartbeat, known, own_brokers, say, until_listening,
};
use crate::support::office::watch;
use crate::support::raw::publish_with_message_id;
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn workers_are_heard_by_message_and_what_is_no_heartbeat_holds_up_nobody(pool: PgPool) {
    let vhost = Vhost::create().await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    until_listening(&vhost, 1).await;
    say(&vhost, "heartbeat", &heartbeat("one", 10.0)).await;
    say(&vhost, "heartbeat.two.of.them", &heartbeat("two", 10.0)).await;
    for bad in ["", "{", "{}", r#"{"worker": ""}"#, r#"{"worker": 7.5}"#] {
        say(&vhost, "heartbeat.bad", bad.as_bytes()).await;
    }
    say(&vhost, "heartbeat.bad", &vec![b'x'; 1 << 20]).await;
    say(&vhost, "worker.heartbeat", &heartbeat("three", 10.0)).await;
    say(&vhost, "", &heartbeat("under no key", 10.0)).await;
    until("four workers are known", || async { known(&pool).await.len() == 4 }).await;
    let wanted = ["one", "three", "two", "under no key"].map(|name| (name.to_owned(), false));
    assert_eq!(known(&pool).await, wanted);
    lookout.stop().await;
    // Whatever an office had in hand without an answer would be ready again.
    until("all was acknowledged", || async { vhost.consumers(QUEUE).await == 0 }).await;
    let left = vhost.take_bodies(QUEUE).await;
    assert!(left.iter().all(Vec::is_empty), "only echoes may be left: {left:?}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_client_libraries_refuse_deafens_no_office(pool: PgPool) {
    let vhost = Vhost::create().await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    until_listening(&vhost, 1).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    publish_with_message_id(&uri, QUEUE, b"\xff", b"no heartbeat").await;
    say(&vhost, "heartbeat", &heartbeat("one", 3_600.0)).await;
    until("the worker behind it is known", || async {
        known(&pool).await == [("one".to_owned(), false)]
    })
    .await;
    lookout.stop().await;
    until("nobody listens any more", || async { vhost.consumers(QUEUE).await == 0 }).await;
    let left = vhost.take_bodies(QUEUE).await;
    assert!(left.iter().all(Vec::is_empty), "{left:?}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn two_offices_share_the_queue_and_find_one_silence(pool: PgPool) {
    let vhost = Vhost::create().await;
    let offices = [0, 1].map(|_| Lookout::start(&pool, own_brokers(&vhost)));
    until_listening(&vhost, 2).await;
    for _ in 0..6 {
        say(&vhost, "heartbeat.a", &heartbeat("a", 1.0)).await;
    }
    until("it is silent", || async { known(&pool).await == [("a".to_owned(), true)] }).await;
    assert_eq!(downtimes(&pool, "a").await, 1);
    say(&vhost, "heartbeat.a", &heartbeat("a", 3_600.0)).await;
    until("it is back", || async { known(&pool).await == [("a".to_owned(), false)] }).await;
    assert_eq!(downtimes(&pool, "a").await, 1);
    for office in offices {
        office.stop().await;
    }
    vhost.delete().await;
}

/// The vhost of the address hears, and so do those of sources: a department that has its own vhost
/// needs nothing else to be heard.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn workers_are_heard_in_the_vhosts_of_sources_each_way_by_itself(pool: PgPool) {
    let (home, other) = (Vhost::create().await, Vhost::create().await);
    let lookout = Lookout::start(&pool, own_brokers(&home));
    until_listening(&home, 1).await;
    // One that is not there holds up nobody.
    watch(&pool, "no such vhost", "dead", SourceMode::Take).await;
    let source = watch(&pool, &other.name, "dead", SourceMode::Take).await;
    until_listening(&other, 1).await;
    say(&home, "heartbeat.a", &heartbeat("at-home", 3_600.0)).await;
    for _ in 0..3 {
        say(&other, "worker.heartbeat", &heartbeat("there", 1.0)).await;
    }
    until("it is heard, and found silent by that way's watch", || async {
        let wanted = [("at-home", false), ("there", true)];
        known(&pool).await == wanted.map(|(name, silent)| (name.to_owned(), silent))
    })
    .await;
    let ways: Vec<String> = sqlx::query_scalar("select way from workers order by name")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert_eq!(ways, ["amqp:main".to_owned(), format!("amqp:main/{}", other.name)]);
    // A source that goes takes nobody's ear away: its worker would be silent for ever.
    sqlx::query("update sources set removed_at = now() where id = $1")
        .bind(source.0)
        .execute(&pool)
        .await
        .expect("removed");
    let third = Vhost::create().await;
    watch(&pool, &third.name, "dead", SourceMode::Take).await;
    until_listening(&third, 1).await;
    say(&other, "heartbeat.b", &heartbeat("there", 3_600.0)).await;
    until("it is back", || async { known(&pool).await.contains(&("there".to_owned(), false)) })
        .await;
    lookout.stop().await;
    for vhost in [home, other, third] {
        until("nobody listens any more", || async { vhost.consumers(QUEUE).await == 0 }).await;
        vhost.delete().await;
    }
}
