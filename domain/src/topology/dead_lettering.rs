//! Gives a queue a dead-letter queue, a limit of deliveries and a retention by policies: what would be
//! set, what that changes, and what no policy can do. Nothing here asks or tells a broker.
//!
//! At most one policy applies to a queue, so ours repeats the one that applies, adds what is wanted,
//! matches this queue alone, and has a higher priority. To take it away is to have the other again.

mod checks;
mod migration;
mod removal;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::map::Map;
use super::matching::{applies_to, pattern_of};
use super::model::{Gap, MOST_NAME_BYTES, Policy, Queue, QueueKind, Settings, Vhost};

pub use migration::MigrationStep;
pub(super) use removal::has_retention;
pub use removal::{plan_removal, retentions};

/// How our policies' names begin; the rest is the queue's name.
const PREFIX: &str = "dlo-";
/// The most deliveries that can be asked for.
pub const MOST_DELIVERIES: i64 = 10_000;
/// The longest retention, in seconds: ten years. RabbitMQ counts milliseconds in 32 bits for arguments,
/// not for policies.
pub const MOST_RETENTION_SECONDS: i64 = 315_360_000;

/// What a queue's dead letters are to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewDeadLettering {
    /// The queue that they go to, in the same vhost. It must be there.
    pub dead_letter_queue: String,
    /// How often a message is delivered before it dies; only a quorum queue counts. Left out, as it is.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 10_000))]
    pub max_deliveries: Option<i64>,
    /// How long letters stay in the dead-letter queue, in seconds. Left out, as it is.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 315_360_000))]
    pub retention_seconds: Option<i64>,
    /// Keep each letter until the dead-letter queue has confirmed it; only a quorum queue can. When it
    /// is full it refuses what is published to it, instead of dropping the oldest.
    #[serde(default)]
    pub at_least_once: bool,
}

/// One line of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SettingChange {
    /// What is set.
    pub key: String,
    /// What applies now.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub before: Option<Value>,
    /// What would apply.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub after: Option<Value>,
}

/// A policy that would be set, or taken away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyChange {
    /// The queue that it applies to, and no other.
    pub queue: String,
    /// Its name.
    pub name: String,
    /// Its pattern.
    pub pattern: String,
    /// Its priority: above the policy that applies without it.
    pub priority: i64,
    /// The policy that applies without it, whose settings it repeats.
    pub base: Option<String>,
    /// All that it sets; nothing when it is taken away.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub definition: Option<Settings>,
    /// What that changes for the queue, and what stays.
    pub lines: Vec<SettingChange>,
}

impl PolicyChange {
    /// The policy that is to be set.
    #[must_use]
    pub fn policy(&self) -> Option<Policy> {
        Some(Policy {
            name: self.name.clone(),
            pattern: self.pattern.clone(),
            apply_to: "queues".to_owned(),
            priority: self.priority,
            definition: self.definition.clone()?,
        })
    }
}

/// What would be done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeadLetteringPlan {
    /// What it is: the same again as long as nothing else changes.
    pub plan: String,
    /// The policies.
    pub changes: Vec<PolicyChange>,
    /// What stays as it is although it was set here, and why; of a removal.
    #[serde(default)]
    pub stays: Vec<String>,
    /// Why it is not done; empty when it can be.
    pub refusals: Vec<String>,
    /// How to get there where no policy can, step by step.
    pub migration: Vec<MigrationStep>,
    /// Whether it was done.
    pub applied: bool,
}

impl DeadLetteringPlan {
    fn sealed(mut self) -> Self {
        let text = serde_json::to_string(&self.changes).expect("words, texts and numbers");
        for byte in Sha256::digest(text).iter().take(8) {
            write!(self.plan, "{byte:02x}").expect("a String takes every write");
        }
        self
    }
}

/// Plans what is wanted of a queue; the vhost with its name, which commands need.
#[must_use]
pub fn plan(
    (vhost, vhost_name): (&Vhost, &str),
    name: &str,
    wanted: &NewDeadLettering,
) -> DeadLetteringPlan {
    let map = Map::of(vhost);
    let mut plan = DeadLetteringPlan::default();
    let refusals = &mut plan.refusals;
    if vhost.lacks(Gap::Policies) {
        refusals.push(Gap::Policies.says().to_owned());
    }
    checks::of_figures(wanted, refusals);
    let (queue, target) = (map.queue(name), map.queue(&wanted.dead_letter_queue));
    let (Some(queue), Some(target)) = (queue, target) else {
        let missing = if queue.is_none() {
            name
        } else {
            &wanted.dead_letter_queue
        };
        refusals.push(format!(
            "there is no queue `{missing}` in this vhost: declare it first"
        ));
        return plan.sealed();
    };
    checks::of_chain(&map, queue, target, refusals);
    let steps = checks::of_arguments(queue, target, wanted, refusals);
    checks::of_operator(vhost, queue, refusals);
    if !steps.is_empty() {
        let way = migration::Way {
            vhost: (vhost, vhost_name),
            map: &map,
            queue,
            wanted,
        };
        plan.migration = migration::steps(&way, &steps);
    }
    let mut changes = Vec::new();
    match change(vhost, queue, additions(queue, wanted)) {
        Ok(change) => changes.push(change),
        Err(why) => plan.refusals.push(why),
    }
    if let Some(seconds) = wanted.retention_seconds {
        let ttl = ("message-ttl", Value::from(seconds.saturating_mul(1_000)));
        match change(vhost, target, vec![ttl]) {
            Ok(change) => changes.push(change),
            Err(why) => plan.refusals.push(why),
        }
    }
    plan.changes = changes;
    plan.sealed()
}

/// What the policy is called that is set here for a queue.
#[must_use]
pub fn policy_name(queue: &str) -> String {
    format!("{PREFIX}{queue}")
}

fn is_ours(policy: &Policy, queue: &str) -> bool {
    policy.name == policy_name(queue) && policy.pattern == pattern_of(queue)
}

fn additions(queue: &Queue, wanted: &NewDeadLettering) -> Vec<(&'static str, Value)> {
    let mut additions = vec![
        ("dead-letter-exchange", Value::from("")),
        (
            "dead-letter-routing-key",
            Value::from(wanted.dead_letter_queue.as_str()),
        ),
    ];
    if queue.kind == QueueKind::Quorum {
        if let Some(most) = wanted.max_deliveries {
            additions.push(("delivery-limit", most.into()));
        }
        if wanted.at_least_once {
            additions.push(("dead-letter-strategy", "at-least-once".into()));
            additions.push(("overflow", "reject-publish".into()));
        }
    }
    additions
}

fn change(
    vhost: &Vhost,
    queue: &Queue,
    additions: Vec<(&'static str, Value)>,
) -> Result<PolicyChange, String> {
    let name = policy_name(&queue.name);
    if name.len() > MOST_NAME_BYTES {
        return Err(format!(
            "the name of `{}` is too long for a policy that is named after it",
            queue.name
        ));
    }
    let pattern = pattern_of(&queue.name);
    let taken = vhost.policies.iter().find(|policy| policy.name == name);
    if taken.is_some_and(|policy| !is_ours(policy, &queue.name)) {
        return Err(format!(
            "there is a policy `{name}` of somebody else's: rename it first"
        ));
    }
    let base = base(vhost, queue)?;
    let mut definition = base
        .map(|policy| policy.definition.clone())
        .unwrap_or_default();
    for (key, value) in additions {
        definition.insert(key.to_owned(), value);
    }
    let current = queue.policy.as_ref().and_then(|applies| {
        let found = vhost.policies.iter().find(|policy| policy.name == *applies);
        found.map(|policy| policy.definition.clone())
    });
    Ok(PolicyChange {
        queue: queue.name.clone(),
        name,
        pattern,
        priority: base.map_or(1, |policy| policy.priority.saturating_add(1)),
        base: base.map(|policy| policy.name.clone()),
        lines: lines(&current.unwrap_or_default(), &definition),
        definition: Some(definition),
    })
}

/// The policy that applies, or would if ours were not there.
fn base<'a>(vhost: &'a Vhost, queue: &Queue) -> Result<Option<&'a Policy>, String> {
    let mut policies = vhost.policies.iter();
    let applies = policies.find(|policy| queue.policy.as_ref() == Some(&policy.name));
    if let Some(applies) = applies
        && !is_ours(applies, &queue.name)
    {
        return Ok(Some(applies));
    }
    let mut best: Option<&Policy> = None;
    for policy in vhost
        .policies
        .iter()
        .filter(|policy| !is_ours(policy, &queue.name))
    {
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
fn lines(before: &Settings, after: &Settings) -> Vec<SettingChange> {
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
