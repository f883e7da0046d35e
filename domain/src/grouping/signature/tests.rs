use super::*;
use crate::arrival::Delivered;
use crate::decoding::{BodyValues, MessageTypes};
use crate::failure::HeaderMap;
use crate::wire::FieldValue;

fn delivered(headers: &[(&str, &str)], body: &str) -> Delivered {
    let mut delivered = Delivered::default();
    for (name, value) in headers {
        delivered.headers.set(name, FieldValue::LongString((*value).into()));
    }
    delivered.body = body.as_bytes().to_vec();
    delivered
}

fn shared(delivered: &Delivered, reading: &Reading) -> Shared {
    let values = reading.contents.values.clone();
    let values = values.map(|values| BodyValues::new(values, &delivered.body));
    let message = reading.failure.error_message.as_deref().unwrap_or_default();
    Shared::of(message, delivered, values.as_ref())
}

fn sign(headers: &[(&str, &str)], body: &str) -> Signature {
    let delivered = delivered(headers, body);
    let reading = crate::reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
    Signature::of(&reading, &shared(&delivered, &reading), &mut Masker::new())
}

const CLASS: (&str, &str) = ("x-error-type", "Acme.NoStock");

#[test]
fn values_do_not_count_and_words_do() {
    let first = sign(&[CLASS, ("x-error", "No stock for sku 4711")], "");
    assert_eq!(first.id, sign(&[CLASS, ("x-error", "No stock for sku 9")], "").id);
    assert_ne!(first.id, sign(&[CLASS, ("x-error", "No price for sku 9")], "").id);
    assert_ne!(first.id, sign(&[("x-error", "No stock for sku 9")], "").id);
    assert_eq!((first.layer, first.template.as_str()), (Layer::Error, "No stock for sku <number>"));
}

#[test]
fn what_the_body_tells_does_not_count() {
    let anvil = sign(&[CLASS, ("x-error", "No stock for anvil")], r#"{"sku": "anvil"}"#);
    let rocket = sign(&[CLASS, ("x-error", "No stock for rocket")], r#"{"sku": "rocket"}"#);
    assert_eq!(anvil.id, rocket.id);
    assert_eq!(anvil.template, "No stock for <shared>");
}

#[test]
fn the_place_in_the_code_counts_and_its_line_does_not() {
    let at = |function: &str, line: u32| {
        let trace = format!("at com.acme.Stock.{function}(Stock.java:{line})");
        sign(&[CLASS, ("x-error", "boom"), ("x-stacktrace", &trace)], "")
    };
    assert_eq!(at("reserve", 7).id, at("reserve", 9).id);
    assert_ne!(at("reserve", 7).id, at("release", 7).id);
    let frame = at("reserve", 7).frame.expect("a frame");
    assert_eq!(frame.place, "com.acme.Stock.reserve");
}

#[test]
fn without_an_error_the_origin_counts() {
    let expired = |queue: &str| {
        let mut delivered = delivered(&[], r#"{"event_type": "OrderPlaced"}"#);
        let mut death = crate::wire::FieldTable::default();
        for (name, value) in [("queue", queue), ("reason", "expired"), ("exchange", "")] {
            death.set(name, FieldValue::LongString(value.into()));
        }
        delivered.headers.set("x-death", FieldValue::Array(vec![FieldValue::Table(death)]));
        let reading =
            crate::reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
        Signature::of(&reading, &shared(&delivered, &reading), &mut Masker::new())
    };
    let orders = expired("orders");
    assert_eq!(orders.layer, Layer::Origin);
    assert_eq!(orders.template, "OrderPlaced expired in orders");
    assert_eq!(orders.id, expired("orders").id);
    assert_ne!(orders.id, expired("invoices").id);
    assert!(orders.canon.is_empty(), "nothing of it is mined");
}

#[test]
fn a_class_without_a_message_is_an_error_too() {
    let only_class = sign(&[CLASS], "");
    assert_eq!(only_class.layer, Layer::Error);
    assert_eq!(only_class.scope, "error Acme.NoStock");
    assert_eq!(only_class.template, "Acme.NoStock");
}

#[test]
fn an_id_is_read_as_it_is_written() {
    let id = sign(&[CLASS, ("x-error", "boom")], "").id;
    assert_eq!(SignatureId::try_from(id.to_string()), Ok(id));
    for wrong in ["", "12", "+0000000000000000000000000000001", "zz000000000000000000000000000000"]
    {
        assert!(SignatureId::try_from(wrong.to_owned()).is_err(), "{wrong}");
    }
}

/// Every office must compute the same, for years: a change of this value is a change of the version.
#[test]
fn the_second_version_is_what_it_is() {
    let signature =
        Signature::of_message("order 4711 of acme failed: no stock", &mut Masker::new());
    assert_eq!(signature.version, SignatureVersion(2));
    assert_eq!(signature.canon, "order <*> of acme failed no stock");
    assert_eq!(signature.id.to_string(), "79edf5825db23cfe0e3cf43ff67dd856");
}
