//! Exchanges that frameworks send failed messages to, as their names say, and that take them to no queue:
//! `orders_error` and `orders_skipped` of `MassTransit`, whose publish is confirmed all the same.

use super::super::model::Gap;
use super::super::names::named_for_failures;
use super::text::some;
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

/// Each such exchange to which no queue dead-letters: of those the queue tells.
pub(super) fn of_exchanges(look: &Look<'_>) -> Vec<Finding> {
    let vhost = look.map.vhost;
    if vhost.lacks(Gap::Wiring) {
        return Vec::new();
    }
    let is_told = |exchange: &str| {
        let mut routes = vhost.queues.iter().filter_map(|queue| look.map.route(&queue.name));
        routes.any(|route| route.exchange == exchange)
    };
    let named = vhost.exchanges.iter().filter(|exchange| {
        exchange.alternate.is_none() && named_for_failures(&exchange.name).is_some()
    });
    named
        .map(|exchange| exchange.name.as_str())
        .filter(|name| look.map.bound_to(name).next().is_none() && !is_told(name))
        .map(|name| finding(look, name))
        .collect()
}

fn finding(look: &Look<'_>, name: &str) -> Finding {
    let alike = look.map.queue(name).map(|queue| queue.name.as_str());
    let fix = match alike {
        Some(queue) => format!("Bind the queue {} to it.", some([queue].into_iter())),
        None => format!(
            "Declare a queue, such as `{name}`, bind it to the exchange and take letters from it; or delete the \
             exchange if nobody publishes to it."
        ),
    };
    Finding {
        kind: FindingKind::ErrorsUnbound,
        severity: Severity::High,
        subject: name.to_owned(),
        other: name.to_owned(),
        title: format!(
            "Nothing is bound to the exchange `{name}`, which is named for failed messages"
        ),
        lost: format!(
            "Every failed message that is published to `{name}`: the broker confirms it and drops it, unless \
             whoever publishes asks for it back (mandatory)."
        ),
        fix,
        command: None,
    }
}
