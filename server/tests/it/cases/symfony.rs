//! Failures of Symfony Messenger, whose headers grow with every retry (symfony issues 45944, 44943, 60370).

use dlo_domain::death::Reason;
use dlo_domain::replay::WarningKind;
use dlo_domain::republish::HeaderChanges;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{Case, Sent, deaths, signatures, with, with_headers};

/// The broker takes so much in properties and headers, and no more than a little above.
const LARGE: usize = 126_000;

fn stamp(name: &str) -> String {
    format!("X-Message-Stamp-Symfony\\Component\\Messenger\\Stamp\\{name}")
}

fn error(charge: usize) -> Value {
    let message = format!("Gateway did not answer in 8 s for charge ch_{charge}01");
    json!({
        "exceptionClass": "App\\Exception\\GatewayTimeout",
        "exceptionCode": 504,
        "exceptionMessage": message,
        "flattenException": {
            "class": "App\\Exception\\GatewayTimeout",
            "message": message,
            "trace": [{
                "class": "App\\MessageHandler\\ChargeCardHandler", "function": "__invoke",
                "file": "/srv/app/src/MessageHandler/ChargeCardHandler.php", "line": 44
            }]
        }
    })
}

fn charge(retries: usize, bytes: usize) -> Sent {
    let mut errors: Vec<Value> = (1..=retries).map(error).collect();
    while json!(errors).to_string().len() + error(1).to_string().len() + 1_500 < bytes {
        errors.insert(0, error(1));
    }
    let again: Vec<Value> = (1..=retries).map(|count| json!({"retryCount": count})).collect();
    let properties = with_headers(&[
        ("type", "App\\Message\\ChargeCard"),
        (&stamp("ErrorDetailsStamp"), &json!(errors).to_string()),
        (&stamp("RedeliveryStamp"), &json!(again).to_string()),
        (&stamp("SentToFailureTransportStamp"), r#"[{"originalReceiverName":"orders"}]"#),
    ]);
    let delay = "delay_orders_charge_4000_retry";
    let properties = with(properties, "x-death", deaths(&[(delay, "expired", delay)]));
    Sent { properties, body: br#"{"orderId":"o-5521","cents":1999}"#.to_vec() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_last_failure_counts_and_not_the_queue_that_delayed_it(pool: PgPool) {
    let sent: Vec<Sent> = (1..=3).map(|n| charge(n, 0)).chain([charge(3, LARGE)]).collect();
    let case = Case::of(&pool, "failed_orders", &sent).await;
    let letters = case.letters("error_class:\"App\\\\Exception\\\\GatewayTimeout\"").await;
    assert_eq!(letters.len(), 4);
    assert_eq!(signatures(&pool).await, 1);
    for (letter, retries) in letters.iter().zip([1, 2, 3, 3]) {
        let summary = &letter.summary;
        let message = format!("Gateway did not answer in 8 s for charge ch_{retries}01");
        assert_eq!(summary.error_message.as_deref(), Some(&*message));
        assert_eq!(summary.message_type.as_deref(), Some("App\\Message\\ChargeCard"));
        assert_eq!(summary.queue.as_deref(), Some("orders"));
        assert_eq!((summary.reason, summary.origin_claimed), (Reason::Rejected, true));
        assert_eq!(letter.circumstances.retries, Some(retries));
        let stack = letter.stack_trace.as_deref().expect("a stack");
        assert!(stack.contains("ChargeCardHandler.php(44)"), "{stack}");
        assert_eq!(letter.deaths[0].queue, "delay_orders_charge_4000_retry", "it is shown, too");
    }
    case.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_whose_headers_grew_too_large_goes_without_what_only_tells_of_the_failure(
    pool: PgPool,
) {
    let sent: Vec<Sent> = (1..=3).map(|n| charge(n, 0)).chain([charge(3, LARGE)]).collect();
    let case = Case::of(&pool, "failed_orders", &sent).await;
    let plain = HeaderChanges::default();
    let warnings = case.warnings("orders", &plain).await;
    let [large, travels] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(
        (large.kind, large.letters, large.will_fail),
        (WarningKind::HeadersTooLarge, 1, true)
    );
    assert!(large.message.contains(&stamp("ErrorDetailsStamp")), "{}", large.message);
    assert_eq!((travels.kind, travels.letters), (WarningKind::HeaderTravels, 3));
    assert!(travels.message.contains("counts retries"), "{}", travels.message);
    let without = large.remedy.clone().expect("an offer");
    assert_eq!(without.to_string(), "-X-Message-Stamp-*ErrorDetailsStamp");
    let warnings = case.warnings("orders", &without).await;
    let [travels] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(travels.letters, 4, "all can be sent now");
    let (details, received) = case.replayed("orders", &without).await;
    let told = format!("sent without {}", stamp("ErrorDetailsStamp"));
    assert!(details.iter().all(|detail| detail.contains(&told)), "{details:?}");
    assert!(!received.contains_key(&stamp("ErrorDetailsStamp")), "{received:?}");
    assert!(received.contains_key(&stamp("RedeliveryStamp")), "{received:?}");
    assert!(received.contains_key("type"), "{received:?}");
    case.close().await;
}
