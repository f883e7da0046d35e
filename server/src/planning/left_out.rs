//! Letters that an action does not touch, counted by reason.

use std::collections::BTreeMap;

use dlo_domain::ids::LetterId;
use dlo_domain::selection::LeftOut;
use dlo_domain::state::{Change, LetterState};

/// Letters named as examples of a reason.
const MOST_EXAMPLES: usize = 5;

/// The letters left out so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOutTally(BTreeMap<String, Alike>);

/// Letters that were left out for one reason.
#[derive(Debug, Clone, Default)]
struct Alike {
    letters: i64,
    examples: Vec<LetterId>,
    /// What more is said of them, while it is the same of all.
    detail: Option<String>,
}

impl LeftOutTally {
    /// Counts a letter.
    pub(crate) fn add(&mut self, reason: String, letter: LetterId) {
        self.count(reason, None, letter);
    }

    /// Counts a letter whose body could not be changed. What stands behind the first colon, such as
    /// the place in a body, differs from letter to letter: it is told only when it does not. The
    /// preview tells it of each letter.
    pub(crate) fn add_failed(&mut self, why: &str, letter: LetterId) {
        match why.split_once(": ") {
            Some((reason, detail)) => self.count(reason.to_owned(), Some(detail), letter),
            None => self.add(why.to_owned(), letter),
        }
    }

    fn count(&mut self, reason: String, detail: Option<&str>, letter: LetterId) {
        let alike = self.0.entry(reason).or_default();
        if alike.letters == 0 {
            alike.detail = detail.map(str::to_owned);
        } else if alike.detail.as_deref() != detail {
            alike.detail = None;
        }
        alike.letters += 1;
        if alike.examples.len() < MOST_EXAMPLES {
            alike.examples.push(letter);
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

    /// Counts what was left out before.
    pub(crate) fn add_list(&mut self, list: Vec<LeftOut>) {
        for LeftOut { reason, letters, examples } in list {
            let alike = self.0.entry(reason).or_default();
            alike.letters += letters;
            alike.examples.extend(examples);
            alike.examples.truncate(MOST_EXAMPLES);
        }
    }

    /// How many letters were left out so far.
    pub(crate) fn letters(&self) -> i64 {
        self.0.values().map(|alike| alike.letters).sum()
    }

    /// The reasons, the most frequent first.
    pub(crate) fn into_list(self) -> Vec<LeftOut> {
        let mut list: Vec<LeftOut> = self
            .0
            .into_iter()
            .map(|(reason, alike)| LeftOut {
                reason: match alike.detail {
                    Some(detail) => format!("{reason}: {detail}"),
                    None => reason,
                },
                letters: alike.letters,
                examples: alike.examples,
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
        let found =
            BTreeMap::from([(None, vec![ids[0]]), (Some(LetterState::Discarded), ids.clone())]);
        tally.add_found(Change::Claim, &found);
        let list = tally.into_list();
        assert_eq!(list[0].reason, "is discarded");
        assert_eq!((list[0].letters, list[0].examples.len()), (9, 5));
        assert_eq!(list[1].reason, "there is no such letter");
        assert_eq!(list[1].examples, [ids[0]]);
    }

    #[test]
    fn what_differs_between_letters_of_one_reason_is_not_told() {
        let mut tally = LeftOutTally::default();
        for n in 0..60 {
            let letter = LetterId(Uuid::from_u128(n));
            tally.add_failed(&format!("its body is not valid JSON: EOF at column {n}"), letter);
        }
        for n in 60..70 {
            let letter = LetterId(Uuid::from_u128(n));
            tally.add_failed("the jq program fails: no such key", letter);
        }
        tally.add_failed("it gives nothing", LetterId(Uuid::from_u128(70)));
        let list = tally.into_list();
        let told: Vec<_> =
            list.iter().map(|left_out| (&*left_out.reason, left_out.letters)).collect();
        let expected = [
            ("its body is not valid JSON", 60),
            ("the jq program fails: no such key", 10),
            ("it gives nothing", 1),
        ];
        assert_eq!(told, expected);
    }
}
