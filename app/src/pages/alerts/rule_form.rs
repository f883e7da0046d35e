//! The form of an alert rule: what stands in its fields, read and written.

use dlo_domain::alert::{BuiltIn, Measure, NewAlertRule, Signal, Unit};
use dlo_domain::filter::length as written;
use dlo_domain::ids::AlertRuleId;
use dlo_domain::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::links;
use crate::pages::reading::{chosen, length, length_or_none, number};
use crate::query::Query;
use crate::visible::show_within;

/// What stands in the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AlertRuleForm {
    /// What the rule is called.
    pub(crate) name: String,
    /// The limit: a number, or a length of time.
    pub(crate) limit: String,
    /// `count`, `rate`, `ratio` or `age`, of a rule about dead letters.
    pub(crate) measure: String,
    /// Which dead letters it is about.
    pub(crate) filter: String,
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

/// The measure of how long the oldest letter waits.
pub(super) const AGE: &str = "age";

/// The window of a rule that nobody has chosen one for, in seconds.
const USUAL_WINDOW: u32 = 600;

fn time(seconds: u32) -> String {
    written(i64::from(seconds))
}

impl AlertRuleForm {
    /// The fields of a rule that is not there yet.
    pub(crate) fn usual() -> Self {
        let signal = Signal::DeadLetters {
            filter: String::new(),
            measure: Measure::Count,
            minutes: USUAL_WINDOW / 60,
        };
        let rule = BuiltIn::DeadLetterRate.rule();
        Self::of(&NewAlertRule { name: String::new(), signal, ..rule })
    }

    /// The fields of a rule that is kept.
    pub(crate) fn of(rule: &NewAlertRule) -> Self {
        let (measure, window) = match rule.signal {
            Signal::DeadLetters { measure, minutes, .. } => (measure.as_str(), time(minutes * 60)),
            Signal::OldestLetter { .. } => (AGE, time(USUAL_WINDOW)),
            Signal::StuckExecutions { seconds } => ("", time(seconds)),
            _ => ("", String::new()),
        };
        let limit = match rule.signal.unit() {
            Unit::Seconds => written(rule.limit),
            Unit::Things | Unit::PerMinute | Unit::Percent => rule.limit.to_string(),
        };
        Self {
            name: rule.name.clone(),
            limit,
            measure: measure.to_owned(),
            filter: rule.signal.filter().unwrap_or_default().to_owned(),
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
            Signal::DeadLetters { .. } | Signal::OldestLetter { .. } => self.read_letters()?,
            Signal::StuckExecutions { .. } => {
                Signal::StuckExecutions { seconds: length(&self.window)? }
            }
            other => other,
        };
        let limit = match signal.unit() {
            Unit::Seconds => i64::from(length_or_none(&self.limit)?),
            Unit::Things | Unit::PerMinute | Unit::Percent => {
                number(self.limit.trim().trim_end_matches('%'))?
            }
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

    /// Which dead letters are watched, and how.
    fn read_letters(&self) -> Result<Signal, ApiError> {
        let filter = self.filter.clone();
        if self.measure == AGE {
            return Ok(Signal::OldestLetter { filter });
        }
        let mut measures = Measure::ALL.into_iter();
        let measure = measures.find(|one| one.as_str() == self.measure).ok_or_else(|| {
            ApiError::invalid(format!("“{}” is not a measure.", show_within(&self.measure)))
        })?;
        let minutes = length(&self.window)?.div_ceil(60);
        Ok(Signal::DeadLetters { filter, measure, minutes })
    }

    fn fields(&self) -> [(&'static str, &str); 10] {
        [
            ("name", &self.name),
            ("limit", &self.limit),
            ("measure", &self.measure),
            ("filter", &self.filter),
            ("window", &self.window),
            ("severity", &self.severity),
            ("pending", &self.pending),
            ("clearing", &self.clearing),
            ("repeat", &self.repeat),
            ("enabled", &self.enabled),
        ]
    }

    /// The page of the form with what is written in it; of a new rule without an id.
    pub(crate) fn address(&self, id: Option<AlertRuleId>) -> String {
        let page = id.map_or_else(|| links::NEW_ALERT_RULE.to_owned(), links::alert_rule);
        links::with_query(&page, [("written", "yes")].into_iter().chain(self.fields()))
    }

    /// What the address of the form's page says was written; nothing when it says nothing.
    pub(crate) fn of_address(query: &Query) -> Option<Self> {
        query.get("written")?;
        let of = |name| query.get(name).unwrap_or_default();
        Some(Self {
            name: of("name"),
            limit: of("limit"),
            measure: of("measure"),
            filter: of("filter"),
            window: of("window"),
            severity: of("severity"),
            pending: of("pending"),
            clearing: of("clearing"),
            repeat: of("repeat"),
            enabled: of("enabled"),
        })
    }
}
