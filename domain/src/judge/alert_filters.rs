//! Which alert rules count a letter.

use crate::alert::{self, AlertRule, AlertRuleFault, Signal};
use crate::filter::{Facts, LetterFilter};
use crate::ids::AlertRuleId;

/// The filters of alert rules that ask for letters.
#[derive(Debug, Clone, Default)]
pub(super) struct AlertFilters {
    arrivals: Vec<(AlertRuleId, LetterFilter)>,
    waiting: Vec<(AlertRuleId, LetterFilter)>,
}

/// The alert rules whose filter holds for a letter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertMatches {
    /// Those that count letters as they arrive.
    pub arrivals: Vec<AlertRuleId>,
    /// Those that ask for how long a letter waits.
    pub waiting: Vec<AlertRuleId>,
}

impl AlertFilters {
    /// Adds a rule. What is about all letters as they arrive is counted already.
    pub(super) fn add(&mut self, rule: &AlertRule) -> Result<(), AlertRuleFault> {
        let signal = &rule.rule.signal;
        let into = match signal {
            Signal::DeadLetters { filter, .. } if filter.is_empty() => return Ok(()),
            Signal::DeadLetters { .. } => &mut self.arrivals,
            Signal::OldestLetter { .. } => &mut self.waiting,
            _ => return Ok(()),
        };
        into.push((rule.id, alert::condition(signal)?));
        Ok(())
    }

    /// The rules that count this letter.
    pub(super) fn of(&self, facts: &Facts<'_>) -> AlertMatches {
        AlertMatches { arrivals: holding(&self.arrivals, facts), waiting: self.waiting(facts) }
    }

    /// The rules that ask for how long this letter waits.
    pub(super) fn waiting(&self, facts: &Facts<'_>) -> Vec<AlertRuleId> {
        holding(&self.waiting, facts)
    }

    /// The conditions of rules that ask for how long letters wait.
    pub(super) fn of_waiting(&self) -> impl Iterator<Item = &LetterFilter> {
        self.waiting.iter().map(|(_, condition)| condition)
    }
}

fn holding(rules: &[(AlertRuleId, LetterFilter)], facts: &Facts<'_>) -> Vec<AlertRuleId> {
    let holding = rules.iter().filter(|(_, condition)| super::holds(condition, facts));
    holding.map(|(rule, _)| *rule).collect()
}
