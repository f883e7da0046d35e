//! Gives a queue a dead-letter queue, a limit of deliveries and a retention by policies: what would be
//! set, what that changes, and what no policy can do. Nothing here asks or tells a broker.
//!
//! At most one policy applies to a queue, so ours repeats the one that applies, adds what is wanted,
//! matches this queue alone, and has a higher priority. To take it away is to have the other again.

mod change;
mod checks;
mod declared;
mod lifting;
mod migration;
mod removal;
mod wish;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::map::Map;
use super::matching::pattern_of;
use super::model::{Policy, Queue, Settings, Vhost};
use change::{applied, base, change, lines, wishes};

pub use lifting::plan_lift;
pub(super) use lifting::{Remedy, remedy};
pub use migration::MigrationStep;
pub(super) use removal::has_retention;
pub use removal::{plan_removal, retentions};
pub use wish::Wish;

/// How our policies' names begin; the rest is the queue's name.
const PREFIX: &str = "dlo-";
/// The highest limit of deliveries that can be asked for.
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
    /// How often a message may come back to the queue before it dies: RabbitMQ counts returns, so it is
    /// delivered at most once more than that. Only a quorum queue counts. Left out, as it is; `null`, as it is
    /// without what was set here.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>, minimum = 0, maximum = 10_000))]
    pub max_deliveries: Wish<i64>,
    /// How long letters stay in the dead-letter queue, in seconds. Left out, as it is; `null`, as it is
    /// without what was set here, for every queue that dead-letters there.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>, minimum = 1, maximum = 315_360_000))]
    pub retention_seconds: Wish<i64>,
    /// Keep each letter until the dead-letter queue has confirmed it; only a quorum queue can. When it
    /// is full it refuses what is published to it, instead of dropping the oldest. Left out, as it is;
    /// `false` or `null`, as it is without what was set here.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
    pub at_least_once: Wish<bool>,
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
    /// What stays as it is, and why: of a removal, what was set here and others need; else, what the queue
    /// was declared with and does already.
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
        self.plan = hex::encode(&Sha256::digest(text)[..8]);
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
    checks::of_gaps(vhost, refusals);
    checks::of_figures(wanted, refusals);
    let (queue, target) = match both(&map, name, wanted) {
        Ok(both) => both,
        Err(why) => {
            refusals.push(why);
            return plan.sealed();
        }
    };
    let is_declared = declared::target(&map, queue).as_ref() == Some(&target.name);
    if is_declared {
        plan.stays.push(declared::says(queue, target));
    }
    checks::of_chain(&map, queue, target, refusals);
    let steps = checks::of_arguments((queue, is_declared), target, wanted, refusals);
    if !steps.is_empty() {
        let way = migration::Way { vhost: (vhost, vhost_name), map: &map, queue, wanted };
        plan.migration = migration::steps(&way, &steps);
    }
    let parts =
        [(queue, wishes(queue, wanted, is_declared)), (target, vec![change::retention(wanted)])];
    for (queue, wishes) in parts {
        match change(vhost, queue, &wishes) {
            Ok((change, against)) => {
                plan.changes.extend(change);
                plan.refusals.extend(against);
            }
            Err(why) => plan.refusals.push(why),
        }
    }
    let after = applied(vhost, &plan.changes);
    plan.refusals.extend(checks::of_new_chain(&map, &Map::of(&after), queue, target));
    plan.sealed()
}

/// The queue and its dead-letter queue.
///
/// # Errors
/// Which one is missing.
fn both<'a>(
    map: &Map<'a>,
    name: &str,
    wanted: &NewDeadLettering,
) -> Result<(&'a Queue, &'a Queue), String> {
    let there = |name: &str| {
        map.queue(name)
            .ok_or_else(|| format!("there is no queue `{name}` in this vhost: declare it first"))
    };
    Ok((there(name)?, there(&wanted.dead_letter_queue)?))
}

/// What the policy is called that is set here for a queue.
#[must_use]
pub fn policy_name(queue: &str) -> String {
    format!("{PREFIX}{queue}")
}

fn is_ours(policy: &Policy, queue: &str) -> bool {
    policy.name == policy_name(queue) && policy.pattern == pattern_of(queue)
}
