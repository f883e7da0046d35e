//! EasyNetQ: its error queue holds messages of the type `EasyNetQ.SystemMessages.Error`, with the message that failed
//! and its properties in it.

use super::super::message::{member, time_of};
use super::super::{Circumstances, FailedMessage, Failure, exception};
use super::without_assembly;
use crate::decoding::Envelope;

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let body = told.body.filter(|body| Envelope::of(body) == Some(Envelope::EasyNetQ))?;
    let of = |name| member(body, &[name]);
    let failure = exception::read(&of("Exception")?);
    Some(Failure {
        told_by: Some("easynetq".to_owned()),
        queue: of("Queue"),
        exchange: of("Exchange"),
        routing_key: of("RoutingKey"),
        message_type: member(body, &["BasicProperties", "Type"])
            .map(|kind| without_assembly(&kind)),
        circumstances: Circumstances {
            failed_at: of("DateTime").and_then(|at| time_of(&at)),
            ..Circumstances::default()
        },
        ..failure
    })
}
