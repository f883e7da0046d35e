//! A policy for every queue that expires what is in ours.

use dlo_server::broker::{Receipt, connect, make_receipt, read_receipt};
use dlo_server::clock::{SystemClock, new_id};
use serde_json::json;

use crate::support::broker::Vhost;
use crate::support::until;

/// How long a message may wait, in milliseconds.
const TTL_MS: i64 = 5_000;

#[tokio::test]
async fn a_receipt_that_expires_is_missing_and_no_dead_letter() {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let policy = json!({"message-ttl": TTL_MS, "dead-letter-exchange": "dlx"});
    vhost.policy("all", ".*", 1, policy).await;
    let id = new_id(&SystemClock);
    make_receipt(&vhost.brokers, "main", &vhost.name, id).await.expect("made");
    let link = connect(&vhost.brokers, "main", &vhost.name, "test").await.expect("connected");
    assert_eq!(read_receipt(&link, id).await.expect("answered"), Receipt::CarriedOut(0));
    until("it expired", || async {
        read_receipt(&link, id).await.expect("answered") == Receipt::Missing
    })
    .await;
    assert_eq!(vhost.depth("dead").await, 0);
    vhost.delete().await;
}
