//! What a killed broker gives back although it was acknowledged: it answers for acknowledgements
//! before they are on its disk.
//!
//! Its marks prove nothing then, and what it had delivered and not heard of comes beside what it
//! forgot. So this goes by evidence and not by proof: by messages of which no copy is known, and by
//! the order in which messages come. It is asked only after the broker could not be reached.

use std::collections::{HashMap, HashSet};

use crate::fingerprint::Fingerprint;

/// A batch has come again when more than this many of its telling messages have: the publisher may
/// have sent a few once more.
const DOUBTFUL: usize = 7;

/// A batch whose acknowledgement the broker has answered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcknowledgedBatch {
    /// Its messages in the order of delivery.
    pub fingerprints: Vec<Fingerprint>,
    /// Places of the telling messages: those of which no copy was seen a short while before.
    pub telling: Vec<usize>,
}

/// What came again of what was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgottenSettlement {
    /// For each message that came: whether it is stored already.
    pub stored: Vec<bool>,
    /// What may still come.
    pub left: Vec<AcknowledgedBatch>,
}

/// Compares batches, in the order of their commits, with the contents that came. `taken` marks
/// messages that are explained already.
///
/// A killed broker forgets the last acknowledgements and no earlier ones, and gives what it had
/// delivered back in the order of delivery, before anything that it had not delivered. So what came
/// again follows the order of the batches; a message that breaks it is a copy of an earlier one,
/// which was never here, and so is a copy of what lies before the first message that surely came
/// again.
#[must_use]
pub fn settle_forgotten(
    batches: &[AcknowledgedBatch],
    came: &[Fingerprint],
    taken: &[bool],
) -> ForgottenSettlement {
    let mut stored = vec![false; came.len()];
    let is_taken = |place: usize| taken.get(place).copied().unwrap_or(false);
    let here: HashSet<Fingerprint> = (0..came.len())
        .filter(|place| !is_taken(*place))
        .map(|place| came[place])
        .collect();
    let is_back = |batch: &&AcknowledgedBatch| came_again(batch, &here, DOUBTFUL);
    if !batches.iter().any(|batch| is_back(&batch)) {
        return ForgottenSettlement {
            stored,
            left: batches.to_vec(),
        };
    }
    // It forgot some, so every other batch is judged by its own messages alone.
    let Some(begin) = first_forgotten(batches, &here) else {
        return ForgottenSettlement::default();
    };
    let line: Vec<Fingerprint> = batches
        .iter()
        .flat_map(|batch| batch.fingerprints.iter().copied())
        .collect();
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    for (place, content) in line.iter().enumerate() {
        places.entry(*content).or_default().push(place);
    }
    // Everything before this place is past.
    let mut next = begin;
    for (place, content) in came.iter().enumerate() {
        let of_content = places.get(content).map_or(&[][..], Vec::as_slice);
        let found = of_content.get(of_content.partition_point(|place| *place < next));
        if let (Some(found), false) = (found, is_taken(place)) {
            stored[place] = true;
            next = found + 1;
        }
    }
    ForgottenSettlement {
        stored,
        left: left(batches, next),
    }
}

/// Whether more than half of what tells came, and more than so many.
fn came_again(batch: &AcknowledgedBatch, here: &HashSet<Fingerprint>, doubtful: usize) -> bool {
    let telling = batch.telling.iter();
    let told = telling
        .filter(|place| is_here(batch, **place, here))
        .count();
    told * 2 > batch.telling.len() && told > doubtful
}

fn is_here(batch: &AcknowledgedBatch, place: usize, here: &HashSet<Fingerprint>) -> bool {
    batch
        .fingerprints
        .get(place)
        .is_some_and(|content| here.contains(content))
}

/// The place, of all batches in a row, of the first message that surely came again.
fn first_forgotten(batches: &[AcknowledgedBatch], here: &HashSet<Fingerprint>) -> Option<usize> {
    let mut before = 0;
    for batch in batches {
        if came_again(batch, here, 0) {
            let mut telling = batch.telling.iter();
            let first = telling.find(|place| is_here(batch, **place, here));
            return first.map(|place| before + place);
        }
        before += batch.fingerprints.len();
    }
    None
}

/// What of the batches lies behind a place of theirs all.
fn left(batches: &[AcknowledgedBatch], mut past: usize) -> Vec<AcknowledgedBatch> {
    let mut left = Vec::new();
    for batch in batches {
        let gone = past.min(batch.fingerprints.len());
        past -= gone;
        if gone < batch.fingerprints.len() {
            let telling = batch.telling.iter();
            left.push(AcknowledgedBatch {
                fingerprints: batch.fingerprints[gone..].to_vec(),
                telling: telling
                    .filter_map(|place| place.checked_sub(gone))
                    .collect(),
            });
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Vec<Fingerprint> {
        let one = |letter: u8| Fingerprint([letter; 16]);
        text.bytes().map(one).collect()
    }

    /// A batch in which capital letters tell.
    fn batch(text: &str) -> AcknowledgedBatch {
        let telling = text.bytes().enumerate();
        AcknowledgedBatch {
            fingerprints: contents(text),
            telling: telling
                .filter_map(|(place, letter)| letter.is_ascii_uppercase().then_some(place))
                .collect(),
        }
    }

    fn stored(batches: &[AcknowledgedBatch], came: &str) -> String {
        let settlement = settle_forgotten(batches, &contents(came), &[]);
        let came = came.chars().zip(&settlement.stored);
        came.filter_map(|(letter, stored)| stored.then_some(letter))
            .collect()
    }

    #[test]
    fn a_copy_of_what_stayed_acknowledged_is_new() {
        let batches = [batch("xABCDEFGHIJ"), batch("KLM")];
        // The broker forgot from B on; another x had never been delivered, and comes last.
        assert_eq!(stored(&batches, "BCDEFGHIJKLMx"), "BCDEFGHIJKLM");
        // Or it had been delivered to somebody else, and comes first.
        assert_eq!(stored(&batches, "xBCDEFGHIJKLM"), "BCDEFGHIJKLM");
    }

    #[test]
    fn what_telling_contents_have_published_again_is_new_too() {
        let batches = [batch("ABCDEFGHIJKLM")];
        assert_eq!(stored(&batches, "CDEFGHIJKLMA"), "CDEFGHIJKLM");
    }

    #[test]
    fn a_small_batch_came_again_if_a_large_one_did() {
        let batches = [batch("A"), batch("BCDEFGHIJK")];
        assert_eq!(
            stored(&batches, "A"),
            "",
            "it may have been published once more"
        );
        assert_eq!(stored(&batches, "ABCDEFGHIJK"), "ABCDEFGHIJK");
    }

    #[test]
    fn what_is_explained_already_is_not_explained_twice() {
        let batches = [batch("ABCDEFGHIJ")];
        let came = contents("ABCDEFGHIJ");
        let settlement = settle_forgotten(&batches, &came, &[true; 10]);
        assert_eq!(settlement.stored, [false; 10]);
    }

    #[test]
    fn only_what_comes_behind_is_left() {
        let batches = [batch("ABCDEFGHI"), batch("JKL")];
        let settlement = settle_forgotten(&batches, &contents("BCDEFGHIJ"), &[]);
        assert_eq!(settlement.stored, [true; 9]);
        assert_eq!(settlement.left, [batch("KL")]);
        let nothing = settle_forgotten(&batches, &contents("z"), &[]);
        assert_eq!(nothing.left, batches);
    }
}
