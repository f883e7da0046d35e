//! Policies that keep others from applying: of those that match a queue, only one applies.

use std::collections::BTreeMap;

use super::super::matching::{compiled, suits};
use super::super::model::{Gap, Policy, Queue, Vhost};
use super::text::{counted, some};
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

/// Policies that are compared, at most: each is asked of every queue.
const MOST_POLICIES: usize = 200;

/// A policy that applies, one that does not, and the queues on which it is so.
type Pairs<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a str>>;

/// The queues on which one policy would apply if the other did not.
#[must_use]
pub fn shadowed<'a>(vhost: &'a Vhost, kept: &str, applies: &str) -> Vec<&'a str> {
    let kept = vhost.policies.iter().find(|policy| policy.name == kept);
    let Some((kept, pattern)) = kept.and_then(|kept| Some((kept, compiled(&kept.pattern)?))) else {
        return Vec::new();
    };
    let queues = vhost.queues.iter();
    queues
        .filter(|queue| queue.policy.as_deref() == Some(applies) && suits(kept, queue.kind))
        .map(|queue| queue.name.as_str())
        .filter(|name| pattern.is_match(name))
        .collect()
}

pub(super) fn of_policies(look: &Look<'_>) -> Vec<Finding> {
    let vhost = look.map.vhost;
    if vhost.lacks(Gap::Policies) {
        return Vec::new();
    }
    let policies: BTreeMap<&str, &Policy> =
        vhost.policies.iter().map(|policy| (policy.name.as_str(), policy)).collect();
    let ready: Vec<_> = vhost
        .policies
        .iter()
        .take(MOST_POLICIES)
        .filter_map(|policy| Some((policy, compiled(&policy.pattern)?)))
        .collect();
    let mut pairs = Pairs::new();
    for queue in &vhost.queues {
        let Some(applies) = queue.policy.as_deref().and_then(|name| policies.get(name)) else {
            continue;
        };
        for (policy, pattern) in &ready {
            let is_other = policy.name != applies.name;
            if is_other && suits(policy, queue.kind) && pattern.is_match(&queue.name) {
                let queues = pairs.entry((&policy.name, &applies.name)).or_default();
                queues.push(&queue.name);
            }
        }
    }
    let findings = pairs.into_iter().filter_map(|((kept, applies), queues)| {
        finding(look, policies.get(kept)?, policies.get(applies)?, &queues)
    });
    findings.collect()
}

fn finding(look: &Look<'_>, kept: &Policy, applies: &Policy, queues: &[&str]) -> Option<Finding> {
    // Set by the one, and not by the other in any way.
    let gone: Vec<&str> = kept
        .definition
        .keys()
        .filter(|key| !applies.definition.contains_key(*key))
        .map(String::as_str)
        .collect();
    let is_tie = kept.priority == applies.priority;
    if gone.is_empty() && !is_tie {
        return None;
    }
    let arguments = |name: &str| look.map.queue(name).map(|queue: &Queue| &queue.arguments);
    let has_own =
        |name: &&str| arguments(name).is_some_and(|own| own.contains_key("x-dead-letter-exchange"));
    let loses_letters = gone.contains(&"dead-letter-exchange") && !queues.iter().all(has_own);
    let (kept_name, winner) = (&kept.name, &applies.name);
    let on = match queues {
        [one] => format!("`{one}`"),
        many => format!(
            "{} ({})",
            counted(i64::try_from(many.len()).unwrap_or(i64::MAX), "queue"),
            some(many.iter().copied())
        ),
    };
    let lost = match (gone.is_empty(), is_tie) {
        (true, _) => String::new(),
        (false, _) if loses_letters => format!(
            " {} of `{kept_name}` do nothing there, so dead letters of these queues do not go where \
             it says.",
            some(gone.iter().copied())
        ),
        (false, _) => format!(" {} of `{kept_name}` do nothing there.", some(gone.iter().copied())),
    };
    let tie = if is_tie {
        format!(" Both have the priority {}, so which one applies is chance.", kept.priority)
    } else {
        String::new()
    };
    Some(Finding {
        kind: FindingKind::PolicyShadowed,
        severity: if loses_letters { Severity::High } else { Severity::Normal },
        subject: kept_name.clone(),
        other: winner.clone(),
        title: format!("The policy `{winner}` keeps `{kept_name}` from applying"),
        lost: format!("A queue has one policy. On {on} it is `{winner}`.{lost}{tie}"),
        fix: format!(
            "Put what `{kept_name}` sets into `{winner}` too, or give them patterns that do not \
             meet{}.",
            if is_tie { ", or different priorities" } else { "" }
        ),
        command: None,
    })
}
