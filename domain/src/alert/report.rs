//! Alerts as pages and programs read them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::life::{AlertChange, AlertState};
use super::rule::BuiltIn;
use super::signal::Signal;
use super::silence::Silence;
use super::subject::AlertSubject;
use crate::ids::{AlertId, AlertRuleId, ChannelId};
use crate::severity::Severity;

/// An alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Alert {
    /// Its id.
    pub id: AlertId,
    /// The rule.
    pub rule: AlertRuleId,
    /// The rule's name.
    pub rule_name: String,
    /// Which of the rules it is that every office comes with, if it is one.
    pub built_in: Option<BuiltIn>,
    /// What is the matter, in a sentence; of one that is over, what was at its worst.
    pub says: String,
    /// What the rule watches.
    pub signal: Signal,
    /// The rule's limit, in the unit of its signal.
    pub limit: i64,
    /// What it is about.
    pub subject: AlertSubject,
    /// Where it stands.
    pub state: AlertState,
    /// How bad it is.
    pub severity: Severity,
    /// The figure that was seen last, in the unit of the rule's signal.
    pub figure: i64,
    /// The one that was furthest beyond the limit.
    pub worst: i64,
    /// Since when it is beyond its limit.
    pub since: DateTime<Utc>,
    /// Since when it is an alert; absent while it is pending.
    pub fired_at: Option<DateTime<Utc>>,
    /// When a channel took a message about it last; absent while none has.
    pub told_at: Option<DateTime<Utc>>,
    /// Nobody is told again until the figure is above this.
    pub muted_until_above: Option<i64>,
    /// Who looks into it.
    pub acknowledged_by: Option<String>,
    /// Since when.
    pub acknowledged_at: Option<DateTime<Utc>>,
    /// When it was over.
    pub resolved_at: Option<DateTime<Utc>>,
}

/// What happened to an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlertEventKind {
    /// It is an alert from now on.
    Fired,
    /// It became worse than when it was told.
    Worsened,
    /// Sent again.
    Repeated,
    /// It was told once nothing kept it from being told.
    ToldLate,
    /// It is over.
    Resolved,
    /// Its rule was removed or switched off: whether it is over is not known.
    Unwatched,
    /// Somebody said that they look into it.
    Acknowledged,
    /// Somebody did not want to hear of it for a time, or until it is worse.
    Muted,
}

impl AlertEventKind {
    /// What happened by itself.
    #[must_use]
    pub fn of_change(change: AlertChange) -> Self {
        match change {
            AlertChange::Fired => Self::Fired,
            AlertChange::Worsened => Self::Worsened,
            AlertChange::Repeated => Self::Repeated,
            AlertChange::ToldLate => Self::ToldLate,
            AlertChange::Resolved => Self::Resolved,
            AlertChange::Unwatched => Self::Unwatched,
        }
    }
}

/// One thing that happened to an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertEvent {
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub what: AlertEventKind,
    /// Who did it, if it was somebody.
    pub by: Option<String>,
    /// How bad it was then.
    pub severity: Severity,
    /// The figure then.
    pub figure: i64,
}

/// What a channel was told, or is to be told, of an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertTold {
    /// The channel.
    pub channel: ChannelId,
    /// What it is called.
    pub channel_name: String,
    /// Last message.
    pub change: AlertChange,
    /// Since when it is to be told.
    pub at: DateTime<Utc>,
    /// When it took it; absent while it has not.
    pub sent_at: Option<DateTime<Utc>>,
}

/// An alert with its course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertDetail {
    /// The alert.
    #[serde(flatten)]
    pub alert: Alert,
    /// What is known around it, the most important first: the last error, the likely cause, what worked before.
    pub facts: Vec<AlertFact>,
    /// What happened to it, the first first; the last 200.
    pub events: Vec<AlertEvent>,
    /// Who was told what, the first first; the last 200.
    pub told: Vec<AlertTold>,
    /// The silences that keep it from being told.
    pub silences: Vec<Silence>,
}

/// Something that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertFact {
    /// Our word for it: `last error`, `likely cause`, `a replay now`.
    pub label: String,
    /// The text, which may come from outside.
    pub text: String,
}

/// How many alerts fire, for whoever shows it on every page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Firing {
    /// How many of which nobody has said that they look into it.
    pub count: i64,
    /// How bad the worst of them is.
    pub worst: Option<Severity>,
}
