//! The frameworks that write their failures into headers, or into an envelope around the message.

mod celery;
mod easynetq;
mod laravel;
mod mass_transit;
mod nservicebus;
mod rebus;
mod sneakers;
mod spring;
mod symfony;
mod wolverine;

use super::Failure;
use super::message::FailedMessage;

/// What the framework tells whose marks a message has.
pub(super) fn recognise(told: &FailedMessage<'_>) -> Option<Failure> {
    const READERS: [fn(&FailedMessage<'_>) -> Option<Failure>; 10] = [
        mass_transit::read,
        nservicebus::read,
        rebus::read,
        wolverine::read,
        symfony::read,
        spring::read,
        celery::read,
        laravel::read,
        sneakers::read,
        easynetq::read,
    ];
    READERS.into_iter().find_map(|read| read(told))
}

/// How people write the name of a framework.
#[must_use]
pub fn framework_name(told_by: &str) -> &str {
    match told_by {
        "masstransit" => "MassTransit",
        "nservicebus" => "NServiceBus",
        "easynetq" => "EasyNetQ",
        "rebus" => "Rebus",
        "wolverine" => "Wolverine",
        "symfony" => "Symfony",
        "spring" => "Spring",
        "celery" => "Celery",
        "laravel" => "Laravel",
        "sneakers" => "Sneakers",
        other => other,
    }
}

/// A .NET type without its assembly: `Namespace.Class, Assembly, Version=…`.
fn without_assembly(name: &str) -> String {
    name.split([';', ',']).next().unwrap_or(name).trim().to_owned()
}
