//! What is told, in a sentence that a person acts on at three in the morning.

use super::Notice;
use crate::alert::{AlertChange, lasting, says};
use crate::severity::Severity;
use crate::visible_text::visible_within;

/// How bad it is, or how it ended, in a word.
pub(super) fn standing(notice: &Notice) -> &'static str {
    match (notice.change, notice.severity) {
        (AlertChange::Resolved, _) => "Over",
        (AlertChange::Unwatched, _) => "Not watched",
        (_, Severity::Critical) => "Critical",
        (_, Severity::High) => "High",
        (_, Severity::Normal) => "Normal",
        (_, Severity::Low) => "Low",
    }
}

/// What happened and how bad it is, in a line.
pub(super) fn line(notice: &Notice) -> String {
    if notice.change.is_end() {
        return headline(notice);
    }
    format!("{}: {}", standing(notice), headline(notice))
}

/// What happened, in a sentence.
#[must_use]
pub fn headline(notice: &Notice) -> String {
    let subject = &notice.subject.name;
    let now = says(&notice.signal, notice.limit, notice.figure, subject);
    match notice.change {
        AlertChange::Fired => now,
        AlertChange::Worsened => format!("Worse: {now}"),
        AlertChange::Repeated | AlertChange::ToldLate => format!("Still: {now}"),
        AlertChange::Resolved => {
            let lasted = lasting((notice.at - notice.since).num_seconds());
            format!("Over after {lasted}: {}", rule_and_thing(notice))
        }
        AlertChange::Unwatched => {
            let what = rule_and_thing(notice);
            format!("Not watched any more, since its rule was removed or switched off: {what}")
        }
    }
}

fn rule_and_thing(notice: &Notice) -> String {
    let rule = visible_within(&notice.rule_name);
    match &*notice.subject.name {
        "" => rule.into_owned(),
        name => format!("{rule} of “{}”", visible_within(name)),
    }
}

pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
