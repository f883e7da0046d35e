//! Queues of workers whose messages never come here when the worker is away: dead letters tell of a
//! worker that died only where its messages expire, and go somewhere when they do.

use serde_json::json;

use super::super::map::Role;
use super::super::matching::{pattern_of, shell_command};
use super::super::model::{Policy, Queue, QueueKind};
use super::super::setting::{Effective, Setting};
use super::text::duration;
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

/// How long a message may wait, in the command that is told: 5 minutes, in milliseconds.
const TTL_MS: i64 = 300_000;

/// The queue of one worker without a time limit, or without a dead-letter exchange. Of a queue that
/// several workers share, the others take what one leaves.
pub(super) fn of_worker(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let worker = look.regard.workers.own.get(&queue.name)?;
    let is_kept = queue.kind != QueueKind::Stream && !queue.auto_delete && !queue.exclusive;
    let gaps = &look.map.vhost.gaps;
    let is_work = look.map.role(&queue.name) == Role::Work;
    if !is_kept || !is_work || !FindingKind::Stranded.can_be_seen(gaps) {
        return None;
    }
    let effective = look.map.effective(queue);
    match (&effective.message_ttl, &effective.dead_letter_exchange) {
        (Some(_), Some(_)) => None,
        (None, Some(_)) => Some(waits(look, queue, worker, effective)),
        (Some(ttl), None) => Some(vanishes(queue, worker, ttl)),
        (None, None) => Some(neither(queue, worker)),
    }
}

fn finding(
    queue: &Queue,
    severity: Severity,
    (title, lost, fix): (String, String, String),
) -> Finding {
    Finding {
        kind: FindingKind::Stranded,
        severity,
        subject: queue.name.clone(),
        other: String::new(),
        title,
        lost,
        fix,
        command: None,
    }
}

/// What a time limit does to messages that wait already.
const MIND: &str = "What has waited for longer then dies at once, so look at how full the queue is \
    first, and whether a source takes its dead letters.";

fn waits(look: &Look<'_>, queue: &Queue, worker: &str, effective: &Effective) -> Finding {
    let name = &queue.name;
    let how = match &queue.policy {
        Some(policy) => format!("Add a message-ttl to the policy `{policy}`, or to one of its own"),
        None => "Set a message-ttl by policy".to_owned(),
    };
    let mut finding = finding(
        queue,
        Severity::Low,
        (
            format!("`{name}` keeps its messages for ever when its worker is away"),
            format!(
                "Nothing is lost, but nobody notices: when the worker `{worker}` is gone, its \
                 messages wait in `{name}`, no letter comes here, and no other worker gets them."
            ),
            format!("{how}: longer than a message may wait for a busy worker. {MIND}"),
        ),
    );
    // One policy alone applies to a queue: ours would keep another from applying.
    let is_free = queue.policy.is_none() && effective.message_ttl.is_none();
    finding.command = is_free.then(|| limit(look, name)).flatten();
    finding
}

/// The command that sets a time limit.
fn limit(look: &Look<'_>, queue: &str) -> Option<String> {
    let definition = json!({"message-ttl": TTL_MS});
    let policy = Policy {
        name: format!("ttl-{queue}"),
        pattern: pattern_of(queue),
        apply_to: "queues".to_owned(),
        priority: 1,
        definition: definition.as_object()?.clone(),
    };
    shell_command(look.vhost_name, &policy)
}

fn vanishes(queue: &Queue, worker: &str, ttl: &Setting<i64>) -> Finding {
    let (name, time) = (&queue.name, duration(ttl.value));
    finding(
        queue,
        Severity::Normal,
        (
            format!("`{name}` drops what its worker does not take in time"),
            format!(
                "When the worker `{worker}` is away, or slow, the broker silently drops each \
                 message that has waited for {time} (set by {}).",
                ttl.origin.says()
            ),
            "Set its dead-lettering: then they come here.".to_owned(),
        ),
    )
}

fn neither(queue: &Queue, worker: &str) -> Finding {
    let name = &queue.name;
    finding(
        queue,
        Severity::Normal,
        (
            format!("What is meant for the worker `{worker}` never comes here"),
            format!(
                "`{name}` has neither a message-ttl nor a dead-letter exchange: when the worker \
                 is gone, its messages wait for ever unnoticed; what the worker rejects is dropped."
            ),
            format!(
                "Set its dead-lettering, and a message-ttl that is longer than a message may wait \
                 for a busy worker. {MIND}"
            ),
        ),
    )
}
