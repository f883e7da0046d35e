//! A queue that the broker deletes when its last consumer goes, and one of which nobody says.

use dlo_domain::source::{SourceCondition, SourceMode};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, watch};
use crate::support::until;

/// Copies make intake fence, and so does a window that grows: with a consumer both would delete the queue.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_auto_delete_queue_is_not_deleted_by_us(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.auto_delete_queue("dead").await;
    let different: Vec<String> = (0..400).map(|n| format!("{n}")).collect();
    let copies = vec!["the same".to_owned(); 400];
    vhost.publish_all("dead", &different).await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("the first letters", || async { letters(&pool).await >= 400 }).await;
    vhost.publish_all("dead", &copies).await;
    until("the copies", || async { letters(&pool).await >= 800 }).await;
    assert_eq!(vhost.consumers("dead").await, 0, "nobody could go");
    let (condition, detail) = condition(&pool, source).await;
    assert_eq!(condition, SourceCondition::Running);
    let detail = detail.expect("a remark");
    assert!(detail.contains("auto-delete"), "{detail}");
    vhost.publish_all("dead", &different).await;
    office.stop().await;
    // The queue is still there, with what was not taken.
    let left = i64::from(vhost.depth("dead").await);
    assert_eq!(letters(&pool).await + left, 1_200);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_the_management_api_nothing_consumes(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.auto_delete_queue("dead").await;
    let mut brokers = vhost.brokers.clone();
    for broker in brokers.0.values_mut() {
        broker.management = None;
    }
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &brokers).await;
    let copies = vec!["the same".to_owned(); 300];
    for round in 1..=3 {
        vhost.publish_all("dead", &copies).await;
        until("the letters", || async { letters(&pool).await == round * 300 }).await;
    }
    assert_eq!(vhost.consumers("dead").await, 0);
    let (_, detail) = condition(&pool, source).await;
    let detail = detail.expect("a remark");
    assert!(detail.contains("DLO_MANAGEMENT_URL"), "{detail}");
    office.stop().await;
    assert!(vhost.has_queue("dead").await);
    vhost.delete().await;
}
