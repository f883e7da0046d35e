//! The payment service, written in Go. Captures are protobuf, plain or as base64 text, on a
//! quorum queue with a delivery limit; refunds are JSON.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::protobuf::Wire;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;
use serde_json::json;

const BAD_GATEWAY: &str = "adyen-eu";
const BAD_PROTO_VERSION: AMQPValue = AMQPValue::LongInt(4);
const GATEWAYS: &[&str] = &["stripe", "adyen-us", "mollie"];

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    match failure {
        Some(Failure::RefundMismatch) => refund(desk),
        Some(Failure::CapturePanic) => capture(desk, 4, "stripe"),
        Some(Failure::GatewayTimeout) => capture(desk, 3, BAD_GATEWAY),
        _ => {
            let gateway = desk.dice.pick(GATEWAYS);
            capture(desk, 3, gateway)
        }
    }
}

fn capture(desk: &mut Desk, version: i32, gateway: &str) -> Publication {
    let cents = desk.dice.number(199, 250_000).unsigned_abs();
    let amount = Wire::default().varint(1, cents).bytes(2, "EUR");
    let card =
        Wire::default().bytes(1, "visa").bytes(2, format!("{:04}", desk.dice.number(0, 9999)));
    let wire = Wire::default()
        .bytes(1, format!("pay_{}", desk.dice.uuid().simple()))
        .bytes(2, format!("A-{}", desk.dice.number(100_000, 999_999)))
        .message(3, &amount)
        .message(4, &card)
        .varint(5, desk.moment().timestamp().unsigned_abs())
        .double(6, 0.021);
    let message = Publication::new(topology::PAYMENTS_EXCHANGE, topology::CAPTURES);
    let raw = version == 4;
    let message = if raw {
        message.body("application/x-protobuf", wire.into_bytes())
    } else {
        message.body("text/plain", wire.into_base64())
    };
    let message = message
        .header("x-proto-version", AMQPValue::LongInt(version))
        .header("x-proto-message", text("acme.payments.v1.CapturePayment"))
        .header("x-gateway", text(gateway))
        .header("x-signature", AMQPValue::ByteArray(desk.dice.bytes(32).into()));
    desk.dress(message, "payment-service", "CapturePayment", "5.0.12")
}

fn refund(desk: &mut Desk) -> Publication {
    let lines = desk.dice.number(2, 6);
    let body = json!({
        "refund_id": format!("rf_{}", desk.dice.number(10_000, 99_999)),
        "order_id": format!("A-{}", desk.dice.number(100_000, 999_999)),
        "order_lines": lines,
        "refund_line": lines + desk.dice.number(1, 3),
        "amount": { "value": desk.dice.money(5, 200), "currency": "EUR" },
        "reason": "damaged in transit"
    });
    let message = Publication::new(topology::PAYMENTS_EXCHANGE, topology::REFUNDS)
        .json(&body)
        .header("x-exchange-rate", AMQPValue::Float(1.084));
    desk.dress(message, "payment-service", "RefundRequested", "5.0.12")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.queue == topology::REFUNDS {
        let number = |pointer| reading.fields.pointer(pointer).and_then(serde_json::Value::as_i64);
        return (number("/refund_line") > number("/order_lines"))
            .then_some(Failure::RefundMismatch);
    }
    if reading.header("x-proto-version") == Some(&BAD_PROTO_VERSION) {
        return Some(Failure::CapturePanic);
    }
    (reading.header_text("x-gateway") == BAD_GATEWAY).then_some(Failure::GatewayTimeout)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    (failure == Failure::RefundMismatch).then(|| {
        let message = format!(
            "runtime error: index out of range [{}] with length {}",
            reading.field("/refund_line"),
            reading.field("/order_lines")
        );
        let trace = format!(
            "panic: {message}\n\ngoroutine {} [running]:\ngithub.com/acme/payments/refund.(*Handler).lineAmount(...)\n\t/src/refund/handler.go:118\ngithub.com/acme/payments/refund.(*Handler).Handle(0xc000{:06x}, {{0xc00041e000, 0x1a2, 0x200}})\n\t/src/refund/handler.go:74 +0x2f4\nmain.consume(0xc0000b6000)\n\t/src/cmd/worker/main.go:52 +0x1c5\n",
            reading.salt() % 900 + 17,
            reading.salt() % 0xff_ffff
        );
        Report { class: "runtime.Error", message, trace, dialect: Dialect::Go }
    })
}
