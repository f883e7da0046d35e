//! Letters that are lost while they wait in a dead-letter queue.

use super::super::dead_lettering::{has_retention, policy_name};
use super::super::map::Role;
use super::super::model::{Queue, QueueKind};
use super::super::setting::{Origin, Setting};
use super::text::{counted, duration, some};
use super::{Finding, FindingKind, Look};
use crate::severity::Severity;

fn is_dead_letter_queue(look: &Look<'_>, queue: &Queue) -> bool {
    queue.kind != QueueKind::Stream && look.map.role(&queue.name) == Role::DeadLetters
}

fn feeders(look: &Look<'_>, queue: &Queue) -> String {
    let others = look.map.feeders(&queue.name).filter(|f| *f != queue.name);
    some(others)
}

/// A dead-letter queue that dead-letters, or a queue that does so to itself.
pub(super) fn of_chain(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let route = look.map.route(&queue.name)?;
    let Queue { name, .. } = queue;
    let finding = |other: String, title, lost, fix: &str| Finding {
        kind: FindingKind::Chain,
        severity: Severity::Normal,
        subject: name.clone(),
        other,
        title,
        lost,
        fix: fix.to_owned(),
        command: None,
    };
    if route.to.contains(name) {
        return Some(finding(
            name.clone(),
            format!("`{name}` dead-letters to itself"),
            "What expires here comes back once and is then dropped by the broker as a cycle; what \
             is rejected comes back for ever."
                .to_owned(),
            "Set a dead-letter-routing-key that names another queue.",
        ));
    }
    if !is_dead_letter_queue(look, queue) {
        return None;
    }
    let next = some(route.to.iter().map(String::as_str));
    Some(finding(
        route.exchange.clone(),
        format!("`{name}` is a dead-letter queue with a dead-letter exchange"),
        format!(
            "Letters of {} that expire, overflow or are rejected in `{name}` go on to {next}: \
             they are not found here, and are dropped where a route ends. The cause is often a \
             policy with a wide pattern.",
            feeders(look, queue)
        ),
        "Take the dead-letter exchange from this queue: narrow the pattern of the policy that sets \
         it, so that dead-letter queues are not matched.",
    ))
}

/// A dead-letter queue with a time limit.
pub(super) fn of_time(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    if !is_dead_letter_queue(look, queue) {
        return None;
    }
    let effective = look.map.effective(queue);
    let Queue { name, .. } = queue;
    let (what, set): (&str, &Setting<i64>) = match (&effective.message_ttl, &effective.expires) {
        (Some(ttl), _) => ("message-ttl", ttl),
        (None, Some(expires)) => ("expires", expires),
        (None, None) => return None,
    };
    let (time, origin) = (duration(set.value), set.origin.says());
    if what == "message-ttl" && is_ours(look, name, set) {
        return Some(wanted(look, name, &time));
    }
    let lost = if what == "expires" {
        format!(
            "By {origin} the queue is deleted, with every letter in it, when it is unused for {time}: \
             while intake stands still, that is all of them."
        )
    } else {
        format!(
            "By {origin} this dead-letter queue has a message-ttl: while intake stands still, letters \
             of {} that are older than {time} vanish.",
            feeders(look, queue)
        )
    };
    Some(Finding {
        kind: FindingKind::LettersExpire,
        severity: Severity::High,
        subject: name.clone(),
        other: what.to_owned(),
        title: format!("`{name}` forgets after {time}"),
        lost,
        fix: no_limit(name, what, &set.origin),
        command: None,
    })
}

/// Whether the time limit that applies is the one that was set here.
fn is_ours(look: &Look<'_>, name: &str, set: &Setting<i64>) -> bool {
    matches!(&set.origin, Origin::Policy(policy) if *policy == policy_name(name))
        && has_retention(look.map.vhost, name)
}

/// What somebody asked for: it is told, since letters vanish by it, and is no fault.
fn wanted(look: &Look<'_>, name: &str, time: &str) -> Finding {
    let by = look.regard.set_here.get(name).map(|(who, at)| {
        let at = at.format("%Y-%m-%d %H:%M UTC");
        format!(" by {} on {at}", who.0)
    });
    let by = by.unwrap_or_default();
    Finding {
        kind: FindingKind::LettersExpire,
        severity: Severity::Low,
        subject: name.to_owned(),
        other: "message-ttl".to_owned(),
        title: format!("`{name}` forgets after {time}, as was set here"),
        lost: format!(
            "This retention was set here{by}. While intake stands still, letters of {} that are older \
             than {time} vanish.",
            some(look.map.feeders(name).filter(|feeder| *feeder != name))
        ),
        fix: "Nothing, where that is wanted: it is no fault. Else set a longer one, or take it back, on \
              the page of the queue that dead-letters here."
            .to_owned(),
        command: None,
    }
}

/// A dead-letter queue that holds only so much.
pub(super) fn of_room(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    if !is_dead_letter_queue(look, queue) {
        return None;
    }
    let effective = look.map.effective(queue);
    let Queue { name, .. } = queue;
    let (what, set, room) = match (&effective.max_length, &effective.max_length_bytes) {
        (Some(set), _) => ("max-length", set, counted(set.value, "letter")),
        (None, Some(set)) => ("max-length-bytes", set, counted(set.value, "byte")),
        (None, None) => return None,
    };
    let refuses =
        effective.overflow.as_ref().is_some_and(|set| set.value.starts_with("reject-publish"));
    let loses = if refuses {
        "refuses the next, which is lost unless its queue dead-letters at least once"
    } else {
        "drops the oldest for each that comes"
    };
    let lost = format!(
        "By {} this dead-letter queue holds {room} at most ({what}). When intake stands still and it \
         is full, it {loses}.",
        set.origin.says()
    );
    Some(Finding {
        kind: FindingKind::LettersOverflow,
        severity: Severity::High,
        subject: name.clone(),
        other: what.to_owned(),
        title: format!("`{name}` holds only {room}"),
        lost,
        fix: no_limit(name, what, &set.origin),
        command: None,
    })
}

fn no_limit(name: &str, what: &str, origin: &Origin) -> String {
    match origin {
        Origin::Policy(policy) => format!(
            "Narrow the pattern of the policy `{policy}` so that it does not match `{name}`, or \
             take {what} out of it."
        ),
        Origin::OperatorPolicy(policy) => format!(
            "Have the broker's operator leave `{name}` out of the operator policy `{policy}`."
        ),
        Origin::Argument | Origin::Usual => format!(
            "No policy can lift an argument: declare a queue without {what}, bind it in the place \
             of `{name}`, and empty the old one."
        ),
    }
}
