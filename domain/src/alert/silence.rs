//! Silences: nobody is told of some alerts until a time. What is silenced is shown all the same.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::subject::AlertSubject;
use crate::ids::{AlertRuleId, GroupId, SilenceId, SourceId};

/// The longest reason, in characters.
pub const MOST_REASON_CHARS: usize = 500;

/// The longest silence: one that nobody remembers hides what happens.
const LONGEST: TimeDelta = TimeDelta::days(31);

/// Which alerts are silenced: those that are all of what is named. Where nothing is named, all are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SilenceScope {
    /// Those of a rule.
    pub rule: Option<AlertRuleId>,
    /// Those about one thing of that rule: the `key` of an alert's subject.
    pub thing: Option<String>,
    /// Those about a source.
    pub source: Option<SourceId>,
    /// Those about a group.
    pub group: Option<GroupId>,
}

impl SilenceScope {
    /// Whether an alert of this rule about this subject is silenced.
    #[must_use]
    pub fn holds(&self, rule: AlertRuleId, subject: &AlertSubject) -> bool {
        self.rule.is_none_or(|own| own == rule)
            && self.thing.as_ref().is_none_or(|own| *own == subject.key)
            && (self.source.is_none() || self.source == subject.source)
            && (self.group.is_none() || self.group == subject.group)
    }

    /// All that an alert may say of its subject again: whatever there is of its group, else of the same thing by
    /// the same rule.
    #[must_use]
    pub fn of_alert(rule: AlertRuleId, subject: &AlertSubject) -> Self {
        match subject.group {
            Some(group) => Self { group: Some(group), ..Self::default() },
            None => Self { rule: Some(rule), thing: Some(subject.key.clone()), ..Self::default() },
        }
    }
}

/// A silence as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSilence {
    /// Which alerts.
    #[serde(default)]
    pub scope: SilenceScope,
    /// Until when, at most 31 days from now.
    pub until: DateTime<Utc>,
    /// Why.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 500))]
    pub reason: String,
}

/// A silence that cannot be used as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SilenceFault {
    /// It has no reason, or one that is too long.
    #[error(
        "a silence has a reason of 1 to {MOST_REASON_CHARS} characters, so that others know what it is for"
    )]
    Reason,
    /// It names a thing and not whose.
    #[error("a silence with `key` needs `rule` as well")]
    Thing,
    /// It ends in the past, or too late.
    #[error("a silence ends within {} days, and not in the past", LONGEST.num_days())]
    Until,
}

impl NewSilence {
    /// Checks all of it; gives it back with its reason trimmed.
    ///
    /// # Errors
    /// `SilenceFault` when some part of it will not do.
    pub fn checked(&self, now: DateTime<Utc>) -> Result<Self, SilenceFault> {
        let reason = self.reason.trim();
        if !(1..=MOST_REASON_CHARS).contains(&reason.chars().count()) {
            return Err(SilenceFault::Reason);
        }
        if self.scope.thing.is_some() && self.scope.rule.is_none() {
            return Err(SilenceFault::Thing);
        }
        if self.until <= now || self.until - now > LONGEST {
            return Err(SilenceFault::Until);
        }
        Ok(Self { reason: reason.to_owned(), ..self.clone() })
    }
}

/// A silence that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Silence {
    /// Its id.
    pub id: SilenceId,
    /// Which alerts.
    pub scope: SilenceScope,
    /// Since when.
    pub since: DateTime<Utc>,
    /// Until when.
    pub until: DateTime<Utc>,
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
}
