//! What stands against dead-lettering of a queue.

use super::super::discovery::is_ours;
use super::super::lint::text::duration;
use super::super::map::{Map, Role};
use super::super::model::{Gap, Queue, QueueKind, Vhost};
use super::migration::Instead;
use super::{MOST_DELIVERIES, MOST_RETENTION_SECONDS, NewDeadLettering, Wish};

/// Without the policies nobody knows what ours would repeat, and what would win over it.
pub(super) fn of_gaps(vhost: &Vhost, refusals: &mut Vec<String>) {
    let gaps = [Gap::Policies, Gap::OperatorPolicies].into_iter();
    let lacking = gaps.filter(|gap| vhost.lacks(*gap));
    refusals.extend(lacking.map(|gap| gap.says().to_owned()));
}

pub(super) fn of_figures(wanted: &NewDeadLettering, refusals: &mut Vec<String>) {
    if wanted.max_deliveries.set().is_some_and(|most| !(0..=MOST_DELIVERIES).contains(&most)) {
        refusals.push(format!("max_deliveries is a number from 0 to {MOST_DELIVERIES}"));
    }
    let retention = wanted.retention_seconds.set();
    if retention.is_some_and(|seconds| !(1..=MOST_RETENTION_SECONDS).contains(&seconds)) {
        refusals.push(format!("retention_seconds is a number from 1 to {MOST_RETENTION_SECONDS}"));
    }
}

/// A dead-letter queue of a dead-letter queue is refused, on either side.
pub(super) fn of_chain(map: &Map<'_>, queue: &Queue, target: &Queue, refusals: &mut Vec<String>) {
    let (name, to) = (&queue.name, &target.name);
    if name == to {
        refusals.push(format!("`{name}` cannot be its own dead-letter queue"));
        return;
    }
    refusals.extend([name, to].into_iter().filter(|one| is_ours(one)).map(|ours| {
        format!(
            "`{ours}` is a queue of Dead Letter Office itself: what comes there is no dead letter to it, and \
             would be lost"
        )
    }));
    if queue.kind == QueueKind::Stream {
        refusals.push(format!("`{name}` is a stream: nothing dies in it"));
    }
    if map.role(name) == Role::DeadLetters {
        refusals.push(goes_on(name, to));
    }
    if let Some(set) = &map.effective(target).dead_letter_exchange {
        refusals.push(format!(
            "`{to}` has a dead-letter exchange itself, set by {}: letters would not come to rest \
             there. Take that away first",
            set.origin.says()
        ));
    }
}

fn goes_on(name: &str, to: &str) -> String {
    format!(
        "`{name}` is a dead-letter queue itself: what dies there would go on to `{to}`, and \
         nobody would find it where they look"
    )
}

/// A chain that only the change makes: letters that went back from here to where they came from would go
/// on. What a retry queue still gives back to a queue that is worked on makes that no dead-letter queue.
pub(super) fn of_new_chain(
    before: &Map<'_>,
    after: &Map<'_>,
    queue: &Queue,
    target: &Queue,
) -> Option<String> {
    let name = &queue.name;
    let was = before.role(name);
    let is_given_back = was == Role::Work
        && before.feeders(name).all(|feeder| feeder == name || before.role(feeder) == Role::Retry);
    let is_new = was != Role::DeadLetters && after.role(name) == Role::DeadLetters;
    (is_new && !is_given_back).then(|| goes_on(name, &target.name))
}

/// What no policy can change; with what a new queue needs instead. Where arguments take letters there already,
/// they stand against nothing; but a queue that is declared anew for something else goes without them.
pub(super) fn of_arguments(
    (queue, is_declared): (&Queue, bool),
    target: &Queue,
    wanted: &NewDeadLettering,
    refusals: &mut Vec<String>,
) -> Vec<Instead> {
    let mut steps = of_way(queue, wanted);
    if !is_declared {
        let name = &queue.name;
        let against = steps.iter().filter_map(|step| match step {
            Instead::Without(key) => Some(key),
            Instead::Quorum => None,
        });
        refusals.extend(against.map(|key| {
            format!("`{name}` was declared with {key}, and arguments win over policies")
        }));
    }
    let of_limit = of_limit(queue, wanted, refusals);
    of_retention(target, wanted, refusals);
    if is_declared && of_limit.is_empty() {
        return Vec::new();
    }
    steps.extend(of_limit);
    steps
}

fn argument(queue: &Queue, key: &str) -> Option<i64> {
    queue.arguments.get(key)?.as_i64()
}

/// Arguments that name another way than a policy of ours would.
fn of_way(queue: &Queue, wanted: &NewDeadLettering) -> Vec<Instead> {
    let texts =
        [("x-dead-letter-exchange", ""), ("x-dead-letter-routing-key", &*wanted.dead_letter_queue)];
    let others = texts.into_iter().filter(|(key, value)| {
        let set = queue.arguments.get(*key);
        set.is_some_and(|set| set != value)
    });
    others.map(|(key, _)| Instead::Without(key)).collect()
}

fn of_limit(queue: &Queue, wanted: &NewDeadLettering, refusals: &mut Vec<String>) -> Vec<Instead> {
    let (name, most) = (&queue.name, wanted.max_deliveries.set());
    if queue.kind != QueueKind::Quorum {
        if most.is_none() && wanted.at_least_once != Wish::Set(true) {
            return Vec::new();
        }
        refusals.push(format!(
            "`{name}` is a {} queue: only a quorum queue counts deliveries, and keeps a dead letter \
             until it is confirmed",
            queue.kind.as_str()
        ));
        return vec![Instead::Quorum];
    }
    if let (Some(limit), Some(most)) = (argument(queue, "x-delivery-limit"), most)
        && (0..most).contains(&limit)
    {
        refusals.push(format!(
            "`{name}` was declared with x-delivery-limit {limit}, and the lesser of both applies"
        ));
        return vec![Instead::Without("x-delivery-limit")];
    }
    Vec::new()
}

fn of_retention(target: &Queue, wanted: &NewDeadLettering, refusals: &mut Vec<String>) {
    let ttl = argument(target, "x-message-ttl");
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
}
