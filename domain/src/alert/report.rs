//! Alerts as pages and programs read them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::life::AlertState;
use super::rule::BuiltIn;
use super::subject::AlertSubject;
use crate::ids::{AlertId, AlertRuleId};
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
    /// When somebody was told last; absent while nobody is to be told.
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
