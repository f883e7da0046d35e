//! Shipping labels, written with Spring: failed messages go through `RepublishMessageRecoverer`,
//! which publishes them to an error exchange with the exception in the headers.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;
use serde_json::json;

const UNKNOWN_ZIP: &str = "00000";
const SILENT_CARRIER: &str = "correos";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let zip = match failure {
        Some(Failure::AddressUnknown) => UNKNOWN_ZIP.to_owned(),
        _ => desk.dice.number(10_000, 99_999).to_string(),
    };
    let carrier = match failure {
        Some(Failure::CarrierTimeout) => SILENT_CARRIER,
        _ => desk.dice.pick(&["dhl", "postnl", "ctt"]),
    };
    let body = json!({
        "shipmentId": format!("SH{}", desk.dice.number(10_000_000, 99_999_999)),
        "orderId": format!("A-{}", desk.dice.number(100_000, 999_999)),
        "carrier": carrier,
        "address": { "name": desk.dice.person(), "street": "Rua das Flores 12", "zip": zip, "city": "Porto" },
        "weightGrams": desk.dice.number(100, 20_000)
    });
    let message = Publication::new(topology::SHIPPING_EXCHANGE, topology::SHIPPING)
        .json(&body)
        .header("__TypeId__", crate::fleet::message::text("com.acme.shipping.LabelRequest"))
        .header("x-parcels", AMQPValue::LongInt(1));
    desk.dress(message, "shipping-service", "LabelRequest", "1.9.3")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.is("/address/zip", UNKNOWN_ZIP) {
        return Some(Failure::AddressUnknown);
    }
    reading.is("/carrier", SILENT_CARRIER).then_some(Failure::CarrierTimeout)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let shipment = reading.field("/shipmentId");
    let (class, message, frame) = match failure {
        Failure::AddressUnknown => (
            "com.acme.shipping.AddressRejectedException",
            format!(
                "Carrier {} rejected the address of shipment {shipment}: unknown postal code {UNKNOWN_ZIP}",
                reading.field("/carrier")
            ),
            "com.acme.shipping.CarrierClient.createLabel(CarrierClient.java:203)",
        ),
        Failure::CarrierTimeout => (
            "org.springframework.web.client.ResourceAccessException",
            format!(
                "I/O error on POST request for \"https://api.correos.example/labels/{shipment}\": Read timed out"
            ),
            "com.acme.shipping.CarrierClient.post(CarrierClient.java:91)",
        ),
        _ => return None,
    };
    let trace = format!(
        "org.springframework.amqp.rabbit.support.ListenerExecutionFailedException: Listener method 'onLabelRequest' threw exception\n\tat org.springframework.amqp.rabbit.listener.adapter.MessagingMessageListenerAdapter.invokeHandler(MessagingMessageListenerAdapter.java:286)\nCaused by: {class}: {message}\n\tat {frame}\n\tat com.acme.shipping.LabelListener.onLabelRequest(LabelListener.java:37)\n\t... 12 more\n"
    );
    let dialect =
        Dialect::Spring { exchange: topology::SHIPPING_EXCHANGE, routing_key: topology::SHIPPING };
    Some(Report { class, message, trace, dialect })
}
