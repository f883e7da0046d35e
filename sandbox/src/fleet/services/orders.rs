//! The order service, written in Java. Release 2.3.1 has a bug with guests; `x-version` tells.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;
use serde_json::{Value, json};

const VERSIONS: &[&str] = &["2.3.0", "2.3.0", "2.2.7"];
const BAD_VERSION: &str = "2.3.1";
const BAD_WAREHOUSE: &str = "AMS-2";
const SKUS: &[&str] =
    &["KB-104-DE", "MON-27-4K", "DESK-OAK-160", "CHAIR-ERGO", "LAMP-LED-7W", "CABLE-USBC-2M"];

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let body = order(failure, desk).to_string();
    let message = Publication::new(topology::ORDERS_EXCHANGE, topology::ORDERS);
    let message = if failure == Some(Failure::BrokenJson) {
        // Cut in the middle of a character or a number, wherever the dice say.
        let length = usize::try_from(desk.dice.number(40, 160)).unwrap_or(40).min(body.len() - 2);
        message.body("application/json", &body.as_bytes()[..length])
    } else {
        message.body("application/json", body)
    };
    let bad_version = failure == Some(Failure::CustomerMissing);
    let version = if bad_version { BAD_VERSION } else { desk.dice.pick(VERSIONS) };
    let score = desk.dice.money(0, 1);
    let message = message
        .header("x-priority-customer", AMQPValue::Boolean(desk.dice.once_in(5)))
        .header("x-fraud-score", AMQPValue::Double(score))
        .header("x-line-count", AMQPValue::ShortInt(3));
    let priority = desk.dice.pick(&[None, None, Some(5_u8)]);
    let message = desk.dress(message, "order-service", "OrderPlaced", version);
    match priority {
        Some(priority) => message.with(|properties| properties.with_priority(priority)),
        None => message,
    }
}

fn order(failure: Option<Failure>, desk: &mut Desk) -> Value {
    let total = match failure {
        Some(Failure::NegativeTotal) => -desk.dice.money(2, 90),
        _ => desk.dice.money(9, 900),
    };
    let name = desk.dice.person();
    let email = match failure {
        Some(Failure::CustomerMissing) => Value::Null,
        _ => json!(format!("customer{}@mail.example", desk.dice.number(100, 9999))),
    };
    let warehouse = match failure {
        Some(Failure::InventoryDown) => BAD_WAREHOUSE,
        _ => desk.dice.pick(&["AMS-1", "BER-1", "LIS-1"]),
    };
    json!({
        "order_id": format!("A-{}", desk.dice.number(100_000, 999_999)),
        "placed_at": desk.moment().to_rfc3339(),
        "customer": { "id": desk.dice.number(1, 90_000), "name": name, "email": email },
        "warehouse": warehouse,
        "currency": "EUR",
        "total": total,
        "items": [
            { "sku": desk.dice.pick(SKUS), "quantity": desk.dice.number(1, 5) },
            { "sku": desk.dice.pick(SKUS), "quantity": 1 }
        ]
    })
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if !reading.fields.is_object() {
        return Some(Failure::BrokenJson);
    }
    if reading.fields.pointer("/total").and_then(Value::as_f64).unwrap_or(0.0) < 0.0 {
        return Some(Failure::NegativeTotal);
    }
    if reading.header_text("x-version") == BAD_VERSION
        && reading.field("/customer/email").is_empty()
    {
        return Some(Failure::CustomerMissing);
    }
    reading.is("/warehouse", BAD_WAREHOUSE).then_some(Failure::InventoryDown)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let order = reading.field("/order_id");
    let salt = reading.salt();
    let (class, message, frame) = match failure {
        Failure::CustomerMissing => (
            "java.lang.NullPointerException",
            "Cannot invoke \"String.toLowerCase()\" because the return value of \"com.acme.orders.Customer.getEmail()\" is null".to_owned(),
            "com.acme.orders.ConfirmationMailer.recipientOf(ConfirmationMailer.java:87)",
        ),
        Failure::NegativeTotal => (
            "java.lang.IllegalArgumentException",
            format!("Order {order} has a negative total: {} EUR", reading.field("/total")),
            "com.acme.orders.OrderValidator.requirePositive(OrderValidator.java:41)",
        ),
        Failure::InventoryDown => (
            "org.postgresql.util.PSQLException",
            format!(
                "Connection to 10.3.{}.{}:5432 refused while reserving stock for order {order}. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.",
                salt % 4,
                salt % 250 + 1
            ),
            "com.acme.inventory.StockRepository.reserve(StockRepository.java:132)",
        ),
        Failure::BrokenJson => (
            "com.fasterxml.jackson.core.io.JsonEOFException",
            format!(
                "Unexpected end-of-input at [Source: (byte[])[{} bytes]; line: 1, column: {}]",
                reading.body.len(),
                reading.body.len() + 1
            ),
            "com.acme.orders.OrderListener.parse(OrderListener.java:58)",
        ),
        _ => return None,
    };
    let trace = format!(
        "{class}: {message}\n\tat {frame}\n\tat com.acme.orders.OrderListener.onMessage(OrderListener.java:64)\n\tat org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer.invokeListener(AbstractMessageListenerContainer.java:1682)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)\n"
    );
    Some(Report { class, message, trace, dialect: Dialect::Java })
}
