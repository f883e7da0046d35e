//! What is published of ends: never lost, whatever the broker does.

use chrono::TimeDelta;
use dlo_domain::execution::{ExecutionState, MONITOR};
use dlo_server::duty::Duty as _;
use dlo_server::executions::Announcer;
use lapin::options::BasicGetOptions;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::yard::Yard;

async fn why(yard: &Yard) -> String {
    sqlx::query_scalar("select last_error from execution_outbox")
        .fetch_one(&yard.pool)
        .await
        .expect("a reason")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_end_is_told_as_soon_as_a_queue_takes_it(pool: PgPool) {
    let vhost = Vhost::create().await;
    let yard = Yard::at(&pool, &vhost.brokers, &vhost.name);
    yard.watch_for(5).await;
    yard.told("42", ExecutionState::Scheduled, "a").await;
    yard.watch_for(310).await;
    assert_eq!(yard.check().await, 1);
    let mut announcer = Announcer::new(yard.keeper.clone());
    // No exchange; then no queue behind it.
    assert_eq!(announcer.publish_some().await.expect("tried"), 1);
    assert_eq!(why(&yard).await, "there is no exchange `executions`");
    assert_eq!(announcer.publish_some().await.expect("tried"), 0, "it waits");
    vhost.topic("executions", &[]).await;
    yard.clock.advance(TimeDelta::minutes(6));
    assert_eq!(announcer.publish_some().await.expect("tried"), 1);
    assert!(why(&yard).await.contains("NO_ROUTE"), "{}", why(&yard).await);
    vhost.queue("ends", &[]).await;
    vhost.bind("executions", "ends", "execution.#").await;
    yard.clock.advance(TimeDelta::minutes(6));
    assert_eq!(announcer.publish_some().await.expect("tried"), 1);
    assert_eq!(yard.count("select count(*) from execution_outbox").await, 0);
    assert_eq!(announcer.publish_some().await.expect("tried"), 0);
    announcer.end().await;
    let got = vhost
        .channel
        .basic_get("ends".into(), BasicGetOptions { no_ack: true })
        .await
        .expect("asked")
        .expect("a message");
    let properties = &got.delivery.properties;
    let text = |name: &Option<lapin::types::ShortString>| name.as_ref().map(ToString::to_string);
    assert_eq!(text(properties.kind()).as_deref(), Some("ExecutionCompleted"));
    assert!(text(properties.message_id()).is_some());
    assert_eq!(properties.delivery_mode(), &Some(2));
    let body: Value = serde_json::from_slice(&got.delivery.data).expect("JSON");
    let error = "Execution timeout: worker `a` did not begin it within 300 s of being scheduled";
    let wanted = json!({
        "message_type": "ExecutionCompleted",
        "payload": {
            "execution_id": 42, "status": "failed",
            "result": {"error": error, "failed_by": MONITOR},
        },
    });
    assert_eq!(body, wanted);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_is_away_is_tried_again(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("ends", &[]).await;
    vhost.topic("executions", &[("ends", "#")]).await;
    let away = Yard::open(&pool);
    away.told("42", ExecutionState::Scheduled, "a").await;
    let anna = dlo_domain::audit::Actor("anna".to_owned());
    let failed = ExecutionState::Failed;
    dlo_app::desk::ExecutionDesk::end_execution(&away.desk, &anna, "42", failed, "x")
        .await
        .expect("failed");
    let mut announcer = Announcer::new(away.keeper.clone());
    assert_eq!(announcer.publish_some().await.expect("tried"), 1);
    assert!(!why(&away).await.is_empty());
    // Another office, whose broker answers, takes over what the first could not do.
    sqlx::query("update execution_outbox set vhost = $1")
        .bind(&vhost.name)
        .execute(&pool)
        .await
        .expect("moved");
    let there = Yard::at(&pool, &vhost.brokers, &vhost.name);
    there.clock.advance(TimeDelta::minutes(6));
    let mut announcer = Announcer::new(there.keeper.clone());
    assert_eq!(announcer.publish_some().await.expect("tried"), 1);
    assert_eq!(vhost.take_bodies("ends").await.len(), 1);
    announcer.end().await;
    vhost.delete().await;
}
