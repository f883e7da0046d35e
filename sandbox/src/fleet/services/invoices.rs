//! The invoice renderer, written in .NET. It rejects what it cannot render; the broker brings
//! the message back twice by queues with a time to live, and the third reject is the last. The
//! retry loop lives in the topology, so the letters carry several x-death entries and no error.

use super::{Desk, Failure, Publication, Reading};
use crate::fleet::topology;
use lapin::types::{AMQPValue, DecimalValue};
use serde_json::json;

const MISSING_TEMPLATE: &str = "legacy-2019";
const SLOW_COUNTRY: &str = "PT";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let missing = failure == Some(Failure::TemplateMissing);
    let template = if missing { MISSING_TEMPLATE } else { "standard-2026" };
    let country = match failure {
        Some(Failure::TaxServiceDown) => SLOW_COUNTRY,
        _ => desk.dice.pick(&["DE", "NL", "FR", "AT"]),
    };
    let net = desk.dice.money(20, 4000);
    let body = json!({
        "invoiceNumber": format!("INV-2026-{:06}", desk.dice.number(1, 999_999)),
        "issuedAt": desk.moment().to_rfc3339(),
        "template": template,
        "country": country,
        "recipient": { "name": desk.dice.person(), "vatId": format!("{country}{}", desk.dice.number(100_000_000, 999_999_999)) },
        "lines": [ { "text": "Wartung & Prüfung · März", "net": net, "vatRate": 19 } ]
    });
    let kind = if missing { "CreditNoteIssued" } else { "InvoiceIssued" };
    let message = Publication::new(topology::INVOICES_EXCHANGE, topology::INVOICES)
        .json(&body)
        .header("x-vat-rate", AMQPValue::DecimalValue(DecimalValue { scale: 1, value: 190 }))
        .header("x-copies", AMQPValue::ShortShortInt(2))
        .header("x-archive", AMQPValue::Void);
    desk.dress(message, "invoice-renderer", kind, "3.11.0")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.is("/template", MISSING_TEMPLATE) {
        return Some(Failure::TemplateMissing);
    }
    reading.is("/country", SLOW_COUNTRY).then_some(Failure::TaxServiceDown)
}
