//! Which alert rules count a letter, by their counters.

use crate::alert::{self, AlertRuleFault, Signal};
use crate::filter::{Facts, LetterFilter};
use crate::ids::AlertCounterId;

/// The filters of alert rules that ask for letters.
#[derive(Debug, Clone, Default)]
pub(super) struct AlertFilters {
    arrivals: Vec<(AlertCounterId, LetterFilter)>,
    waiting: Vec<(AlertCounterId, LetterFilter)>,
}

/// The counters of the alert rules whose filter holds for a letter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertMatches {
    /// Those that count letters as they arrive.
    pub arrivals: Vec<AlertCounterId>,
    /// Those that ask for how long a letter waits.
    pub waiting: Vec<AlertCounterId>,
}

impl AlertFilters {
    /// Adds what a rule watches. What is about all letters as they arrive is counted already.
    pub(super) fn add(
        &mut self,
        counter: AlertCounterId,
        signal: &Signal,
    ) -> Result<(), AlertRuleFault> {
        let into = match signal {
            Signal::DeadLetters { filter, .. } if filter.is_empty() => return Ok(()),
            Signal::DeadLetters { .. } => &mut self.arrivals,
            Signal::OldestLetter { .. } => &mut self.waiting,
            _ => return Ok(()),
        };
        into.push((counter, alert::condition(signal)?));
        Ok(())
    }

    /// The counters of this letter.
    pub(super) fn of(&self, facts: &Facts<'_>) -> AlertMatches {
        AlertMatches { arrivals: holding(&self.arrivals, facts), waiting: self.waiting(facts) }
    }

    /// The counters of those that ask for how long this letter waits.
    pub(super) fn waiting(&self, facts: &Facts<'_>) -> Vec<AlertCounterId> {
        holding(&self.waiting, facts)
    }

    /// The conditions of those that ask for how long letters wait.
    pub(super) fn of_waiting(&self) -> impl Iterator<Item = &LetterFilter> {
        self.waiting.iter().map(|(_, condition)| condition)
    }
}

fn holding(filters: &[(AlertCounterId, LetterFilter)], facts: &Facts<'_>) -> Vec<AlertCounterId> {
    let holding = filters.iter().filter(|(_, condition)| super::holds(condition, facts));
    holding.map(|(counter, _)| *counter).collect()
}
