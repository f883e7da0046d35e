//! After a kill of the broker, order tells what came again from copies that were never delivered.

use std::collections::HashMap;

use super::{Settlement, UnsettledBatch, settle};
use crate::fingerprint::Fingerprint;

/// As `settle`, for what a killed broker gives back without reliable marks.
///
/// It forgets the last acknowledgements and no earlier ones, and gives what it had delivered back
/// in the order of delivery, before anything that it had not delivered. So what came again follows
/// the order of the batches; a message that breaks it is a copy of an earlier one, which was never
/// here, and is taken for new. What lies before the last that came again is not left: it will not
/// come any more.
#[must_use]
pub fn settle_in_order(
    batches: &[UnsettledBatch],
    redelivered: &[Fingerprint],
    taken: &[bool],
) -> Settlement {
    let mut settlement = settle(batches, redelivered, taken);
    let line: Vec<Fingerprint> = batches
        .iter()
        .flat_map(|batch| batch.fingerprints.iter().copied())
        .collect();
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    for (place, content) in line.iter().enumerate() {
        places.entry(*content).or_default().push(place);
    }
    // Everything before this place is past.
    let mut next = 0;
    for (content, stored) in redelivered.iter().zip(&mut settlement.stored) {
        if !*stored {
            continue;
        }
        let of_content = places.get(content).map_or(&[][..], Vec::as_slice);
        match of_content.get(of_content.partition_point(|place| *place < next)) {
            Some(place) => next = place + 1,
            None => *stored = false,
        }
    }
    settlement.left = left(batches, next, settlement.stored.contains(&true));
    settlement
}

/// What of the batches lies behind a place of theirs all, if anything came again.
fn left(batches: &[UnsettledBatch], mut past: usize, any_came: bool) -> Vec<UnsettledBatch> {
    if !any_came {
        return Vec::new();
    }
    let mut left = Vec::new();
    for batch in batches {
        let gone = past.min(batch.fingerprints.len());
        past -= gone;
        if gone < batch.fingerprints.len() {
            left.push(UnsettledBatch {
                fingerprints: batch.fingerprints[gone..].to_vec(),
                // As `settle` leaves it: it is known by now that the broker has it again.
                fenced: true,
                telling: Vec::new(),
                recoveries: 0,
                batch: batch.batch,
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
    fn batch(number: i64, text: &str) -> UnsettledBatch {
        let telling = text.bytes().enumerate();
        UnsettledBatch {
            batch: number,
            fenced: false,
            fingerprints: contents(text),
            telling: telling
                .filter_map(|(place, letter)| letter.is_ascii_uppercase().then_some(place))
                .collect(),
            recoveries: 0,
        }
    }

    fn stored(batches: &[UnsettledBatch], came: &str) -> String {
        let settlement = settle_in_order(batches, &contents(came), &[]);
        let came = came.chars().zip(&settlement.stored);
        came.filter_map(|(letter, stored)| stored.then_some(letter))
            .collect()
    }

    #[test]
    fn a_copy_of_what_stayed_acknowledged_is_new() {
        let batches = [batch(1, "xABCDEFG"), batch(2, "HIJ")];
        // The broker forgot from B on; another x had never been delivered, and comes last.
        assert_eq!(stored(&batches, "BCDEFGHIJx"), "BCDEFGHIJ");
        assert_eq!(stored(&batches, "xABCDEFGHIJx"), "xABCDEFGHIJ");
        // Without regard to order it would be lost.
        let blind = settle(&batches, &contents("BCDEFGHIJx"), &[]);
        assert!(blind.stored.iter().all(|stored| *stored));
    }

    #[test]
    fn what_telling_contents_have_published_again_is_new_too() {
        let batches = [batch(1, "ABCDEFG")];
        assert_eq!(stored(&batches, "CDEFGA"), "CDEFG");
    }

    #[test]
    fn only_what_comes_behind_is_left() {
        let batches = [batch(1, "ABCD"), batch(2, "EFG")];
        let settlement = settle_in_order(&batches, &contents("BCDE"), &[]);
        assert_eq!(settlement.stored, [true; 4]);
        let left: Vec<_> = settlement
            .left
            .iter()
            .map(|one| (one.batch, &one.fingerprints[..]))
            .collect();
        assert_eq!(left, [(2, &contents("FG")[..])]);
        assert!(
            settle_in_order(&batches, &contents("z"), &[])
                .left
                .is_empty()
        );
    }
}
