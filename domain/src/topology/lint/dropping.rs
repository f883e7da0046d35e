//! Queues that letters are taken from, and that drop what comes back too often: by every office that ends
//! with letters in hand.

use super::super::dead_lettering::{Remedy, remedy};
use super::super::map::Role;
use super::super::model::{Queue, QueueKind};
use super::text::counted;
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

/// Whether letters come to rest in it, or are taken from it.
pub(super) fn holds_letters(look: &Look<'_>, queue: &Queue) -> bool {
    look.regard.watched.contains(&queue.name) || look.map.role(&queue.name) == Role::DeadLetters
}

/// A quorum queue with letters and a limit.
pub(super) fn of_letters(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    if queue.kind != QueueKind::Quorum || !holds_letters(look, queue) {
        return None;
    }
    let limit = look.map.effective(queue).delivery_limit.as_ref()?;
    let Queue { name, .. } = queue;
    let times = counted(limit.value, "time");
    let at_once = match look.map.vhost.release() {
        Some(release) if release >= (4, 3) => {
            " A letter that died of the limit of the queue before keeps its count: it is dropped the first \
             time that it comes back here."
        }
        _ => "",
    };
    Some(Finding {
        kind: FindingKind::LettersDropped,
        severity: Severity::Critical,
        subject: name.clone(),
        other: String::new(),
        title: format!("`{name}` drops a letter that comes back more than {times}"),
        lost: format!(
            "A letter comes back whenever the program that has it ends, crashes or loses its connection. \
             `{name}` is a quorum queue with a delivery limit of {}, set by {}: after that the \
             broker drops the letter silently.{at_once} Nothing is taken from it here while that \
             is so.",
            limit.value,
            limit.origin.says()
        ),
        fix: fix(look, queue),
        command: None,
    })
}

fn fix(look: &Look<'_>, queue: &Queue) -> String {
    let Queue { name, .. } = queue;
    match remedy(look.map.vhost, queue) {
        Some(Remedy::Policy) => format!(
            "Set delivery-limit to -1 for it, by a policy that repeats the one that applies. The form of \
             `{name}` does that."
        ),
        Some(Remedy::Operator(policy)) => format!(
            "Have the broker's operator remove delivery-limit from the operator policy `{policy}`."
        ),
        Some(Remedy::WithoutKey(policy)) => {
            format!("Take delivery-limit out of the policy `{policy}`: then there is none.")
        }
        Some(Remedy::NewQueue) | None => format!(
            "No policy of this broker lifts it: declare another queue in the place of `{name}`. The form of \
             `{name}` has the steps."
        ),
    }
}
