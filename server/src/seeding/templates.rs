//! Failures of a shop that does not exist, as a broker would deliver them: the patterns that made
//! up letters follow. The same number makes the same failure.

use dlo_domain::arrival::Delivered;
use dlo_domain::wire::{FieldTable, FieldValue, Properties};

/// The number of an order that stands in every body and message; each letter gets its own.
pub const ORDER: &str = "730241865";
/// How many failures there are with a signature of their own.
pub const MOST_SIGNATURES: usize = PARTNERS.len() * ACTIONS.len() * CAUSES.len();
/// Failures that share a signature and differ in the rest.
pub const VARIANTS: usize = 4;
/// How many queues the letters come from, by the name of the source.
pub const SOURCES: [&str; 6] = ["orders", "payments", "shipping", "emails", "sales", "search"];

/// What the shop talks to.
const PARTNERS: [&str; 25] = [
    "ledger",
    "inventory",
    "parcels",
    "mailer",
    "catalog",
    "fraud-check",
    "loyalty",
    "invoices",
    "tax-office",
    "warehouse",
    "couriers",
    "returns",
    "vouchers",
    "customers",
    "sessions",
    "reviews",
    "pricing",
    "suppliers",
    "exports",
    "archive",
    "maps",
    "labels",
    "customs",
    "bank",
    "reports",
];
/// What it was doing.
const ACTIONS: [(&str, &str); 20] = [
    ("Reserve", "reserving stock for"),
    ("Charge", "charging the card of"),
    ("Refund", "refunding"),
    ("Ship", "booking a parcel for"),
    ("Label", "printing the label of"),
    ("Notify", "writing to the customer of"),
    ("Index", "indexing"),
    ("Price", "pricing"),
    ("Audit", "auditing"),
    ("Export", "exporting"),
    ("Cancel", "cancelling"),
    ("Merge", "merging the baskets of"),
    ("Settle", "settling"),
    ("Remind", "reminding the payer of"),
    ("Score", "scoring the risk of"),
    ("Route", "routing"),
    ("Pack", "packing"),
    ("Return", "taking back"),
    ("Archive", "archiving"),
    ("Report", "reporting"),
];
/// Why it failed.
const CAUSES: [(&str, &str); 10] = [
    ("Timeout", "no answer within 30000 ms from"),
    ("ConnectionRefused", "connection refused by"),
    ("Deadlock", "deadlock detected in"),
    ("UnknownField", "unknown field 'discount_code' was sent to"),
    ("NullReference", "object reference not set to an instance at"),
    ("DuplicateKey", "duplicate key value violates unique constraint of"),
    ("Forbidden", "403 Forbidden was answered by"),
    ("OutOfRange", "amount is out of range for"),
    ("StaleVersion", "row was updated by another transaction in"),
    ("BrokenPipe", "broken pipe on the stream to"),
];
const CITIES: [&str; 8] = ["Lyon", "Porto", "Graz", "Bergen", "Gdansk", "Leeds", "Ghent", "Turku"];
const ITEMS: [&str; 12] = [
    "oak table",
    "desk lamp",
    "wool blanket",
    "tea kettle",
    "garden hose",
    "picture frame",
    "bread knife",
    "book shelf",
    "rain jacket",
    "night stand",
    "coffee grinder",
    "door mat",
];
const NOTES: [&str; 7] = [
    "please ring twice",
    "leave it with the neighbour",
    "gift, no invoice in the parcel",
    "call before delivery",
    "second floor, no lift",
    "deliver after six",
    "fragile",
];
/// Steps of one queue's work, five to a source: thirty queues.
const STEPS: [&str; 5] = ["intake", "work", "retry", "export", "notify"];

/// A failure that letters are made after.
pub struct Template {
    /// Its place in `SOURCES`.
    pub source: usize,
    /// The message as the broker delivers it.
    pub delivered: Delivered,
}

/// The failure of a number; `VARIANTS` numbers in a row have the same signature.
pub fn template(number: usize) -> Template {
    let (signature, variant) = (number / VARIANTS, number % VARIANTS);
    let ((cause_name, cause), (action_name, action), partner) = failure(signature);
    let source = (signature * 7 + signature / 11) % SOURCES.len();
    let queue = format!("{}.{}", SOURCES[source], STEPS[signature / 3 % STEPS.len()]);
    let mut headers = FieldTable::default();
    let tenant = (number * number / 7 + variant) % 40;
    headers.set("x-tenant", text(&format!("tenant-{tenant:02}")));
    headers.set("x-app-version", text(&format!("2.{}.{variant}", signature % 4)));
    headers.set("x-exception-type", text(&format!("shop.{partner}.{action_name}{cause_name}")));
    headers.set(
        "x-exception-message",
        text(&format!("{cause} {partner} while {action} order {ORDER}")),
    );
    headers.set("x-death", FieldValue::Array(vec![death(&queue, signature)]));
    Template {
        source,
        delivered: Delivered {
            exchange: format!("{}.dead", SOURCES[source]),
            routing_key: queue,
            properties: Properties {
                content_type: Some("application/json".into()),
                ..Properties::default()
            },
            headers,
            body: body(number, variant).into_bytes(),
            redelivered: false,
            faults: Vec::new(),
        },
    }
}

/// A message that died of one of the failures.
#[must_use]
pub fn any_message(number: usize) -> Delivered {
    template(number % (MOST_SIGNATURES * VARIANTS)).delivered
}

/// What the error messages of one of the failures have in common.
#[must_use]
pub fn any_phrase(number: usize) -> String {
    let (cause, action, partner) = failure(number % MOST_SIGNATURES);
    format!("{} {partner} while {}", cause.1, action.1)
}

/// Why it failed, what it was doing, and with whom.
fn failure(
    signature: usize,
) -> ((&'static str, &'static str), (&'static str, &'static str), &'static str) {
    (
        CAUSES[signature % CAUSES.len()],
        ACTIONS[signature / CAUSES.len() % ACTIONS.len()],
        PARTNERS[signature / (CAUSES.len() * ACTIONS.len()) % PARTNERS.len()],
    )
}

fn text(value: &str) -> FieldValue {
    FieldValue::LongString(value.into())
}

fn death(queue: &str, signature: usize) -> FieldValue {
    let reason = match signature % 20 {
        0..=13 => "rejected",
        14..=17 => "expired",
        18 => "delivery_limit",
        _ => "maxlen",
    };
    let mut death = FieldTable::default();
    death.set("count", FieldValue::LongLongInt(1));
    death.set("reason", text(reason));
    death.set("queue", text(queue));
    death.set("time", FieldValue::Timestamp(1_792_000_000));
    death.set("exchange", text("shop"));
    death.set("routing-keys", FieldValue::Array(vec![text(queue)]));
    FieldValue::Table(death)
}

fn body(number: usize, variant: usize) -> String {
    let item = |place: usize| ITEMS[(number / 3 + place * 5) % ITEMS.len()];
    let items: Vec<String> = (0..=variant % 2)
        .map(|place| format!(r#"{{"name":"{}","count":{}}}"#, item(place), 1 + number % 3))
        .collect();
    format!(
        r#"{{"message_type":"Order{}","order":{ORDER},"city":"{}","total":{}.{:02},"items":[{}],"note":"{}"}}"#,
        ACTIONS[number / 40 % ACTIONS.len()].0,
        CITIES[number % CITIES.len()],
        number % 900 + 5,
        number % 100,
        items.join(","),
        NOTES[number % NOTES.len()],
    )
}

#[cfg(test)]
mod tests {
    use dlo_domain::decoding::MessageTypes;
    use dlo_domain::failure::HeaderMap;
    use dlo_domain::reading;

    use super::*;

    #[test]
    fn every_failure_reads_as_one() {
        for number in [0, 1, 79, 1_000, MOST_SIGNATURES * VARIANTS - 1] {
            let delivered = template(number).delivered;
            let reading =
                reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
            assert!(reading.notes.is_empty(), "{:?}", reading.notes);
            assert_eq!(reading.deaths.len(), 1);
            assert!(reading.failure.error_class.is_some_and(|class| class.starts_with("shop.")));
            assert!(reading.failure.error_message.is_some_and(|text| text.contains(ORDER)));
            assert!(reading.message_type.is_some());
            serde_json::from_slice::<serde_json::Value>(&delivered.body).expect("JSON");
        }
    }
}
