//! Which policies apply to a queue, and what they come to, reckoned from the policies themselves.

use super::matching::{compiled, suits};
use super::model::{Gap, Policy, Queue, Settings, Vhost};

/// Policies, each with its pattern; without one where only the broker can read it.
pub(super) type Ready<'a> = Vec<(&'a Policy, Option<regex::Regex>)>;

pub(super) fn ready(policies: &[Policy]) -> Ready<'_> {
    let all = policies.iter();
    all.map(|policy| (policy, compiled(&policy.pattern))).collect()
}

/// Reckons what applies to the queues that are wanted. Policies that may not be read stay as they were
/// told.
pub(super) fn reckon(vhost: &mut Vhost, is_wanted: impl Fn(&str) -> bool) {
    if !vhost.queues.iter().any(|queue| is_wanted(&queue.name)) {
        return;
    }
    let (policies, of_operator) = (ready(&vhost.policies), ready(&vhost.operator_policies));
    let (own_known, operators_known) =
        (!vhost.lacks(Gap::Policies), !vhost.lacks(Gap::OperatorPolicies));
    let reckoned: Vec<Queue> = vhost
        .queues
        .iter()
        .map(|queue| {
            if !is_wanted(&queue.name) {
                return queue.clone();
            }
            let (mut own, mut operators) = (queue.policy.clone(), queue.operator_policy.clone());
            if own_known {
                own = applying(&policies, queue, own.as_deref());
            }
            if operators_known {
                operators = applying(&of_operator, queue, operators.as_deref());
            }
            let definition = definition_of(&vhost.policies, own.as_deref());
            let by_operator = definition_of(&vhost.operator_policies, operators.as_deref());
            Queue {
                policy: own,
                operator_policy: operators,
                by_policy: merged(definition, by_operator),
                ..queue.clone()
            }
        })
        .collect();
    vhost.queues = reckoned;
}

/// A queue as it would be if this policy applied to it, beside the operator's.
pub(super) fn under(vhost: &Vhost, queue: &Queue, policy: Option<&str>, sets: Settings) -> Queue {
    let operators = queue.operator_policy.as_deref();
    Queue {
        policy: policy.map(str::to_owned),
        by_policy: merged(sets, definition_of(&vhost.operator_policies, operators)),
        ..queue.clone()
    }
}

/// What a policy sets; nothing where there is no such policy.
pub(super) fn definition_of(policies: &[Policy], name: Option<&str>) -> Settings {
    let mut policies = policies.iter();
    let found = policies.find(|policy| Some(&*policy.name) == name);
    found.map(|policy| policy.definition.clone()).unwrap_or_default()
}

/// Of those that match, the one with the highest priority. Where that is chance, or only the broker can
/// read a pattern, what it told decides.
fn applying(policies: &Ready<'_>, queue: &Queue, told: Option<&str>) -> Option<String> {
    let is_told = |policy: &Policy| told == Some(&*policy.name);
    let matching = policies.iter().filter(|(policy, pattern)| {
        let matches = pattern
            .as_ref()
            .map_or_else(|| is_told(policy), |pattern| pattern.is_match(&queue.name));
        matches && suits(policy, queue.kind)
    });
    let mut best: Option<&Policy> = None;
    for (policy, _) in matching {
        let rank = (policy.priority, is_told(policy));
        if best.is_none_or(|best| rank > (best.priority, is_told(best))) {
            best = Some(policy);
        }
    }
    best.map(|policy| policy.name.clone())
}

/// The limits of an operator are never exceeded; all else that they set wins. A negative limit of deliveries
/// is none, so the other applies (seen on 4.3.6).
fn merged(mut own: Settings, by_operator: Settings) -> Settings {
    const LIMITS: [&str; 5] =
        ["message-ttl", "max-length", "max-length-bytes", "expires", "delivery-limit"];
    for (key, value) in by_operator {
        let least = match (own.get(&key).and_then(serde_json::Value::as_i64), value.as_i64()) {
            (Some(own), Some(limit)) if key == "delivery-limit" && (own < 0 || limit < 0) => {
                own.max(limit).into()
            }
            (Some(own), Some(limit)) if LIMITS.contains(&key.as_str()) => own.min(limit).into(),
            _ => value,
        };
        own.insert(key, least);
    }
    own
}
