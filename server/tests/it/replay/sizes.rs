//! Bodies as large as the broker takes, and larger.

use std::time::Duration;

use dlo_domain::replay::Address;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::broker::{Company, Outgoing, Published, Publisher};

use crate::support::broker::Vhost;

/// What the broker takes unless it is configured otherwise, in bytes.
async fn limit(vhost: &Vhost) -> usize {
    let version = vhost.version().await;
    let major: u32 = version
        .split('.')
        .next()
        .and_then(|text| text.parse().ok())
        .expect("a version");
    if major >= 4 { 16 << 20 } else { 128 << 20 }
}

#[tokio::test]
async fn a_body_is_refused_above_the_limit_of_its_broker_and_not_before() {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let limit = limit(&vhost).await;
    // Well below the one and just above the other; both above 16 MiB where the broker takes that.
    for (bytes, is_taken) in [(limit / 4, true), (limit + 1, false)] {
        let publisher = Publisher::open(&vhost.brokers, "main", &vhost.name).await;
        let publisher = publisher.expect("connected");
        let message = Outgoing {
            address: Address::queue("work"),
            properties: Properties::default(),
            headers: FieldTable::default(),
            body: vec![b'x'; bytes],
        };
        let answers = publisher
            .publish(&[message], Duration::from_mins(1), Company::Alone)
            .await;
        match &answers[..] {
            [Published::Confirmed] => assert!(is_taken),
            [Published::Refused(why)] => {
                assert!(!is_taken, "{why}");
                assert!(
                    why.contains(&limit.to_string()),
                    "it names the limit: {why}"
                );
            }
            other => panic!("{bytes} bytes: {other:?}"),
        }
        publisher.close().await;
    }
    vhost.delete().await;
}
