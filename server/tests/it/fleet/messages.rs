//! Heartbeats as messages.

use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::fleet::{
    Lookout, QUEUE, downtimes, heartbeat, known, own_brokers, say, until_listening,
};
use crate::support::until;

#[sqlx::test(migrations = "../migrations")]
async fn workers_are_heard_by_message_and_what_is_no_heartbeat_holds_up_nobody(pool: PgPool) {
    let vhost = Vhost::create().await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    until_listening(&vhost, 1).await;
    say(&vhost, "heartbeat", &heartbeat("one", 10.0)).await;
    say(&vhost, "heartbeat.two.of.them", &heartbeat("two", 10.0)).await;
    for bad in ["", "{", "{}", r#"{"worker": ""}"#, r#"{"worker": 7}"#] {
        say(&vhost, "heartbeat.bad", bad.as_bytes()).await;
    }
    say(&vhost, "heartbeat.bad", &vec![b'x'; 1 << 20]).await;
    say(&vhost, "worker.heartbeat", &heartbeat("three", 10.0)).await;
    until("three workers are known", 20, || async {
        known(&pool).await.len() == 3
    })
    .await;
    let wanted = ["one", "three", "two"].map(|name| (name.to_owned(), false));
    assert_eq!(known(&pool).await, wanted);
    lookout.stop().await;
    // Whatever an office had in hand without an answer would be ready again.
    until("all was acknowledged", 20, || async {
        vhost.consumers(QUEUE).await == 0
    })
    .await;
    let left = vhost.take_bodies(QUEUE).await;
    assert!(
        left.iter().all(Vec::is_empty),
        "only echoes may be left: {left:?}"
    );
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn two_offices_share_the_queue_and_find_one_silence(pool: PgPool) {
    let vhost = Vhost::create().await;
    let offices = [0, 1].map(|_| Lookout::start(&pool, own_brokers(&vhost)));
    until_listening(&vhost, 2).await;
    for _ in 0..6 {
        say(&vhost, "heartbeat.a", &heartbeat("a", 1.0)).await;
    }
    until("it is silent", 30, || async {
        known(&pool).await == [("a".to_owned(), true)]
    })
    .await;
    assert_eq!(downtimes(&pool, "a").await, 1);
    say(&vhost, "heartbeat.a", &heartbeat("a", 3_600.0)).await;
    until("it is back", 20, || async {
        known(&pool).await == [("a".to_owned(), false)]
    })
    .await;
    assert_eq!(downtimes(&pool, "a").await, 1);
    for office in offices {
        office.stop().await;
    }
    vhost.delete().await;
}
