//! Queues that nobody works on.

use super::super::map::Role;
use super::super::model::{Queue, QueueKind};
use super::text::{counted, duration};
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

/// A queue without consumers. Dead-letter queues and queues in which messages only wait have none; of those that
/// letters are taken from, their source says why nothing is; those that go with their consumer or their connection
/// are somebody's for a moment.
pub(super) fn of_queue(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let idle = queue.idle_seconds?;
    let effective = look.map.effective(queue);
    let waits = effective.message_ttl.is_some() && effective.dead_letter_exchange.is_some();
    let is_worked_on = look.map.role(&queue.name) == Role::Work
        && !look.regard.watched.contains(&queue.name)
        && queue.kind != QueueKind::Stream
        && !queue.auto_delete
        && !queue.exclusive;
    let feeds_back = waits
        && look.map.route(&queue.name).is_some_and(|route| {
            // Filled by hand, emptied by time: a queue of delays.
            let mut to = route.to.iter();
            to.any(|target| look.map.role(target) == Role::Work)
        });
    if idle < look.regard.patience || !is_worked_on || feeds_back {
        return None;
    }
    let Queue { name, .. } = queue;
    let ready = queue.figures.ready;
    let may_hold = ready != Some(0);
    let held = match ready {
        None => "The broker does not say how many messages wait in it.".to_owned(),
        Some(0) => "Nothing waits in it now.".to_owned(),
        Some(1) => "1 message waits in it.".to_owned(),
        Some(more) => format!("{} wait in it.", counted(more, "message")),
    };
    let then = match (&effective.message_ttl, &effective.max_length) {
        (Some(ttl), _) => format!(" Each expires after {}.", duration(ttl.value)),
        (None, Some(most)) => {
            format!(" It holds {}; what is over that is dropped.", counted(most.value, "message"))
        }
        (None, None) => " They stay until a consumer comes.".to_owned(),
    };
    Some(Finding {
        kind: FindingKind::NoConsumer,
        severity: if may_hold { Severity::Normal } else { Severity::Low },
        subject: name.clone(),
        other: String::new(),
        title: format!("`{name}` has no consumer"),
        lost: format!(
            "No consumer takes messages from `{name}`. \
            {held}{}",
            if may_hold { &then } else { "" }
        ),
        fix: "No setting helps: bring its consumer back, or delete the queue if it is not needed \
             any more."
            .to_owned(),
        command: None,
    })
}
