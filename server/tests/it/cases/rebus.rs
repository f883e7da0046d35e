//! Failures of Rebus, with a copy of the broker's own count in their headers (Rebus.RabbitMq issues 114, 82).

use dlo_domain::republish::HeaderChanges;
use lapin::types::AMQPValue;
use sqlx::PgPool;

use super::{Case, Sent, signatures, with, with_headers};
use crate::support::broker::Vhost;

fn reserve(number: usize) -> Sent {
    let details = "6 unhandled exceptions: 11/20/2026 2:00:01 AM +00:00: System.InvalidOperationException: \
                   stock row is locked\n   at Shop.ReserveStockHandler.Handle(ReserveStock message) in \
                   /src/ReserveStockHandler.cs:line 21\n11/20/2026 2:00:03 AM +00:00: \
                   System.InvalidOperationException: stock row is locked";
    let properties = with_headers(&[
        ("rbs2-msg-id", &format!("7f3c{number:04}")),
        ("rbs2-msg-type", "Shop.Messages.ReserveStock, Shop.Messages"),
        ("rbs2-source-queue", "inventory"),
        ("rbs2-error-details", details),
    ]);
    let properties = with(properties, "x-delivery-count", AMQPValue::LongLongInt(6));
    Sent { properties, body: br#"{"Sku":"A-77","Quantity":4}"#.to_vec() }
}

async fn are_all_read(pool: &PgPool, arguments: &[(&str, AMQPValue)]) {
    let sent: Vec<Sent> = (0..50).map(reserve).collect();
    let case = Case::of_queue(pool, "error", arguments, &sent).await;
    let letters = case.letters("body.Sku:A-77").await;
    assert_eq!(letters.len(), 50);
    assert_eq!(signatures(pool).await, 1);
    for letter in letters {
        let summary = letter.summary;
        assert_eq!(summary.error_class.as_deref(), Some("System.InvalidOperationException"));
        assert_eq!(summary.error_message.as_deref(), Some("stock row is locked"));
        assert_eq!(summary.message_type.as_deref(), Some("Shop.Messages.ReserveStock"));
        assert_eq!(summary.queue.as_deref(), Some("inventory"));
        assert!(summary.origin_claimed);
        assert_eq!(letter.circumstances.attempts, Some(6));
    }
    let (_, received) = case.replayed("inventory", &HeaderChanges::default()).await;
    assert!(
        !received.contains_key("x-delivery-count"),
        "the sender's copy is not sent: {received:?}"
    );
    assert!(received.contains_key("rbs2-msg-id"), "{received:?}");
    case.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_newest_failure_is_told(pool: PgPool) {
    are_all_read(&pool, &[]).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn so_is_it_where_the_broker_counts_itself(pool: PgPool) {
    let vhost = Vhost::create().await;
    let arguments = vhost.of_quorum_queue().await;
    vhost.delete().await;
    are_all_read(&pool, &arguments).await;
}
