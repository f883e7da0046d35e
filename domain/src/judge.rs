//! Judges letters by rules: how bad each is, and what it has in common with others.
//!
//! A judge is made of the rules of one revision, read and compiled once. What it says follows
//! from the rules and the letter alone, so that every office says the same, when a letter arrives
//! and when it is judged again.

mod alert_filters;

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::alert::{AlertRuleFault, Signal};
use crate::arrival::Delivered;
use crate::decoding::MessageTypes;
use crate::filter::{Facts, Field, LetterFilter, Subject};
use crate::grouping::{self, Masker, Shared, Signature};
use crate::ids::{AlertCounterId, RuleId};
use crate::reading::Reading;
use crate::rule::{NewRule, Rule, RuleFault, Verdict};
use crate::severity::Severity;

pub use alert_filters::AlertMatches;

/// What a letter is that no rule names.
pub const UNNAMED: Severity = Severity::Normal;

/// The rules of one revision, ready to be asked. The default has none, and the revision 0.
#[derive(Debug, Clone, Default)]
pub struct Judge {
    revision: i64,
    severity: Vec<(LetterFilter, Severity)>,
    grouping: Vec<grouping::Rule<LetterFilter>>,
    alert_filters: alert_filters::AlertFilters,
    types: Arc<MessageTypes>,
    left_out: Vec<LeftOut>,
}

/// A rule that is in the book and cannot be used; the others are asked all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The rule.
    pub id: RuleId,
    /// Its name.
    pub name: String,
    /// What this program cannot read of it.
    pub why: String,
    /// When it was written.
    pub since: DateTime<Utc>,
}

/// What rules say of a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How bad it is.
    pub severity: Severity,
    /// What it has in common with others that failed alike.
    pub signature: Signature,
    /// Which alert rules count it.
    pub alert_matches: AlertMatches,
}

/// A letter before its judge.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// What conditions are asked of. Its state, severity and groups are not looked at.
    pub facts: Facts<'a>,
    /// The last arrival, read.
    pub reading: &'a Reading,
    /// The last arrival.
    pub delivered: &'a Delivered,
}

impl Judge {
    /// A judge of these rules, in the order of asking; `left_out` could not even be read as rules.
    #[must_use]
    pub fn new<'a>(
        revision: i64,
        rules: impl IntoIterator<Item = &'a Rule>,
        left_out: Vec<LeftOut>,
    ) -> Self {
        let mut judge = Self { revision, left_out, ..Self::default() };
        for rule in rules.into_iter().filter(|rule| rule.rule.enabled) {
            if let Err(fault) = judge.add(&rule.rule) {
                judge.left_out.push(LeftOut {
                    id: rule.id,
                    name: rule.rule.name.clone(),
                    why: fault.to_string(),
                    since: rule.changed_at,
                });
            }
        }
        judge
    }

    /// A judge that asks this rule, enabled or not, before all others of its kind: a preview's.
    ///
    /// # Errors
    /// `RuleFault` when the rule cannot be used.
    pub fn with_first(&self, rule: &NewRule) -> Result<Self, RuleFault> {
        let mut first = Self { revision: self.revision, ..Self::default() };
        first.types = self.types.clone();
        first.add(rule)?;
        first.severity.extend(self.severity.iter().cloned());
        first.grouping.extend(self.grouping.iter().cloned());
        Ok(first)
    }

    /// Has it say which letters are counted for an alert rule, too.
    ///
    /// # Errors
    /// `AlertRuleFault` when its filter cannot be used: then nothing is counted for it.
    pub fn count(
        &mut self,
        counter: AlertCounterId,
        signal: &Signal,
    ) -> Result<(), AlertRuleFault> {
        self.alert_filters.add(counter, signal)
    }

    fn add(&mut self, rule: &NewRule) -> Result<(), RuleFault> {
        let condition = rule.condition()?;
        match &rule.verdict {
            Verdict::Severity(severity) => self.severity.push((condition, *severity)),
            Verdict::Grouping(outcome) => {
                let rule = grouping::Rule::new(condition, outcome)?;
                self.grouping.push(rule);
            }
        }
        Ok(())
    }

    /// The same that knows these message types while it reads.
    #[must_use]
    pub fn with_types(self, types: Arc<MessageTypes>) -> Self {
        Self { types, ..self }
    }

    /// The message types that are known.
    #[must_use]
    pub fn types(&self) -> &Arc<MessageTypes> {
        &self.types
    }

    /// The revision of the rules.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// Rules that cannot be used, and why.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Judges a letter.
    #[must_use]
    pub fn judge(&self, case: &Case<'_>, masker: &mut Masker) -> Judgement {
        let severity = self.severity(&case.facts);
        Judgement {
            severity,
            signature: self.signature(case, masker),
            alert_matches: self.alert_filters.of(&Facts { severity, ..case.facts }),
        }
    }

    /// Whether an alert rule asks for how long letters wait.
    #[must_use]
    pub fn measures_waiting(&self) -> bool {
        self.alert_filters.of_waiting().next().is_some()
    }

    /// The counters of the alert rules that ask for how long a letter of this severity waits.
    #[must_use]
    pub fn waiting_counters(&self, facts: &Facts<'_>, severity: Severity) -> Vec<AlertCounterId> {
        self.alert_filters.waiting(&Facts { severity, ..*facts })
    }

    /// How bad a letter is: the first rule that holds decides.
    #[must_use]
    pub fn severity(&self, facts: &Facts<'_>) -> Severity {
        let mut rules = self.severity.iter();
        rules
            .find(|(condition, _)| holds(condition, facts))
            .map_or(UNNAMED, |(_, severity)| *severity)
    }

    /// What a letter has in common with others that failed alike.
    #[must_use]
    pub fn signature(&self, case: &Case<'_>, masker: &mut Masker) -> Signature {
        // Only an error's text can share values with the body, and most of the work is reading that.
        let shared = match &case.reading.failure.error_message {
            Some(message) => {
                let body = case.facts.extract.and_then(|extract| extract.body.as_ref());
                Shared::of(message, case.delivered, body)
            }
            None => Shared::default(),
        };
        let holds = |condition: &LetterFilter| holds(condition, &case.facts);
        grouping::apply(&self.grouping, holds, case.reading, &shared, masker)
    }

    /// Whether severity, or whether an alert rule waits for a letter, follows from its headers or body, too.
    #[must_use]
    pub fn looks_inside(&self) -> bool {
        let severity = self.severity.iter().map(|(condition, _)| condition);
        let mut conditions = severity.chain(self.alert_filters.of_waiting());
        conditions.any(|condition| asks(condition, |subject| !matches!(subject, Subject::Field(_))))
    }

    /// Whether a rule asks for the name of a letter's source.
    #[must_use]
    pub fn names_sources(&self) -> bool {
        let is_source = |subject: &Subject| *subject == Subject::Field(Field::Source);
        let severity = self.severity.iter().map(|(condition, _)| condition);
        let grouping = self.grouping.iter().map(grouping::Rule::condition);
        severity
            .chain(grouping)
            .chain(self.alert_filters.of_waiting())
            .any(|condition| asks(condition, is_source))
    }
}

/// Whether a rule's condition holds. It asks for no ages, so it does not matter what time it is.
fn holds(condition: &LetterFilter, facts: &Facts<'_>) -> bool {
    condition.matches(facts, DateTime::UNIX_EPOCH)
}

fn asks(condition: &LetterFilter, is_it: impl Fn(&Subject) -> bool) -> bool {
    let mut found = false;
    if let Some(root) = condition.root() {
        root.each_term(&mut |term| found |= is_it(&term.subject));
    }
    found
}

#[cfg(test)]
mod tests;
