//! What a rule can ask for: what is known of a letter when it arrives, and stays until it dies
//! again. Anything else would be judged one way now and another way later.

use super::RuleFault;
use crate::filter::{Field, LetterFilter};

/// Refuses a filter that asks for something else.
pub(super) fn check(filter: &LetterFilter) -> Result<(), RuleFault> {
    match filter.refused(refusal) {
        None => Ok(()),
        Some((field, why)) => Err(RuleFault::Field { field, why }),
    }
}

/// Why an alert rule cannot ask for a field. It is asked once the letter is judged, so it can ask how bad that is.
pub(crate) fn of_alert(field: Field) -> Option<&'static str> {
    match field {
        Field::Severity => None,
        other => refusal(other),
    }
}

/// Why a field cannot be asked for. Every field is named, so that a new one is thought about.
fn refusal(field: Field) -> Option<&'static str> {
    match field {
        Field::State => Some(
            "every letter is held when it is judged, and its state changes without being judged \
             again; filter the list by it instead",
        ),
        Field::Exhausted => Some(
            "a rule judges a letter when it arrives, and policies give up on it later; filter the \
             list by it instead",
        ),
        Field::Severity => Some(
            "rules decide severity; filter by what makes a letter that severe, such as \
             `reason:maxlen` or `queue:payments.*`",
        ),
        Field::Group => Some(
            "the group is found later; filter by what its letters have in common, such as \
             `error_class:…`, `error_message:…` or `queue:…`",
        ),
        Field::Execution | Field::Worker => Some(
            "executions and workers are known later, and change; filter by `queue:…` or by the \
             header that names them",
        ),
        Field::Age | Field::FirstAge => Some(
            "an age grows by itself, and a letter is judged when it arrives; filter the list by \
             it instead",
        ),
        Field::FirstArrived | Field::LastArrived | Field::Since | Field::Until => Some(
            "a rule judges letters of any time alike; filter the list by it, or disable the rule \
             when its time is over",
        ),
        Field::Reason
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
