//! Which policy applies to which queue, and how a command names a queue exactly.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::model::{Policy, Queue, QueueKind, Settings};

/// What a compiled pattern may take, in bytes: patterns are anybody's to write.
const MOST_PATTERN: usize = 1 << 18;

/// Keys of a policy that a classic queue does not know. A policy that has one does not apply to it
/// (`rabbit_classic_queue:capabilities`, `rabbit_amqqueue:is_policy_applicable`).
const NOT_CLASSIC: [&str; 7] = [
    "delivery-limit",
    "dead-letter-strategy",
    "max-in-memory-length",
    "max-in-memory-bytes",
    "max-age",
    "stream-max-segment-size-bytes",
    "target-group-size",
];

/// The same of a quorum queue.
const NOT_QUORUM: [&str; 6] = [
    "max-priority",
    "queue-mode",
    "ha-mode",
    "queue-master-locator",
    "max-age",
    "stream-max-segment-size-bytes",
];

/// A pattern made ready; nothing where it asks for what only the broker can read.
pub(super) fn compiled(pattern: &str) -> Option<Regex> {
    let size =
        RegexBuilder::new(pattern).size_limit(MOST_PATTERN).dfa_size_limit(MOST_PATTERN).build();
    size.ok()
}

/// Whether a policy would apply to a queue if it were the only one. Nothing where its pattern asks
/// for what only the broker can read, such as a look-ahead.
#[must_use]
pub fn applies_to(policy: &Policy, queue: &Queue) -> Option<bool> {
    if !suits(policy, queue.kind) {
        return Some(false);
    }
    compiled(&policy.pattern).map(|pattern| pattern.is_match(&queue.name))
}

/// Whether a policy is for this kind of queue, and sets nothing that such a queue does not know.
pub(super) fn suits(policy: &Policy, kind: QueueKind) -> bool {
    let is_for = match policy.apply_to.as_str() {
        "queues" | "all" => true,
        "classic_queues" => kind == QueueKind::Classic,
        "quorum_queues" => kind == QueueKind::Quorum,
        "streams" => kind == QueueKind::Stream,
        _ => false,
    };
    let unknown = unknown_to(kind);
    is_for && !unknown.iter().any(|key| policy.definition.contains_key(*key))
}

fn unknown_to(kind: QueueKind) -> &'static [&'static str] {
    match kind {
        QueueKind::Classic => &NOT_CLASSIC,
        QueueKind::Quorum => &NOT_QUORUM,
        QueueKind::Stream | QueueKind::Other => &[],
    }
}

/// What of a policy this kind of queue knows.
pub(super) fn known_to(kind: QueueKind, definition: &Settings) -> Settings {
    let mut known = definition.clone();
    known.retain(|key, _| !unknown_to(kind).contains(&key.as_str()));
    known
}

/// The pattern that matches a queue of this name and no other.
#[must_use]
pub fn pattern_of(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len() + 4);
    pattern.push('^');
    for letter in name.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    // `$` would also match before a line's end.
    pattern.push_str(r"\z");
    pattern
}

/// The command that sets a policy; nothing where a name cannot be pasted into a terminal.
#[must_use]
pub fn shell_command(vhost: &str, policy: &Policy) -> Option<String> {
    let definition = Value::Object(policy.definition.clone()).to_string();
    Some(format!(
        "rabbitmqctl set_policy -p {} --priority {} --apply-to {} {} {} {}",
        quoted(vhost)?,
        policy.priority,
        quoted(&policy.apply_to)?,
        quoted(&policy.name)?,
        quoted(&policy.pattern)?,
        quoted(&definition)?
    ))
}

/// A text as one word of a shell; nothing where it holds what a terminal would obey.
#[must_use]
pub fn quoted(text: &str) -> Option<String> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-".contains(letter);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}
