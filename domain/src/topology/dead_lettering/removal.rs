//! Takes back what was set here: the policy of the queue, and the retention of its dead-letter queue
//! that was set with it, unless others have their dead letters kept there.

use serde_json::Value;

use super::super::applying::under;
use super::super::lint::text::{duration, some};
use super::super::map::Map;
use super::super::model::{Gap, Policy, Queue, Settings, Vhost};
use super::super::setting::in_effect;
use super::change::{LIMIT, RETENTION, change};
use super::{DeadLetteringPlan, PolicyChange, Wish, base, declared, is_ours, lines};

/// Plans to take away what was set here.
#[must_use]
pub fn plan_removal(vhost: &Vhost, name: &str) -> DeadLetteringPlan {
    let mut plan = DeadLetteringPlan::default();
    let own = ours(vhost, name);
    plan.changes.extend(own.map(|own| removed(vhost, name, own)));
    if let Some(way) = way(vhost, name, own)
        && let Some(retention) = retention_of(vhost, &way.target)
    {
        let target = &way.target;
        match used_by(vhost, name, &way) {
            Ok(()) => match without_retention(vhost, target, retention) {
                Ok(change) => plan.changes.push(change),
                Err(why) => plan.refusals.push(why),
            },
            Err(why) => plan.stays.push(format!(
                "The retention of `{target}`, {}, stays: {why}. Take it back at `{target}` when \
                 nobody needs it.",
                time_of(retention)
            )),
        }
    }
    if plan.changes.is_empty() {
        plan.stays.clear();
        plan.refusals.push(format!(
            "nothing was set here for the queue `{name}`: what applies to it comes from elsewhere"
        ));
    }
    plan.sealed()
}

fn ours<'a>(vhost: &'a Vhost, queue: &str) -> Option<&'a Policy> {
    vhost.policies.iter().find(|policy| is_ours(policy, queue))
}

/// Dead-letter queues whose retention was set here.
#[must_use]
pub fn retentions(vhost: &Vhost) -> Vec<&str> {
    let names = vhost.queues.iter().map(|queue| queue.name.as_str());
    names.filter(|name| has_retention(vhost, name)).collect()
}

/// Whether the retention of a queue was set here, and not only repeated from the policy below.
pub(in crate::topology) fn has_retention(vhost: &Vhost, name: &str) -> bool {
    let Some(set) = ours(vhost, name).and_then(|own| own.definition.get(RETENTION)) else {
        return false;
    };
    base_of(vhost, name).and_then(|base| base.definition.get(RETENTION)) != Some(set)
}

/// Our policy taken away from a queue, which may be gone itself.
fn removed(vhost: &Vhost, name: &str, own: &Policy) -> PolicyChange {
    let base = base_of(vhost, name);
    let lines = match vhost.queues.iter().find(|queue| queue.name == name) {
        Some(queue) => {
            let after = without(queue, base, vhost);
            lines(&in_effect(vhost, queue), &in_effect(vhost, &after))
        }
        None => lines(&own.definition, &Settings::new()),
    };
    PolicyChange {
        queue: name.to_owned(),
        name: own.name.clone(),
        pattern: own.pattern.clone(),
        priority: own.priority,
        base: base.map(|policy| policy.name.clone()),
        definition: None,
        lines,
    }
}

/// The policy of a dead-letter queue without its retention: gone, unless it sets a limit of deliveries, too,
/// which is not taken back with its feeder.
///
/// # Errors
/// Why there can be none.
fn without_retention(vhost: &Vhost, target: &str, own: &Policy) -> Result<PolicyChange, String> {
    let queue = vhost.queues.iter().find(|queue| queue.name == target);
    if let Some(queue) = queue.filter(|_| own.definition.contains_key(LIMIT)) {
        let (change, _) = change(vhost, queue, &[(RETENTION, Wish::Away)])?;
        if let Some(change) = change {
            return Ok(change);
        }
    }
    Ok(removed(vhost, target, own))
}

/// A queue as it would be without ours.
pub(super) fn without(queue: &Queue, base: Option<&Policy>, vhost: &Vhost) -> Queue {
    let sets = base.map(|policy| policy.definition.clone()).unwrap_or_default();
    under(vhost, queue, base.map(|policy| &*policy.name), sets)
}

pub(super) fn base_of<'a>(vhost: &'a Vhost, name: &str) -> Option<&'a Policy> {
    let queue = vhost.queues.iter().find(|queue| queue.name == name)?;
    base(vhost, queue).ok().flatten()
}

/// Where dead letters of a queue go.
struct Way {
    /// The dead-letter queue.
    target: String,
    /// Whether they went there before anything was set here, and do so afterwards: by the queue's arguments.
    is_declared: bool,
}

fn way(vhost: &Vhost, name: &str, own: Option<&Policy>) -> Option<Way> {
    let queue = vhost.queues.iter().find(|queue| queue.name == name);
    let declared = queue.and_then(|queue| declared::target(&Map::of(vhost), queue));
    if let Some(target) = declared {
        return Some(Way { target, is_declared: true });
    }
    let definition = &own?.definition;
    let set = |key: &str| definition.get(key).and_then(Value::as_str);
    let target =
        set("dead-letter-routing-key").filter(|_| set("dead-letter-exchange") == Some(""))?;
    Some(Way { target: target.to_owned(), is_declared: false })
}

/// What was set here for a dead-letter queue: a retention and nothing else.
fn retention_of<'a>(vhost: &'a Vhost, target: &str) -> Option<&'a Policy> {
    let retention = ours(vhost, target)?;
    let dead_letters = retention.definition.get("dead-letter-exchange");
    let below = base_of(vhost, target).and_then(|base| base.definition.get("dead-letter-exchange"));
    let is_set = retention.definition.contains_key(RETENTION) && dead_letters == below;
    is_set.then_some(retention)
}

fn time_of(retention: &Policy) -> String {
    let millis = retention.definition.get(RETENTION).and_then(Value::as_i64);
    millis.map_or_else(|| "which is no number".to_owned(), duration)
}

/// Whether dead letters still come to the dead-letter queue when nothing is set here for `name` any more. Those
/// that its arguments take there do not count: they came without a retention before.
///
/// # Errors
/// Whose they are, or why nobody knows.
fn used_by(vhost: &Vhost, name: &str, way: &Way) -> Result<(), String> {
    if [Gap::Queues, Gap::Wiring, Gap::Unreadable].into_iter().any(|gap| vhost.lacks(gap)) {
        return Err("not everything of this vhost could be read, so others may need it".to_owned());
    }
    let below = base_of(vhost, name);
    let mut after = vhost.clone();
    for queue in after.queues.iter_mut().filter(|queue| queue.name == name) {
        *queue = without(queue, below, vhost);
    }
    let map = Map::of(&after);
    let feeders = map.feeders(&way.target);
    let feeders: Vec<&str> =
        feeders.filter(|feeder| !(way.is_declared && *feeder == name)).collect();
    match feeders.as_slice() {
        [] => Ok(()),
        [one] => Err(format!("`{one}` dead-letters there, too")),
        many => Err(format!("{} dead-letter there, too", some(many.iter().copied()))),
    }
}
