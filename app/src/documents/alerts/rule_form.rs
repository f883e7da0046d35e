//! The form of an alert rule: what stands in its fields, read and written.

use dlo_domain::alert::{Measure, NewAlertRule, Signal, Unit};
use dlo_domain::filter::length as written;
use dlo_domain::ids::AlertRuleId;
use dlo_domain::severity::Severity;
use leptos_router::params::ParamsMap;
use serde::{Deserialize, Serialize};

use crate::documents::reading::{chosen, length, length_or_none, number};
use crate::error::ApiError;
use crate::links;

/// What stands in the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AlertRuleForm {
    /// What the rule is called.
    pub(crate) name: String,
    /// The limit: a number, or a length of time.
    pub(crate) limit: String,
    /// `count` or `rate`, of a rule about dead letters.
    pub(crate) measure: String,
    /// The window of a rule about dead letters; the age of one about executions.
    pub(crate) window: String,
    /// How bad it is; empty, as bad as its letters.
    pub(crate) severity: String,
    /// For how long the figure must be beyond the limit.
    pub(crate) pending: String,
    /// For how long it must be back.
    pub(crate) clearing: String,
    /// After what time it is told again.
    pub(crate) repeat: String,
    /// `yes` while it is evaluated.
    pub(crate) enabled: String,
}

fn time(seconds: u32) -> String {
    written(i64::from(seconds))
}

impl AlertRuleForm {
    /// The fields of a rule that is kept.
    pub(crate) fn of(rule: &NewAlertRule) -> Self {
        let (measure, window) = match rule.signal {
            Signal::DeadLetters { measure, minutes } => (measure.as_str(), time(minutes * 60)),
            Signal::StuckExecutions { seconds } => ("", time(seconds)),
            _ => ("", String::new()),
        };
        let limit = match rule.signal.unit() {
            Unit::Seconds => written(rule.limit),
            Unit::Things | Unit::PerMinute => rule.limit.to_string(),
        };
        Self {
            name: rule.name.clone(),
            limit,
            measure: measure.to_owned(),
            window,
            severity: rule.severity.map(|severity| severity.to_string()).unwrap_or_default(),
            pending: time(rule.pending_seconds),
            clearing: time(rule.clearing_seconds),
            repeat: time(rule.repeat_seconds),
            enabled: if rule.enabled { "yes" } else { "" }.to_owned(),
        }
    }

    /// The rule that is written, which watches what `signal` does.
    pub(crate) fn read(&self, signal: Signal) -> Result<NewAlertRule, ApiError> {
        let signal = match signal {
            Signal::DeadLetters { measure, .. } => {
                let mut measures = Measure::ALL.into_iter();
                let asked = measures.find(|one| one.as_str() == self.measure);
                let minutes = length(&self.window)?.div_ceil(60);
                Signal::DeadLetters { measure: asked.unwrap_or(measure), minutes }
            }
            Signal::StuckExecutions { .. } => {
                Signal::StuckExecutions { seconds: length(&self.window)? }
            }
            other => other,
        };
        let limit = match signal.unit() {
            Unit::Seconds => i64::from(length_or_none(&self.limit)?),
            Unit::Things | Unit::PerMinute => number(&self.limit)?,
        };
        let severity = chosen(&self.severity).map(str::parse::<Severity>).transpose();
        Ok(NewAlertRule {
            name: self.name.clone(),
            limit,
            severity: severity.map_err(|why| ApiError::invalid(why.to_string()))?,
            pending_seconds: length_or_none(&self.pending)?,
            clearing_seconds: length_or_none(&self.clearing)?,
            repeat_seconds: length_or_none(&self.repeat)?,
            enabled: self.enabled == "yes",
            signal,
        })
    }

    fn fields(&self) -> [(&'static str, &str); 9] {
        [
            ("name", &self.name),
            ("limit", &self.limit),
            ("measure", &self.measure),
            ("window", &self.window),
            ("severity", &self.severity),
            ("pending", &self.pending),
            ("clearing", &self.clearing),
            ("repeat", &self.repeat),
            ("enabled", &self.enabled),
        ]
    }

    /// The page of the form with what is written in it.
    pub(crate) fn address(&self, id: AlertRuleId) -> String {
        let page = links::alert_rule(id);
        links::with_query(&page, [("written", "yes")].into_iter().chain(self.fields()))
    }

    /// What the address of the form's page says was written; nothing when it says nothing.
    pub(crate) fn of_address(query: &ParamsMap) -> Option<Self> {
        query.get("written")?;
        let of = |name| query.get(name).unwrap_or_default();
        Some(Self {
            name: of("name"),
            limit: of("limit"),
            measure: of("measure"),
            window: of("window"),
            severity: of("severity"),
            pending: of("pending"),
            clearing: of("clearing"),
            repeat: of("repeat"),
            enabled: of("enabled"),
        })
    }
}
