//! How to put another queue in the place of one whose arguments cannot change, without losing a message:
//! step by step, with the commands. They ask the management API, which all versions of RabbitMQ have alike.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::lint::text::some;
use super::super::map::Map;
use super::super::matching::{applies_to, known_to, pattern_of};
use super::super::model::{Binding, MOST_NAME_BYTES, Policy, Queue, QueueKind, Vhost};
use super::super::request::{self, ADDRESS};
use super::{NewDeadLettering, base};
use crate::reading::cut;

/// How the name of the queue ends that takes another's place.
const NEXT: &str = ".next";

/// Commands that one step gives; what is beyond is done likewise.
const MOST_COMMANDS: usize = 50;

/// Arguments that a classic queue may have and a quorum queue does not know: it is not declared with them.
const NOT_QUORUM: [&str; 4] =
    ["x-max-priority", "x-queue-mode", "x-queue-master-locator", "x-queue-version"];

/// One step on the way to a queue with other arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MigrationStep {
    /// What is to be done.
    pub says: String,
    /// The commands that do it, one after the other; none where people do it.
    pub commands: Vec<String>,
}

/// What another queue has to be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// It is declared without this argument.
    Without(&'static str),
    /// It is a quorum queue.
    Quorum,
}

impl Instead {
    fn says(self) -> String {
        match self {
            Self::Without(argument) => format!("without {argument}"),
            Self::Quorum => "with x-queue-type quorum".to_owned(),
        }
    }
}

/// What the steps are made of.
pub(super) struct Way<'a> {
    /// The vhost, and its name.
    pub vhost: (&'a Vhost, &'a str),
    /// The same, put together.
    pub map: &'a Map<'a>,
    /// The queue whose arguments cannot change.
    pub queue: &'a Queue,
    /// What is wanted of it.
    pub wanted: &'a NewDeadLettering,
}

/// A request about the vhost; none where a terminal would obey what is in it.
fn ask(
    way: &Way<'_>,
    method: &str,
    place: (&str, &[&str], &str),
    body: Option<&Value>,
) -> Vec<String> {
    request::ask(way.vhost.1, method, place, body).into_iter().collect()
}

/// The way to a queue that has `instead` of what this one has.
pub(super) fn steps(way: &Way<'_>, instead: &[Instead]) -> Vec<MigrationStep> {
    let next = next(way.queue, instead);
    let mut steps = vec![step(
        format!(
            "A queue's arguments cannot change, and declaring `{}` again with others is refused (406). \
             So another takes its place. The commands below ask the management API at \
             RABBITMQ, in the name of a user with the tag `policymaker` who may configure this vhost.",
            way.queue.name
        ),
        vec![format!("RABBITMQ={ADDRESS}")],
    )];
    steps.push(declared(way, &next, instead));
    steps.extend(policy(way, &next));
    steps.push(step(
        format!(
            "Set dead-lettering of `{}` to `{}` here: by policy, so that it can be changed later.",
            next.name, way.wanted.dead_letter_queue
        ),
        Vec::new(),
    ));
    steps.push(step(
        format!("Let the workers consume `{}` beside `{}`.", next.name, way.queue.name),
        Vec::new(),
    ));
    steps.extend(bound(way, &next));
    steps.extend(named(way, &next));
    steps.extend(emptied(way));
    steps
}

fn step(says: String, commands: Vec<String>) -> MigrationStep {
    MigrationStep { says, commands }
}

/// The queue that takes the other's place.
fn next(queue: &Queue, instead: &[Instead]) -> Queue {
    let mut arguments = queue.arguments.clone();
    let mut kind = queue.kind;
    for one in instead {
        match one {
            Instead::Without(argument) => drop(arguments.remove(*argument)),
            Instead::Quorum => {
                kind = QueueKind::Quorum;
                arguments.insert("x-queue-type".to_owned(), json!("quorum"));
                for argument in NOT_QUORUM {
                    arguments.remove(argument);
                }
            }
        }
    }
    Queue {
        name: cut(&queue.name, MOST_NAME_BYTES - NEXT.len()) + NEXT,
        kind,
        durable: queue.durable || kind == QueueKind::Quorum,
        auto_delete: queue.auto_delete && kind != QueueKind::Quorum,
        arguments,
        ..Queue::default()
    }
}

fn declared(way: &Way<'_>, next: &Queue, instead: &[Instead]) -> MigrationStep {
    let unknown = way
        .queue
        .arguments
        .keys()
        .filter(|key| NOT_QUORUM.contains(&key.as_str()) && !next.arguments.contains_key(*key));
    let but: Vec<String> = instead
        .iter()
        .map(|one| one.says())
        .chain(unknown.map(|key| format!("without {key}, which no quorum queue knows")))
        .collect();
    let body = json!({
        "durable": next.durable, "auto_delete": next.auto_delete, "arguments": next.arguments,
    });
    step(
        format!("Declare `{}` like `{}`, but {}.", next.name, way.queue.name, but.join(", ")),
        ask(way, "PUT", ("queues", &[&next.name], ""), Some(&body)),
    )
}

/// The policy that applies to the queue, where it would not apply to the other.
fn policy(way: &Way<'_>, next: &Queue) -> Option<MigrationStep> {
    // Ours repeats that one; and where it cannot be told, this is refused for that.
    let policy = base(way.vhost.0, way.queue).ok().flatten()?;
    let name = &policy.name;
    if applies_to(policy, next) == Some(true) {
        return None;
    }
    let own = Policy {
        name: cut(name, MOST_NAME_BYTES - NEXT.len()) + NEXT,
        pattern: pattern_of(&next.name),
        apply_to: "queues".to_owned(),
        priority: policy.priority,
        definition: known_to(next.kind, &policy.definition),
    };
    let body = json!({
        "pattern": own.pattern, "apply-to": own.apply_to, "priority": own.priority,
        "definition": own.definition,
    });
    let says = format!(
        "The policy `{name}` is not for `{}`: give it what that one sets, by a policy of its own.",
        next.name
    );
    (!own.definition.is_empty())
        .then(|| step(says, ask(way, "PUT", ("policies", &[&own.name], ""), Some(&body))))
}

/// The bindings: twice for a moment, rather than not at all.
fn bound(way: &Way<'_>, next: &Queue) -> Vec<MigrationStep> {
    let name = &way.queue.name;
    let bindings: Vec<&Binding> = way.map.bindings_of(name).collect();
    if bindings.is_empty() {
        return Vec::new();
    }
    let likewise = match bindings.len().saturating_sub(MOST_COMMANDS) {
        0 => String::new(),
        more => format!(" Do so for the {more} bindings, too, that have no command here."),
    };
    let shown = &bindings[..bindings.len().min(MOST_COMMANDS)];
    let bind = shown.iter().flat_map(|binding| {
        let arguments: Value = serde_json::from_str(&binding.arguments).unwrap_or_default();
        let arguments = if arguments.is_object() { arguments } else { json!({}) };
        let body = json!({"routing_key": binding.key, "arguments": arguments});
        let path = ["e", &binding.source, "q", &next.name];
        ask(way, "POST", ("bindings", &path, ""), Some(&body))
    });
    let unbind = shown.iter().flat_map(|binding| {
        let path = ["e", &binding.source, "q", name, &binding.properties_key];
        ask(way, "DELETE", ("bindings", &path, ""), None)
    });
    vec![
        step(
            format!(
                "Bind `{}` to every exchange that `{name}` is bound to, with the same keys and \
                 arguments. Until the next step is done messages come to both: rather twice than not \
                 at all.{likewise}",
                next.name
            ),
            bind.collect(),
        ),
        step(format!("Take the bindings of `{name}` away.{likewise}"), unbind.collect()),
    ]
}

/// Whoever names the queue itself.
fn named(way: &Way<'_>, next: &Queue) -> Vec<MigrationStep> {
    let name = &way.queue.name;
    let mut feeders = way.map.feeders(name).filter(|feeder| feeder != name).peekable();
    let dying = feeders
        .peek()
        .is_some()
        .then(|| format!(" So must the dead-lettering of {}: see their pages.", some(feeders)));
    vec![step(
        format!(
            "Publishers that name `{name}` directly must name `{}`.{}",
            next.name,
            dying.unwrap_or_default()
        ),
        Vec::new(),
    )]
}

fn emptied(way: &Way<'_>) -> Vec<MigrationStep> {
    let name = &way.queue.name;
    // A quorum queue is deleted whatever is in it: RabbitMQ has no other way for it.
    let guard = match way.queue.kind {
        QueueKind::Classic => "?if-empty=true&if-unused=true",
        _ => "",
    };
    vec![
        step(
            format!(
                "Wait until `{name}` is empty and nothing of it is unacknowledged: `messages` is 0 \
                 then, a few seconds late."
            ),
            ask(way, "GET", ("queues", &[name], "?columns=messages"), None),
        ),
        step(
            format!("Let its workers leave `{name}`, and delete it."),
            ask(way, "DELETE", ("queues", &[name], guard), None),
        ),
    ]
}
