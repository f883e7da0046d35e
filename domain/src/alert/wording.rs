//! What an alert says, and what a rule asks, in a sentence.

use super::rule::NewAlertRule;
use super::signal::{Measure, Signal};
use crate::filter::length;
use crate::visible_text::visible_within;

/// What is the matter: the figure, of what, and the limit where that says something. `subject` is what the thing
/// is called, and anybody's text.
#[must_use]
pub fn says(signal: &Signal, limit: i64, figure: i64, subject: &str) -> String {
    let name = format!("“{}”", visible_within(subject));
    match signal {
        Signal::DeadLetters { filter, measure, minutes } => {
            let of = of(filter);
            match measure {
                Measure::Rate => {
                    format!("{}{of} in a minute (limit {limit})", dead_letters(figure))
                }
                Measure::Count => {
                    format!("{}{of} in {minutes} min (limit {limit})", dead_letters(figure))
                }
                Measure::Ratio => format!(
                    "{figure} % of the dead letters of {minutes} min are those{of} (limit {limit} %)"
                ),
            }
        }
        Signal::OldestLetter { filter } => {
            let of = of(filter);
            format!("the oldest letter{of} has waited for {}", lasting(figure))
        }
        Signal::Depth => format!("{figure} dead letters of {name} wait (limit {limit})"),
        Signal::ExecutionTimeouts => {
            format!("{figure} executions timed out in a minute (limit {limit})")
        }
        Signal::ActiveWorkers => match figure {
            0 => "no worker is active".to_owned(),
            _ => format!("only {figure} workers are active (limit {limit})"),
        },
        Signal::StuckExecutions { seconds } => {
            let seconds = length(i64::from(*seconds));
            format!("{} scheduled for more than {seconds}", executions(figure))
        }
        Signal::QueueWithoutConsumer => {
            format!("the queue {name} has had no consumer for {}", lasting(figure))
        }
        Signal::RetriesExhausted => match subject {
            "" => format!("{} given up by a retry policy", letters(figure)),
            _ => format!("{} given up by the retry policy {name}", letters(figure)),
        },
        Signal::IntakeStalled => {
            format!("nothing has been taken for the source {name} for {}", lasting(figure))
        }
        Signal::UndecodableHead => format!("a message at the head of {name} cannot be read"),
        Signal::SourceTakesNothing => {
            format!("the source {name} takes nothing: its queue would lose letters")
        }
        Signal::BrokerAway => format!("the broker {name} does not answer"),
        Signal::ChannelFailing => {
            format!("the channel {name} accepts nothing: its messages wait")
        }
        Signal::NewGroup => format!("a new failure: {name}, {}", waiting(figure)),
        Signal::RegressedGroup => format!("a failure is back: {name}, {}", waiting(figure)),
    }
}

/// When a rule makes an alert: `more than 10 dead letters in a minute, for 30 s`.
#[must_use]
pub fn asks(rule: &NewAlertRule) -> String {
    let limit = rule.limit;
    let asked = match &rule.signal {
        Signal::DeadLetters { filter, measure, minutes } => {
            let of = of(filter);
            match measure {
                Measure::Rate if *minutes == 1 => {
                    format!("more than {limit} dead letters{of} in a minute")
                }
                Measure::Rate => {
                    format!(
                        "more than {limit} dead letters{of} in any of the last {minutes} minutes"
                    )
                }
                Measure::Count => format!("more than {limit} dead letters{of} in {minutes} min"),
                Measure::Ratio => format!(
                    "more than {limit} % of the dead letters of {minutes} min are those{of}"
                ),
            }
        }
        Signal::OldestLetter { filter } => {
            format!("a letter{} waits for {}", of(filter), lasting(limit))
        }
        Signal::Depth => format!(
            "more than {limit} dead letters of a source wait, here and in its queue together"
        ),
        Signal::ExecutionTimeouts => format!("more than {limit} executions time out in a minute"),
        Signal::ActiveWorkers if limit == 1 => "no worker is active".to_owned(),
        Signal::ActiveWorkers => format!("fewer than {limit} workers are active"),
        Signal::StuckExecutions { seconds } => {
            let seconds = lasting(i64::from(*seconds));
            format!("{} been scheduled for {seconds}", some(limit, "execution", "has", "have"))
        }
        Signal::QueueWithoutConsumer => {
            format!("a queue has had no consumer for {}", lasting(limit))
        }
        Signal::RetriesExhausted => {
            format!("{} that a retry policy gave up", some(limit, "letter", "waits", "wait"))
        }
        Signal::IntakeStalled => format!("a source takes nothing for {}", lasting(limit)),
        Signal::UndecodableHead => {
            format!("a message at the head of a queue cannot be read for {}", lasting(limit))
        }
        Signal::SourceTakesNothing => format!(
            "a source has taken nothing for {}, since its queue would lose letters",
            lasting(limit)
        ),
        Signal::BrokerAway => format!("a broker does not answer for {}", lasting(limit)),
        Signal::ChannelFailing => format!("a channel accepts nothing for {}", lasting(limit)),
        Signal::NewGroup => {
            format!(
                "{} of a group that came up in the last day",
                some(limit, "letter", "waits", "wait")
            )
        }
        Signal::RegressedGroup => {
            format!("{} of a group that was resolved", some(limit, "letter", "waits", "wait"))
        }
    };
    match rule.pending_seconds {
        0 => asked,
        seconds => format!("{asked}, for {}", lasting(i64::from(seconds))),
    }
}

/// ` of “queue:payments”`, or nothing where it is all of them.
fn of(filter: &str) -> String {
    match filter {
        "" => String::new(),
        filter => format!(" of “{}”", visible_within(filter)),
    }
}

/// `a letter waits`, `more than 10 letters wait`.
fn some(limit: i64, noun: &str, is: &str, are: &str) -> String {
    match limit {
        0 if noun.starts_with('e') => format!("an {noun} {is}"),
        0 => format!("a {noun} {is}"),
        limit => format!("more than {limit} {noun}s {are}"),
    }
}

/// A time as a person says it: seconds up to two minutes, then minutes, then hours and minutes.
#[must_use]
pub fn lasting(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds if seconds % 3_600 < 60 => format!("{} h", seconds / 3_600),
        seconds => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

fn dead_letters(count: i64) -> String {
    match count {
        1 => "1 dead letter".to_owned(),
        count => format!("{count} dead letters"),
    }
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
