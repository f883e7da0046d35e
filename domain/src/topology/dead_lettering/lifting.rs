//! Lifts the limit of deliveries of a queue that letters are taken from: by policy where the broker lets a
//! policy say so (since 4.3), else in words, with the commands.

use serde_json::json;

use super::super::lint::text::counted;
use super::super::model::{Queue, QueueKind, Vhost};
use super::super::request::{ADDRESS, ask};
use super::super::setting::{Effective, Origin};
use super::change::{LIMIT, applied, change};
use super::{DeadLetteringPlan, MigrationStep, Wish, checks};

/// The first release that takes −1 from a policy.
const BY_POLICY: (u32, u32) = (4, 3);

/// What lifts the limit of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::topology) enum Remedy {
    /// A policy of ours with −1.
    Policy,
    /// The queue was declared with it, or only an argument can lift it: another takes its place.
    NewQueue,
    /// An ordinary policy sets it: without that there is none.
    WithoutKey(String),
    /// Whoever runs the broker set it.
    Operator(String),
}

/// What lifts the limit of a queue; nothing where it has none, or the broker's version is not known.
pub(in crate::topology) fn remedy(vhost: &Vhost, queue: &Queue) -> Option<Remedy> {
    let limit = Effective::of(vhost, queue).delivery_limit?;
    let release = vhost.release()?;
    Some(match limit.origin {
        Origin::OperatorPolicy(name) => Remedy::Operator(name),
        Origin::Policy(_) | Origin::Usual if release >= BY_POLICY => Remedy::Policy,
        Origin::Policy(name) if release.0 < 4 => Remedy::WithoutKey(name),
        Origin::Argument | Origin::Policy(_) | Origin::Usual => Remedy::NewQueue,
    })
}

/// Plans to lift the limit of a queue.
#[must_use]
pub fn plan_lift((vhost, vhost_name): (&Vhost, &str), name: &str) -> DeadLetteringPlan {
    let mut plan = DeadLetteringPlan::default();
    checks::of_gaps(vhost, &mut plan.refusals);
    let Some(queue) = vhost.queues.iter().find(|queue| queue.name == name) else {
        plan.refusals.push(format!("there is no queue `{name}` in this vhost"));
        return plan.sealed();
    };
    if let Some(why) = needs_none(vhost, queue) {
        plan.refusals.push(why);
        return plan.sealed();
    }
    match remedy(vhost, queue) {
        Some(Remedy::Policy) => by_policy((vhost, vhost_name), queue, &mut plan),
        Some(remedy) => in_words((vhost, vhost_name), queue, &remedy, &mut plan),
        None => plan.refusals.push(format!(
            "the broker does not report its version, so it is not known what lifts the limit of \
             `{name}`"
        )),
    }
    plan.sealed()
}

/// Why nothing is to be lifted.
fn needs_none(vhost: &Vhost, queue: &Queue) -> Option<String> {
    let name = &queue.name;
    if queue.kind != QueueKind::Quorum {
        return Some(format!(
            "`{name}` is a {} queue: it counts no deliveries, so it has no limit",
            queue.kind.as_str()
        ));
    }
    let effective = Effective::of(vhost, queue);
    (vhost.major().is_some() && effective.delivery_limit.is_none())
        .then(|| format!("`{name}` has no limit: letters may come back as often as they like"))
}

fn by_policy((vhost, vhost_name): (&Vhost, &str), queue: &Queue, plan: &mut DeadLetteringPlan) {
    match change(vhost, queue, &[(LIMIT, Wish::Set(json!(-1)))]) {
        Ok((change, against)) => {
            plan.changes.extend(change);
            plan.refusals.extend(against);
        }
        Err(why) => plan.refusals.push(why),
    }
    if !plan.refusals.is_empty() {
        return;
    }
    // An argument may stand behind the policy that said less.
    let after = applied(vhost, &plan.changes);
    let mut after = after.queues.iter();
    let left = after.find(|one| one.name == queue.name).and_then(|queue| remedy(vhost, queue));
    if let Some(left) = left {
        plan.changes.clear();
        in_words((vhost, vhost_name), queue, &left, plan);
    }
}

fn in_words(
    (vhost, vhost_name): (&Vhost, &str),
    queue: &Queue,
    remedy: &Remedy,
    plan: &mut DeadLetteringPlan,
) {
    let name = &queue.name;
    let argument = queue.arguments.get("x-delivery-limit");
    let why = match (remedy, argument) {
        (Remedy::Policy, _) => return,
        (Remedy::Operator(policy), _) => format!(
            "the operator policy `{policy}` sets the limit of `{name}`, and wins: have the \
             broker's operator remove `{LIMIT}` from it, or set it to -1 (since 4.3)"
        ),
        (Remedy::WithoutKey(policy), _) => format!(
            "this broker takes no -1 from a policy, but `{name}` has its limit only from the policy `{policy}`: \
             take `{LIMIT}` out of that, and there is none"
        ),
        (Remedy::NewQueue, Some(argument)) => format!(
            "`{name}` was declared with x-delivery-limit {argument}, which no policy lifts: another queue has to \
             take its place"
        ),
        (Remedy::NewQueue, None) => format!(
            "this broker is older than 4.3, and takes no -1 from a policy: another queue has to take the place \
             of `{name}`"
        ),
    };
    plan.refusals.push(why);
    if *remedy == Remedy::NewQueue {
        plan.migration = replacement((vhost, vhost_name), queue);
    }
}

/// The way to a queue without a limit.
fn replacement((vhost, vhost_name): (&Vhost, &str), queue: &Queue) -> Vec<MigrationStep> {
    let (name, next) = (&queue.name, format!("{}.next", queue.name));
    let mut arguments = queue.arguments.clone();
    arguments.remove("x-delivery-limit");
    let with = if vhost.major().is_some_and(|major| major >= 4) {
        arguments.insert("x-delivery-limit".to_owned(), json!(-1));
        "with x-delivery-limit -1"
    } else {
        "without x-delivery-limit"
    };
    arguments.insert("x-queue-type".to_owned(), json!("quorum"));
    let body = json!({"durable": true, "auto_delete": false, "arguments": arguments});
    let declare = ask(vhost_name, "PUT", ("queues", &[&next], ""), Some(&body));
    let step = |says: String, commands: Vec<String>| MigrationStep { says, commands };
    let held = counted(queue.figures.ready.unwrap_or(0), "letter");
    let wait = match queue.figures.ready {
        Some(_) => format!("It holds {held} now. "),
        None => String::new(),
    };
    let mut commands = vec![format!("RABBITMQ={ADDRESS}")];
    commands.extend(declare);
    vec![
        step(format!("Declare `{next}` like `{name}`, but {with}."), commands),
        step(
            format!(
                "Let dead letters go there: bind `{next}` as `{name}` is bound, change \
                 dead-letter-routing-keys that name `{name}`, and take the bindings of `{name}` away."
            ),
            Vec::new(),
        ),
        step(format!("Watch `{next}` here: it is taken at once."), Vec::new()),
        step(
            format!(
                "{wait}Empty `{name}` with a shovel to `{next}` (ack-mode on-confirm), which keeps the same risk \
                 for what it holds; or accept a loss of 1 letter for its source here, until it is empty."
            ),
            Vec::new(),
        ),
    ]
}
