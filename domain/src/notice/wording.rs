//! What is told, in a sentence that a person acts on at three in the morning.

use super::Notice;
use crate::alert::{AlertChange, Measure, Signal};
use crate::filter::length;
use crate::severity::Severity;
use crate::visible_text::visible_within;

/// How bad it is, or that it is over, in a word.
pub(super) fn standing(notice: &Notice) -> &'static str {
    match (notice.change, notice.severity) {
        (AlertChange::Resolved, _) => "Over",
        (_, Severity::Critical) => "Critical",
        (_, Severity::High) => "High",
        (_, Severity::Normal) => "Normal",
        (_, Severity::Low) => "Low",
    }
}

/// What happened and how bad it is, in a line.
pub(super) fn line(notice: &Notice) -> String {
    match notice.change {
        AlertChange::Resolved => headline(notice),
        _ => format!("{}: {}", standing(notice), headline(notice)),
    }
}

/// What happened, in a sentence.
#[must_use]
pub fn headline(notice: &Notice) -> String {
    let now = sentence(notice);
    match notice.change {
        AlertChange::Fired => now,
        AlertChange::Worsened => format!("Worse: {now}"),
        AlertChange::Repeated | AlertChange::ToldLate => format!("Still: {now}"),
        AlertChange::Resolved => over(notice),
    }
}

fn name(notice: &Notice) -> String {
    format!("“{}”", visible_within(&notice.subject.name))
}

fn sentence(notice: &Notice) -> String {
    let Notice { figure, limit, .. } = notice;
    match &notice.signal {
        Signal::DeadLetters { measure: Measure::Rate, .. } => {
            format!("{figure} dead letters in a minute (limit {limit})")
        }
        Signal::DeadLetters { measure: Measure::Count, minutes } => {
            format!("{figure} dead letters in {minutes} min (limit {limit})")
        }
        Signal::Depth => format!("{figure} dead letters of {} wait (limit {limit})", name(notice)),
        Signal::ExecutionTimeouts => {
            format!("{figure} executions timed out in a minute (limit {limit})")
        }
        Signal::ActiveWorkers => match figure {
            0 => "no worker is active".to_owned(),
            _ => format!("only {figure} workers are active (limit {limit})"),
        },
        Signal::StuckExecutions { seconds } => {
            let seconds = length(i64::from(*seconds));
            format!("{} scheduled for more than {seconds}", executions(*figure))
        }
        Signal::QueueWithoutConsumer => {
            format!("the queue {} has had no consumer for {}", name(notice), minutes(*figure))
        }
        Signal::RetriesExhausted => match &*notice.subject.name {
            "" => format!("{} given up by a retry policy", letters(*figure)),
            _ => format!("{} given up by the retry policy {}", letters(*figure), name(notice)),
        },
        Signal::IntakeStalled => {
            format!(
                "nothing has been taken for the source {} for {}",
                name(notice),
                minutes(*figure)
            )
        }
        Signal::UndecodableHead => {
            format!("a message at the head of {} cannot be read", name(notice))
        }
        Signal::SourceTakesNothing => {
            format!("the source {} takes nothing: its queue would lose letters", name(notice))
        }
        Signal::BrokerAway => format!("the broker {} does not answer", name(notice)),
        Signal::NewGroup => {
            format!("a new failure: {}, {}", name(notice), waiting(*figure))
        }
        Signal::RegressedGroup => {
            format!("a failure is back: {}, {}", name(notice), waiting(*figure))
        }
    }
}

fn over(notice: &Notice) -> String {
    let lasted = minutes((notice.at - notice.since).num_seconds());
    let what = match &*notice.subject.name {
        "" => String::new(),
        _ => format!(" of {}", name(notice)),
    };
    format!("Over after {lasted}: {}{what}", visible_within(&notice.rule_name))
}

fn letters(count: i64) -> String {
    match count {
        1 => "1 letter was".to_owned(),
        count => format!("{count} letters were"),
    }
}

fn waiting(count: i64) -> String {
    match count {
        1 => "1 letter waits".to_owned(),
        count => format!("{count} letters wait"),
    }
}

fn executions(count: i64) -> String {
    match count {
        1 => "1 execution is".to_owned(),
        count => format!("{count} executions are"),
    }
}

/// A time as a person says it: seconds up to two minutes, then minutes, then hours and minutes.
fn minutes(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}
