//! Letters that an action does not touch, counted by reason.

use std::collections::BTreeMap;

use dlo_domain::ids::LetterId;
use dlo_domain::replay::LeftOut;
use dlo_domain::state::{Change, LetterState};

/// Letters named as examples of a reason.
const MOST_EXAMPLES: usize = 5;

/// The letters left out so far.
#[derive(Debug, Default)]
pub(crate) struct LeftOutTally(BTreeMap<String, (i64, Vec<LetterId>)>);

impl LeftOutTally {
    /// Counts a letter.
    pub(crate) fn add(&mut self, reason: String, letter: LetterId) {
        let (letters, examples) = self.0.entry(reason).or_default();
        *letters += 1;
        if examples.len() < MOST_EXAMPLES {
            examples.push(letter);
        }
    }

    /// Counts letters that a change found elsewhere than it expects.
    pub(crate) fn add_found(
        &mut self,
        change: Change,
        found: &BTreeMap<Option<LetterState>, Vec<LetterId>>,
    ) {
        for (state, letters) in found {
            for letter in letters {
                self.add(why(change, *state), *letter);
            }
        }
    }

    /// The reasons, the most frequent first.
    pub(crate) fn into_list(self) -> Vec<LeftOut> {
        let mut list: Vec<LeftOut> = self
            .0
            .into_iter()
            .map(|(reason, (letters, examples))| LeftOut {
                reason,
                letters,
                examples,
            })
            .collect();
        list.sort_by_key(|left_out| std::cmp::Reverse(left_out.letters));
        list
    }
}

/// Why a letter in this state (or one that does not exist) is left out.
pub(crate) fn why(change: Change, state: Option<LetterState>) -> String {
    let Some(state) = state else {
        return "there is no such letter".to_owned();
    };
    let text = match (change, state) {
        (Change::Claim, LetterState::Claimed) => "owned by another replay",
        (_, LetterState::Claimed) => "owned by a replay",
        (Change::Claim, LetterState::Replayed) => "is replayed already, and has not come back",
        (Change::Claim, LetterState::Unknown) => {
            "is unknown: its last publish was cut off, so say first whether it happened"
        }
        _ => return format!("is {state}"),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn letters_are_counted_by_reason_with_a_few_examples() {
        let mut tally = LeftOutTally::default();
        let ids: Vec<_> = (0..9).map(|n| LetterId(Uuid::from_u128(n))).collect();
        let found = BTreeMap::from([
            (None, vec![ids[0]]),
            (Some(LetterState::Discarded), ids.clone()),
        ]);
        tally.add_found(Change::Claim, &found);
        let list = tally.into_list();
        assert_eq!(list[0].reason, "is discarded");
        assert_eq!((list[0].letters, list[0].examples.len()), (9, 5));
        assert_eq!(list[1].reason, "there is no such letter");
        assert_eq!(list[1].examples, [ids[0]]);
    }
}
