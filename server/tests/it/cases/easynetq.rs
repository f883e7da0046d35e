//! What EasyNetQ puts into its error queue: its own message around the one that failed, which is a text in it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::replay::{NewReplay, WarningKind};
use lapin::BasicProperties;
use serde_json::json;
use sqlx::PgPool;

use super::{Case, Replayed, Sent};

const INNER: &str = r#"{"OrderId":"o-7","Total":20.50}"#;

fn error(message: &str) -> Sent {
    let envelope = json!({
        "RoutingKey": "order.paid", "Exchange": "Shop.Events.OrderPaid, Shop", "Queue": "billing",
        "Exception": "System.TimeoutException: no answer in 8 s\n   at Shop.Billing.Handle() in /src/Billing.cs:line 7",
        "Message": message, "DateTime": "2026-11-20T03:12:44.1Z",
        "BasicProperties": {
            "ContentType": "application/json", "ContentEncoding": null, "DeliveryMode": 2, "Priority": 0,
            "Headers": {"tenant": STANDARD.encode("acme")}, "CorrelationId": "c-1", "Type": "Shop.Events.OrderPaid, Shop",
            "ContentTypePresent": true, "PriorityPresent": false
        }
    });
    let kind = "EasyNetQ.SystemMessages.Error, EasyNetQ";
    Sent {
        properties: BasicProperties::default().with_type(kind.into()),
        body: envelope.to_string().into_bytes(),
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_message_that_failed_is_sent_as_it_was(pool: PgPool) {
    let case = Case::of(&pool, "EasyNetQ_Default_Error_Queue", &[error(INNER)]).await;
    let letters = case.letters("error_class:\"System.TimeoutException\"").await;
    let origin = letters[0].summary.queue.as_deref();
    assert_eq!((letters.len(), origin), (1, Some("billing")));
    let tried = NewReplay { dry_run: true, ..NewReplay::default() };
    let plan = case.plan("billing", tried).await;
    assert!(plan.warnings.iter().any(|one| one.kind == WarningKind::ErrorEnvelope));
    let open = NewReplay { open_envelopes: true, ..NewReplay::default() };
    let Replayed { came, .. } = case.replayed_on("billing", open).await;
    let properties = &came[0].properties;
    assert_eq!(came[0].body, INNER.as_bytes());
    let kind = properties.kind().as_ref().map(lapin::types::ShortString::as_str);
    assert_eq!(kind, Some("Shop.Events.OrderPaid, Shop"));
    let headers = properties.headers().clone().expect("headers");
    let tenant = headers.inner().get("tenant").and_then(|value| value.as_long_string());
    assert_eq!(tenant.map(lapin::types::LongString::as_bytes), Some(&b"acme"[..]));
    case.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_lost_bytes_in_its_envelope_is_left_out(pool: PgPool) {
    let case = Case::of(&pool, "EasyNetQ_Default_Error_Queue", &[error("\u{fffd}\u{1}x")]).await;
    let open = NewReplay { open_envelopes: true, dry_run: true, ..NewReplay::default() };
    let plan = case.plan("billing", open).await;
    assert_eq!((plan.total, plan.left_out.len()), (0, 1));
    assert!(plan.left_out[0].reason.contains("not UTF-8 are lost"), "{:?}", plan.left_out);
    case.close().await;
}
