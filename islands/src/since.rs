//! What happened since a list was read.

use std::collections::BTreeSet;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::numbers::count;
use dlo_domain::page::Total;

/// What happened since the list was read.
#[derive(Debug, Clone)]
pub(crate) struct Since {
    /// Letters that came, as far as they were counted.
    pub(crate) arrived: Total,
    /// Whether something may have happened that nobody told.
    pub(crate) missed: bool,
    changed: BTreeSet<LetterId>,
}

impl Default for Since {
    fn default() -> Self {
        Self { arrived: Total::exactly(0), missed: false, changed: BTreeSet::new() }
    }
}

impl Since {
    /// Takes note of an event, for a list that shows these letters.
    pub(crate) fn take(&mut self, event: &LiveEvent, shown: &[LetterId]) {
        match event {
            LiveEvent::Changed { letters } | LiveEvent::Exhausted { letters } => {
                self.changed.extend(letters.iter().filter(|id| shown.contains(id)));
            }
            LiveEvent::Missed => self.missed = true,
            _ => {}
        }
    }

    /// What there is to say, if anything.
    pub(crate) fn text(&self) -> Option<String> {
        let new = match (self.arrived.count, self.arrived.is_least) {
            (0, false) => None,
            (0, true) => Some("There may be new ones: read the list again".to_owned()),
            (new, false) => Some(format!("{} new", count(new))),
            (new, true) => Some(format!("{} or more new", count(new))),
        };
        let changed = match self.changed.len() {
            0 => None,
            changed => Some(format!("{changed} changed")),
        };
        match (new, changed) {
            (None, None) if self.missed => Some("This list may be old: read it again".to_owned()),
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(one),
            (Some(new), Some(changed)) => Some(format!("{new}, {changed}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shown_letters_count_as_changed_and_each_once() {
        let [shown, other] = [1, 2].map(|n| LetterId(uuid::Uuid::from_u128(n)));
        let mut since = Since::default();
        assert_eq!(since.text(), None);
        let changed = LiveEvent::Changed { letters: vec![shown, other] };
        since.take(&changed, &[shown]);
        since.take(&changed, &[shown]);
        assert_eq!(since.text().as_deref(), Some("1 changed"));
        since.arrived = Total::exactly(1_204);
        assert_eq!(since.text().as_deref(), Some("1,204 new, 1 changed"));
    }

    #[test]
    fn what_was_missed_is_said_unless_something_better_is_known() {
        let mut since = Since::default();
        since.take(&LiveEvent::Missed, &[]);
        assert_eq!(since.text().as_deref(), Some("This list may be old: read it again"));
        since.arrived = Total::exactly(3);
        assert_eq!(since.text().as_deref(), Some("3 new"));
    }

    #[test]
    fn what_was_not_counted_is_not_named() {
        let text = |arrived| Since { arrived, ..Since::default() }.text();
        assert_eq!(text(Total::at_least(10_000)).as_deref(), Some("10,000 or more new"));
        let unknown = "There may be new ones: read the list again";
        assert_eq!(text(Total::at_least(0)).as_deref(), Some(unknown));
    }
}
