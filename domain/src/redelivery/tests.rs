//! Single cases of the settlement; `model` holds it against a broker.

use super::*;

fn content(number: u8) -> Fingerprint {
    Fingerprint([number; 16])
}

fn batch(acknowledgement: Acknowledgement, contents: &[u8]) -> UnsettledBatch {
    UnsettledBatch {
        batch: 1,
        acknowledgement,
        fingerprints: contents.iter().map(|n| content(*n)).collect(),
    }
}

fn ended(acknowledgement: Acknowledgement, contents: &[u8]) -> EndedSession {
    EndedSession { batches: vec![batch(acknowledgement, contents)] }
}

fn came(contents: &[u8]) -> Vec<Redelivery> {
    let without_id = |n: &u8| Redelivery { content: content(*n), has_id: false };
    contents.iter().map(without_id).collect()
}

/// The second acknowledgement of a session that has a receipt.
const SECOND: Acknowledgement = Acknowledgement::Announced { receipt: Some(2) };
const UNCOUNTED: Acknowledgement = Acknowledgement::Announced { receipt: None };

use Acknowledgement::Withheld;

#[test]
fn what_was_never_acknowledged_comes_again() {
    let sessions = [ended(Withheld, &[1, 2])];
    let settlement = settle(&sessions, &came(&[1, 2, 3]));
    assert_eq!(settlement.stored, [true, true, false]);
    assert!(settlement.sessions[0].left.is_empty());
}

#[test]
fn copies_are_matched_by_number() {
    let sessions = [ended(Withheld, &[7, 7, 7])];
    let settlement = settle(&sessions, &came(&[7, 7, 8]));
    assert_eq!(settlement.stored, [true, true, false]);
    assert_eq!(settlement.sessions[0].left, [batch(Withheld, &[7])]);
    let settlement = settle(&sessions, &came(&[7, 7, 7, 7]));
    assert_eq!(settlement.stored, [true, true, true, false]);
}

#[test]
fn what_the_broker_did_not_acknowledge_comes_again() {
    let mut sessions = [ended(SECOND, &[1, 2, 3])];
    assert_eq!(
        sessions[0].learn(1),
        Some(Vec::new()),
        "the first was carried out, and not the second"
    );
    let settlement = settle(&sessions, &came(&[2]));
    assert_eq!((settlement.stored, settlement.in_doubt), (vec![true], vec![false]));
    assert_eq!(settlement.sessions[0].left, [batch(Withheld, &[1, 3])]);
}

#[test]
fn what_the_broker_acknowledged_explains_no_copy() {
    let mut sessions = [ended(SECOND, &[7])];
    assert_eq!(sessions[0].learn(2), Some(vec![content(7)]));
    let settlement = settle(&sessions, &came(&[7]));
    assert_eq!((settlement.stored, settlement.in_doubt), (vec![false], vec![false]));
}

#[test]
fn without_a_receipt_it_is_in_doubt() {
    for acknowledgement in [SECOND, UNCOUNTED] {
        let sessions = [ended(acknowledgement, &[7])];
        let settlement = settle(&sessions, &came(&[7, 8]));
        assert_eq!(settlement.stored, [false, false]);
        assert_eq!(settlement.in_doubt, [true, false]);
        assert_eq!(settlement.sessions[0].left, sessions[0].batches);
    }
    assert_eq!(ended(UNCOUNTED, &[7]).learn(2), None, "nothing was counted");
    assert_eq!(ended(Withheld, &[7]).learn(2), None, "nothing was sent");
}

#[test]
fn what_is_in_doubt_of_one_session_is_explained_by_another() {
    let settlement = settle(&[ended(Withheld, &[7]), ended(SECOND, &[7, 7])], &came(&[7, 7, 8]));
    assert_eq!(settlement.stored, [true, false, false]);
    assert_eq!(settlement.in_doubt, [false, true, false]);
    assert_eq!(settlement.sessions[1].left, [batch(SECOND, &[7, 7])]);
}

#[test]
fn a_message_with_an_id_of_its_own_is_no_copy() {
    let mut came = came(&[7, 7, 8]);
    for message in &mut came {
        message.has_id = true;
    }
    let settlement = settle(&[ended(UNCOUNTED, &[7, 8, 8])], &came);
    // The second one of an id is a copy, and so is one of which two are stored.
    assert_eq!(settlement.stored, [true, false, false]);
    assert_eq!(settlement.in_doubt, [false, false, true]);
    assert_eq!(settlement.sessions[0].left, [batch(UNCOUNTED, &[8, 8])]);
}

#[test]
fn what_explains_is_a_batch_that_was_not_acknowledged() {
    let batches = vec![batch(UNCOUNTED, &[7]), batch(Withheld, &[7])];
    let settlement = settle(&[EndedSession { batches }], &came(&[7, 7]));
    assert_eq!(settlement.stored, [true, false]);
    assert_eq!(settlement.in_doubt, [false, true], "one came again, and one is perhaps a copy");
    assert_eq!(settlement.sessions[0].left, [batch(UNCOUNTED, &[7])]);
}

#[test]
fn a_session_that_acknowledges_while_it_consumes_is_known_batch_by_batch() {
    let first = Acknowledgement::Announced { receipt: Some(1) };
    let batches = vec![batch(first, &[1]), batch(SECOND, &[2]), batch(Withheld, &[3])];
    let mut sessions = [EndedSession { batches }];
    assert_eq!(sessions[0].learn(1), Some(vec![content(1)]));
    let settlement = settle(&sessions, &came(&[1, 2, 3]));
    assert_eq!(settlement.stored, [false, true, true]);
    assert!(settlement.sessions[0].left.is_empty());
}
