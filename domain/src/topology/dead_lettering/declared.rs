//! Queues that were declared with a dead-letter exchange: where their arguments alone take letters.

use super::super::map::Map;
use super::super::model::Queue;
use super::super::route::{self, End};
use super::super::setting::Effective;
use super::removal::{base_of, without};

/// The exchange that a queue's arguments name; the default exchange is not looked at, since a policy can
/// give it the key.
fn exchange(queue: &Queue) -> Option<&str> {
    let exchange = queue.arguments.get("x-dead-letter-exchange")?;
    exchange.as_str().filter(|exchange| !exchange.is_empty())
}

/// The one queue that gets all dead letters of this one by its arguments, whatever is set here.
pub(super) fn target(map: &Map<'_>, queue: &Queue) -> Option<String> {
    exchange(queue)?;
    let below = without(queue, base_of(map.vhost, &queue.name), map.vhost);
    let route = route::of(map, &below, &Effective::of(map.vhost, &below))?;
    let arrives =
        route.end == End::Arrives && route.to.len() == 1 && route::is_sure(map, &below, &route);
    route.to.into_iter().next().filter(|_| arrives)
}

/// What a policy need not set, and could not.
pub(super) fn says(queue: &Queue, target: &Queue) -> String {
    format!(
        "Dead letters of `{}` go to `{}` already: it was declared with x-dead-letter-exchange `{}`, and \
         arguments win over policies. That stays.",
        queue.name,
        target.name,
        exchange(queue).unwrap_or_default()
    )
}
