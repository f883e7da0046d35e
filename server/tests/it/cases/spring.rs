//! Errors of Spring AMQP without a stack, with very long messages (spring-amqp issues 3518, 1130, 2375).

use std::fmt::Write as _;

use dlo_domain::death::Reason;
use sqlx::PgPool;

use super::{Case, Sent, signatures, with_headers};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn no_class_is_invented_where_none_is_told(pool: PgPool) {
    let head =
        "Listener threw exception: order o-9001 rejected by rule R17: Order{id=o-9001, lines=[";
    let mut message = head.to_owned() + &"Line{sku=A-77, qty=4, note='x'}, ".repeat(2_000);
    message.truncate(60_000);
    let properties = with_headers(&[
        ("x-exception-message", &message),
        ("x-original-exchange", "shop.events"),
        ("x-original-routingKey", "order.paid"),
        ("__TypeId__", "shop.events.OrderPaid"),
    ]);
    let body = br#"{"orderId":"o-9001","total":20.5}"#.to_vec();
    let case = Case::of(&pool, "shop.orders.dlq", &[Sent { properties, body }]).await;
    let letter = &case.letters("\"rejected by rule R17\"").await[0];
    let summary = &letter.summary;
    assert_eq!((summary.error_class.as_deref(), letter.stack_trace.as_deref()), (None, None));
    assert!(
        summary
            .error_message
            .as_deref()
            .expect("a message")
            .starts_with("Listener threw exception")
    );
    assert_eq!(summary.message_type.as_deref(), Some("shop.events.OrderPaid"));
    assert_eq!(summary.exchange.as_deref(), Some("shop.events"));
    assert_eq!(summary.routing_key.as_deref(), Some("order.paid"));
    assert_eq!((summary.queue.as_deref(), summary.reason), (None, Reason::Rejected));
    let note = "The message says how it was published, but not in which queue it died.";
    assert_eq!(letter.arrivals[0].notes, [note]);
    case.close().await;
}

/// An error whose message is a graph of objects, cut after so many bytes.
fn huge(number: usize, bytes: usize) -> Sent {
    let mut message = format!(
        "Listener threw exception: order o-{number} rejected by rule R17: Order{{id=o-{number}, lines=["
    );
    let mut line = number;
    while message.len() < bytes {
        line = (line * 7 + 1) % 9_973;
        let quantity = line % 19 + 1;
        let sku = line % 991;
        write!(message, "Line{{sku=A-{sku}, qty={quantity}, note='x'}}, ").expect("a String");
    }
    message.truncate(bytes);
    let properties = with_headers(&[
        ("x-exception-message", &message),
        ("x-original-exchange", "shop.events"),
        ("x-original-routingKey", "order.paid"),
        ("__TypeId__", "shop.events.OrderPaid"),
    ]);
    let body = format!(r#"{{"orderId":"o-{number}","total":20.5}}"#).into_bytes();
    Sent { properties, body }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_failure_is_one_group_wherever_its_long_message_was_cut(pool: PgPool) {
    let sent: Vec<Sent> = (0..200).map(|at| huge(9_001 + at, 300 + at * 300)).collect();
    let case = Case::of(&pool, "shop.orders.dlq", &sent).await;
    assert_eq!(signatures(&pool).await, 1);
    let listed = case.found("").await;
    assert_eq!(listed.len(), 100);
    let bytes = serde_json::to_string(&listed).expect("JSON").len();
    assert!(bytes < 300_000, "{bytes} bytes for 100 letters");
    case.close().await;
}
