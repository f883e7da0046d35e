//! What stands against dead-lettering of a queue.

use super::super::lint::text::duration;
use super::super::map::{Map, Role};
use super::super::model::{Queue, QueueKind};
use super::migration::Instead;
use super::{MOST_DELIVERIES, MOST_RETENTION_SECONDS, NewDeadLettering, Wish};

pub(super) fn of_figures(wanted: &NewDeadLettering, refusals: &mut Vec<String>) {
    if wanted
        .max_deliveries
        .set()
        .is_some_and(|most| !(0..=MOST_DELIVERIES).contains(&most))
    {
        refusals.push(format!(
            "max_deliveries is a number from 0 to {MOST_DELIVERIES}"
        ));
    }
    let retention = wanted.retention_seconds.set();
    if retention.is_some_and(|seconds| !(1..=MOST_RETENTION_SECONDS).contains(&seconds)) {
        refusals.push(format!(
            "retention_seconds is a number from 1 to {MOST_RETENTION_SECONDS}"
        ));
    }
}

/// A dead-letter queue of a dead-letter queue is refused, on either side.
pub(super) fn of_chain(map: &Map<'_>, queue: &Queue, target: &Queue, refusals: &mut Vec<String>) {
    let (name, to) = (&queue.name, &target.name);
    if name == to {
        refusals.push(format!("`{name}` cannot be its own dead-letter queue"));
        return;
    }
    if queue.kind == QueueKind::Stream {
        refusals.push(format!("`{name}` is a stream: nothing dies in it"));
    }
    if map.role(name) == Role::DeadLetters {
        refusals.push(format!(
            "`{name}` is a dead-letter queue itself: what dies there would go on to `{to}`, and \
             nobody would find it where they look"
        ));
    }
    if let Some(set) = &map.effective(target).dead_letter_exchange {
        refusals.push(format!(
            "`{to}` has a dead-letter exchange itself, set by {}: letters would not come to rest \
             there. Take that away first",
            set.origin.says()
        ));
    }
}

/// What no policy can change; with what a new queue needs instead.
pub(super) fn of_arguments(
    queue: &Queue,
    target: &Queue,
    wanted: &NewDeadLettering,
    refusals: &mut Vec<String>,
) -> Vec<Instead> {
    let mut steps = Vec::new();
    let name = &queue.name;
    let argument = |queue: &Queue, key: &str| queue.arguments.get(key).cloned();
    let texts = [
        ("x-dead-letter-exchange", ""),
        (
            "x-dead-letter-routing-key",
            wanted.dead_letter_queue.as_str(),
        ),
    ];
    for (key, value) in texts {
        if argument(queue, key).is_some_and(|set| set != value) {
            refusals.push(format!(
                "`{name}` was declared with {key}, and arguments win over policies"
            ));
            steps.push(Instead::Without(key));
        }
    }
    let is_quorum = queue.kind == QueueKind::Quorum;
    if !is_quorum
        && (wanted.max_deliveries.set().is_some() || wanted.at_least_once == Wish::Set(true))
    {
        refusals.push(format!(
            "`{name}` is a {} queue: only a quorum queue counts deliveries, and keeps a dead letter \
             until it is confirmed",
            queue.kind.as_str()
        ));
        steps.push(Instead::Quorum);
    }
    let limit = argument(queue, "x-delivery-limit").and_then(|limit| limit.as_i64());
    if is_quorum
        && let (Some(limit), Some(most)) = (limit, wanted.max_deliveries.set())
        && (0..most).contains(&limit)
    {
        refusals.push(format!(
            "`{name}` was declared with x-delivery-limit {limit}, and the lesser of both applies"
        ));
        steps.push(Instead::Without("x-delivery-limit"));
    }
    let ttl = argument(target, "x-message-ttl").and_then(|ttl| ttl.as_i64());
    if let (Some(ttl), Some(seconds)) = (ttl, wanted.retention_seconds.set())
        && ttl < seconds.saturating_mul(1_000)
    {
        refusals.push(format!(
            "`{}` was declared with x-message-ttl {ttl} ({}), and the lesser of both applies: \
             take another dead-letter queue",
            target.name,
            duration(ttl)
        ));
    }
    steps
}
