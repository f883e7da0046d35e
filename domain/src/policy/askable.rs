//! What a policy can ask for: it is asked when a letter arrives, and only then.

use super::PolicyFault;
use crate::filter::{Field, LetterFilter};

/// Refuses a filter that asks for something else.
pub(super) fn check(filter: &LetterFilter) -> Result<(), PolicyFault> {
    match filter.refused(refusal) {
        None => Ok(()),
        Some((field, why)) => Err(PolicyFault::Field { field, why }),
    }
}

/// Why a field cannot be asked for. Every field is named, so that a new one is thought about.
fn refusal(field: Field) -> Option<&'static str> {
    match field {
        Field::State | Field::Exhausted => Some(
            "a policy is checked when a letter arrives, and every letter is held then; filter the \
             list by it instead",
        ),
        Field::Age | Field::FirstAge => Some(
            "an age grows, and a policy is checked once, when a letter arrives; the schedule says \
             how long to wait",
        ),
        Field::FirstArrived | Field::LastArrived | Field::Since | Field::Until => Some(
            "a policy is for letters of any time; give it hours to work in, or switch it off when \
             its time is over",
        ),
        Field::Severity
        | Field::Group
        | Field::Execution
        | Field::Worker
        | Field::Reason
        | Field::Source
        | Field::Queue
        | Field::Exchange
        | Field::RoutingKey
        | Field::ErrorClass
        | Field::ErrorMessage
        | Field::MessageType
        | Field::MessageId
        | Field::CorrelationId
        | Field::Trace
        | Field::BusinessKey
        | Field::Id
        | Field::Size
        | Field::Arrivals
        | Field::Replays
        | Field::Deaths
        | Field::DeathQueue
        | Field::DeathReason
        | Field::DeathExchange
        | Field::DeathRoutingKey
        | Field::DeathCount => None,
    }
}
