//! What a worker says to the broker of a message in its hands: done, rejected, or published again with
//! the error. Must not decide which.

use super::clock;
use super::message::overlay;
use super::reports::{Dialect, Report};
use super::supervision::ShiftError;
use super::topology;
use lapin::{
    Channel, Confirmation,
    message::Delivery,
    options::{BasicAckOptions, BasicPublishOptions, BasicRejectOptions},
    types::AMQPValue,
};

/// How many times a worker tried a message before. Its own count: the one in x-death is not to
/// be trusted once a client has published the message again.
pub(super) const RETRIES_HEADER: &str = "x-retries";

/// Where the framework that wrote the report puts failed messages.
pub(super) fn error_queue(report: &Report) -> (&'static str, &'static str) {
    match report.dialect {
        Dialect::MassTransit { .. } => topology::MASS_TRANSIT_ERRORS,
        Dialect::NServiceBus { .. } => topology::NSERVICEBUS_ERRORS,
        _ => topology::SPRING_ERRORS,
    }
}

/// Publishes it again, with an error if there is one and a count if it is a retry. It must be routed.
pub(super) async fn republish(
    channel: &Channel,
    delivery: &Delivery,
    (exchange, key): (&str, &str),
    report: Option<&Report>,
    retries: Option<i32>,
) -> Result<(), ShiftError> {
    let mut extra = report.map(|report| report.headers(clock::now())).unwrap_or_default();
    extra.extend(retries.map(|retries| (RETRIES_HEADER, AMQPValue::LongInt(retries))));
    let headers = overlay(delivery.properties.headers().as_ref(), extra);
    let properties = delivery.properties.clone().with_headers(headers);
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    let confirm = channel
        .basic_publish(exchange.into(), key.into(), options, &delivery.data, properties)
        .await?;
    if confirm.await? == Confirmation::Ack(None) {
        return Ok(());
    }
    Err(ShiftError::Refused { exchange: exchange.to_owned(), key: key.to_owned() })
}

/// It needs nobody any more.
pub(super) async fn done(delivery: &Delivery) -> Result<(), ShiftError> {
    delivery.acker.ack(BasicAckOptions::default()).await?;
    Ok(())
}

/// Gives it back, or lets it die.
pub(super) async fn reject(delivery: &Delivery, requeue: bool) -> Result<(), ShiftError> {
    delivery.acker.reject(BasicRejectOptions { requeue }).await?;
    Ok(())
}
