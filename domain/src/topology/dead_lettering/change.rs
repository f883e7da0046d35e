//! One policy of ours: what it would set, what that changes, and what an operator does not let it change.

use serde_json::Value;

use super::super::applying::{definition_of, under};
use super::super::lint::text::{counted, duration};
use super::super::matching::{applies_to, pattern_of};
use super::super::model::{MOST_NAME_BYTES, Policy, Queue, QueueKind, Settings, Vhost};
use super::super::setting::{Effective, Origin, in_effect};
use super::{NewDeadLettering, PolicyChange, SettingChange, Wish, is_ours, policy_name};

pub(super) const LIMIT: &str = "delivery-limit";
const STRATEGY: &str = "dead-letter-strategy";
const OVERFLOW: &str = "overflow";
/// The key of a retention.
pub(super) const RETENTION: &str = "message-ttl";

/// A key of a policy, and what is wanted of it.
pub(super) type Wanted = (&'static str, Wish<Value>);

impl<T: Into<Value> + Copy> Wish<T> {
    fn json(self) -> Wish<Value> {
        match self {
            Self::AsItIs => Wish::AsItIs,
            Self::Away => Wish::Away,
            Self::Set(value) => Wish::Set(value.into()),
        }
    }
}

/// What is wanted of the queue that dead-letters. Where its arguments take letters there already, the way is
/// left to them.
pub(super) fn wishes(queue: &Queue, wanted: &NewDeadLettering, is_declared: bool) -> Vec<Wanted> {
    let set = |text: &str| Wish::Set(Value::from(text));
    let way = |text| if is_declared { Wish::Away } else { set(text) };
    let mut wishes = vec![
        ("dead-letter-exchange", way("")),
        ("dead-letter-routing-key", way(&wanted.dead_letter_queue)),
    ];
    if queue.kind == QueueKind::Quorum {
        wishes.push((LIMIT, wanted.max_deliveries.json()));
        let (strategy, overflow) = match wanted.at_least_once {
            Wish::Set(true) => (set("at-least-once"), set("reject-publish")),
            Wish::Set(false) | Wish::Away => (Wish::Away, Wish::Away),
            Wish::AsItIs => (Wish::AsItIs, Wish::AsItIs),
        };
        wishes.extend([(STRATEGY, strategy), (OVERFLOW, overflow)]);
    }
    wishes
}

/// What is wanted of the queue that dead letters go to.
pub(super) fn retention(wanted: &NewDeadLettering) -> Wanted {
    let millis = match wanted.retention_seconds {
        Wish::Set(seconds) => Wish::Set(seconds.saturating_mul(1_000).into()),
        other => other.json(),
    };
    (RETENTION, millis)
}

/// The policy that does it, if one is needed, and why an operator does not let it.
///
/// # Errors
/// Why there can be none.
pub(super) fn change(
    vhost: &Vhost,
    queue: &Queue,
    wishes: &[Wanted],
) -> Result<(Option<PolicyChange>, Vec<String>), String> {
    if wishes.iter().all(|(_, wish)| *wish == Wish::AsItIs) {
        return Ok((None, Vec::new()));
    }
    let name = policy_name(&queue.name);
    if name.len() > MOST_NAME_BYTES {
        return Err(format!(
            "the name of `{}` is too long for a policy that is named after it",
            queue.name
        ));
    }
    let mut named_alike = vhost.policies.iter().filter(|policy| policy.name == name);
    let ours = named_alike.next();
    if ours.is_some_and(|policy| !is_ours(policy, &queue.name)) {
        return Err(format!("there is a policy `{name}` of somebody else's: rename it first"));
    }
    let base = base(vhost, queue)?;
    let below = base.map(|policy| policy.definition.clone()).unwrap_or_default();
    let definition = definition(&below, ours, wishes);
    // A policy that only repeats the one below sets nothing, and one that sets nothing is refused.
    let is_needed = definition != below;
    if !is_needed && ours.is_none() {
        return Ok((None, Vec::new()));
    }
    let mut change = PolicyChange {
        queue: queue.name.clone(),
        name,
        pattern: pattern_of(&queue.name),
        priority: base.map_or(1, |policy| policy.priority.saturating_add(1)),
        base: base.map(|policy| policy.name.clone()),
        lines: Vec::new(),
        definition: is_needed.then_some(definition),
    };
    let after = changed(vhost, queue, &change);
    change.lines = lines(&in_effect(vhost, queue), &in_effect(vhost, &after));
    Ok((Some(change), of_operator(vhost, &after, wishes)))
}

/// A queue as a change of its policy leaves it.
fn changed(vhost: &Vhost, queue: &Queue, change: &PolicyChange) -> Queue {
    let base = change.base.as_deref();
    match &change.definition {
        Some(definition) => under(vhost, queue, Some(&change.name), definition.clone()),
        None => under(vhost, queue, base, definition_of(&vhost.policies, base)),
    }
}

/// The vhost as changes leave its queues.
pub(super) fn applied(vhost: &Vhost, changes: &[PolicyChange]) -> Vhost {
    let mut after = vhost.clone();
    for queue in &mut after.queues {
        let of_it = changes.iter().find(|change| change.queue == queue.name);
        if let Some(change) = of_it {
            *queue = changed(vhost, queue, change);
        }
    }
    after
}

/// The policy below, with what was set here before and is not taken away, and what is wanted now.
fn definition(below: &Settings, ours: Option<&Policy>, wishes: &[Wanted]) -> Settings {
    let mut definition = below.clone();
    let mut set = |key: &str, value: &Value| definition.insert(key.to_owned(), value.clone());
    if let Some(ours) = ours.map(|policy| &policy.definition) {
        let mut kept = vec![LIMIT, "dead-letter-exchange", "dead-letter-routing-key"];
        // Without the strategy it is what the policy below said once.
        if ours.contains_key(STRATEGY) {
            kept.extend([STRATEGY, OVERFLOW]);
        }
        if !below.contains_key(RETENTION) {
            kept.push(RETENTION);
        }
        let is_left_out = |key: &str| {
            let mut wishes = wishes.iter();
            wishes.all(|(wished, wish)| *wished != key || *wish == Wish::AsItIs)
        };
        for key in kept {
            if let Some(value) = ours.get(key).filter(|_| is_left_out(key)) {
                set(key, value);
            }
        }
    }
    for (key, wish) in wishes {
        if let Wish::Set(value) = wish {
            set(key, value);
        }
    }
    definition
}

/// What an operator sets wins over every policy: what is wanted and would not apply for that.
fn of_operator(vhost: &Vhost, after: &Queue, wishes: &[Wanted]) -> Vec<String> {
    let effective = Effective::of(vhost, after).by_key();
    let mut against: Vec<String> = wishes
        .iter()
        .filter_map(|(key, wish)| {
            let Wish::Set(wanted) = wish else { return None };
            let (_, set) = effective.iter().find(|(one, _)| one == key)?;
            let set = set.as_ref().filter(|set| set.value != *wanted)?;
            let Origin::OperatorPolicy(_) = set.origin else {
                return None;
            };
            let (who, name) = (set.origin.says(), &after.name);
            let figure = set.value.as_i64();
            let does = match (*key, figure) {
                (LIMIT, Some(most)) => format!(
                    "{who} lets a message come back to `{name}` {} at most",
                    counted(most, "time")
                ),
                (RETENTION, Some(most)) => {
                    format!("{who} lets messages stay in `{name}` for {} at most", duration(most))
                }
                ("dead-letter-exchange" | "dead-letter-routing-key", _) => {
                    format!("{who} says where dead letters of `{name}` go")
                }
                _ => format!("{who} sets {key} of `{name}` to {}", set.value),
            };
            Some(format!("{does}, and wins: ask the broker's operator"))
        })
        .collect();
    against.dedup();
    against
}

/// The policy that applies, or would if ours were not there.
pub(super) fn base<'a>(vhost: &'a Vhost, queue: &Queue) -> Result<Option<&'a Policy>, String> {
    let mut policies = vhost.policies.iter();
    let applies = policies.find(|policy| queue.policy.as_ref() == Some(&policy.name));
    if let Some(applies) = applies
        && !is_ours(applies, &queue.name)
    {
        return Ok(Some(applies));
    }
    let mut best: Option<&Policy> = None;
    for policy in vhost.policies.iter().filter(|policy| !is_ours(policy, &queue.name)) {
        let Some(is_for) = applies_to(policy, queue) else {
            return Err(format!(
                "the pattern of the policy `{}` can be read by the broker only, so it is not known \
                 whether it would apply to `{}`",
                policy.name, queue.name
            ));
        };
        if is_for && best.is_none_or(|best| policy.priority > best.priority) {
            best = Some(policy);
        }
    }
    Ok(best)
}

/// What changes, and what stays, by key.
pub(super) fn lines(before: &Settings, after: &Settings) -> Vec<SettingChange> {
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|key| SettingChange {
            key: key.clone(),
            before: before.get(key).cloned(),
            after: after.get(key).cloned(),
        })
        .collect()
}
