//! What people and programs are told of alerts: the words, and how each service wants them.
//!
//! Whatever came from a broker (names of queues, error texts) is anybody's text. It is told in elements that
//! have no format, with characters that nobody sees replaced by marks, and cut at a character that a person sees.

mod causes;
mod pace;
mod slack;
mod teams;
mod text;
mod webhook;
mod wording;

use chrono::{DateTime, Utc};

use crate::alert::{AlertChange, AlertSubject, BuiltIn, Signal};
use crate::ids::{AlertId, AlertRuleId};
use crate::severity::Severity;

pub use causes::{Surroundings, Worked};
pub use pace::Pace;
pub use slack::{slack, slack_shortly};
pub use teams::{teams, teams_shortly};
pub use webhook::webhook;
pub use wording::headline;

/// What is told of one alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The alert.
    pub alert: AlertId,
    /// What happened to it last.
    pub change: AlertChange,
    /// When.
    pub at: DateTime<Utc>,
    /// Its rule.
    pub rule: AlertRuleId,
    /// What its rule is called.
    pub rule_name: String,
    /// Which of the rules it is that every office comes with, if it is one.
    pub built_in: Option<BuiltIn>,
    /// What the rule watches.
    pub signal: Signal,
    /// The rule's limit.
    pub limit: i64,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub subject: AlertSubject,
    /// The figure.
    pub figure: i64,
    /// Since when.
    pub since: DateTime<Utc>,
    /// What else is known, the most important first.
    pub facts: Vec<Fact>,
    /// Where something can be done about it, the most important first.
    pub buttons: Vec<Button>,
}

/// Something that is known: `last error`, `worker w1 is silent since 14:02`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Our word for it.
    pub label: &'static str,
    /// The text, which may come from outside.
    pub text: String,
}

/// A button that is a link: it leads to a page that says what it will do, and asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What is on it.
    pub label: &'static str,
    /// Where it leads.
    pub url: String,
}

/// What is told at once: one alert, or all that came up while nothing could be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The alerts, the worst first; at least one.
    pub notices: Vec<Notice>,
    /// Where all alerts are listed.
    pub list_url: String,
}

#[cfg(test)]
mod tests;
