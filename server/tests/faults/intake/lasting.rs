//! A queue that the broker deletes when its last consumer goes, and one of which nobody says.

use dlo_domain::source::{SourceCondition, SourceMode};
use lapin::options::QueueDeclareOptions;
use lapin::types::FieldTable;
use sqlx::PgPool;
use std::time::Duration;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, watch};
use crate::support::until_within;

async fn auto_delete_queue(vhost: &Vhost) {
    let options = QueueDeclareOptions {
        durable: true,
        auto_delete: true,
        ..QueueDeclareOptions::default()
    };
    let declared = vhost
        .channel
        .queue_declare("dead".into(), options, FieldTable::default());
    declared.await.expect("declared");
}

/// Copies make intake fence, and so does a window that grows: both would delete the queue.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_auto_delete_queue_is_not_deleted_by_us(pool: PgPool) {
    let vhost = Vhost::create().await;
    auto_delete_queue(&vhost).await;
    let different: Vec<String> = (0..400).map(|n| format!("{n}")).collect();
    let copies = vec!["the same".to_owned(); 400];
    vhost.publish_all("dead", &different).await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until_within("the first letters", Duration::from_secs(30), || async {
        letters(&pool).await >= 400
    })
    .await;
    vhost.publish_all("dead", &copies).await;
    until_within("the copies", Duration::from_secs(30), || async {
        letters(&pool).await >= 800
    })
    .await;
    // The queue is still there, or this could not be published.
    vhost.publish_all("dead", &different).await;
    until_within("the last letters", Duration::from_secs(30), || async {
        letters(&pool).await >= 1_200
    })
    .await;
    assert_eq!(vhost.consumers("dead").await, 1);
    let (condition, detail) = condition(&pool, source).await;
    assert_eq!(condition, SourceCondition::Running);
    let detail = detail.expect("a remark");
    assert!(detail.contains("auto-delete"), "{detail}");
    vhost.publish_all("dead", &different).await;
    office.stop().await;
    assert_eq!(
        letters(&pool).await,
        1_600,
        "what is in the queue is taken before it goes with us"
    );
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_the_management_api_a_queue_is_never_left(pool: PgPool) {
    let vhost = Vhost::create().await;
    auto_delete_queue(&vhost).await;
    let mut brokers = vhost.brokers.clone();
    for broker in brokers.0.values_mut() {
        broker.management = None;
    }
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &brokers).await;
    let copies = vec!["the same".to_owned(); 300];
    for round in 1..=3 {
        vhost.publish_all("dead", &copies).await;
        until_within("the letters", Duration::from_secs(30), || async {
            letters(&pool).await == round * 300
        })
        .await;
    }
    let (_, detail) = condition(&pool, source).await;
    let detail = detail.expect("a remark");
    assert!(detail.contains("DLO_MANAGEMENT_URL"), "{detail}");
    office.stop().await;
    vhost.delete().await;
}
