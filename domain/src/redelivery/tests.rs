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

fn open(acknowledgement: Acknowledgement, contents: &[u8]) -> EndedSession {
    EndedSession { batches: vec![batch(acknowledgement, contents)], is_open: true }
}

fn came(contents: &[u8]) -> Vec<Redelivery> {
    let marked = |n: &u8| Redelivery { content: content(*n), is_certain: true };
    contents.iter().map(marked).collect()
}

use Acknowledgement::{Fenced, Unfenced, Withheld};

#[test]
fn what_was_never_acknowledged_comes_again() {
    let ended = [open(Withheld, &[1, 2])];
    let settlement = settle(&ended, &came(&[1, 2, 3]), false);
    assert_eq!(settlement.stored, [true, true, false]);
    assert!(settlement.sessions[0].left.is_empty());
}

#[test]
fn copies_are_matched_by_number() {
    let ended = [open(Withheld, &[7, 7, 7])];
    let settlement = settle(&ended, &came(&[7, 7, 8]), true);
    assert_eq!(settlement.stored, [true, true, false]);
    assert_eq!(settlement.sessions[0].left, [batch(Withheld, &[7])]);
    let settlement = settle(&ended, &came(&[7, 7, 7, 7]), true);
    assert_eq!(settlement.stored, [true, true, true, false]);
}

#[test]
fn a_session_that_ended_in_its_fence_is_told_by_any_message_of_it() {
    let ended = [open(Fenced, &[1, 2, 3])];
    let settlement = settle(&ended, &came(&[2]), true);
    assert_eq!(settlement.stored, [true]);
    assert_eq!(settlement.in_doubt, [false]);
    assert_eq!(settlement.sessions[0].left, [batch(Withheld, &[1, 3])]);
}

/// The trace by which copies were lost: one office was killed behind the acknowledgement of copies,
/// another one with a copy in hand, and the copy was taken for one of the first.
#[test]
fn a_copy_that_another_ended_session_had_is_new() {
    let killed_before = open(Fenced, &[7, 7, 7]);
    let nothing_stored = EndedSession { batches: Vec::new(), is_open: true };
    let settlement = settle(&[killed_before, nothing_stored], &came(&[7]), true);
    assert_eq!(settlement.stored, [false]);
}

/// Another: the session that gave the copy back seems to live.
#[test]
fn a_copy_that_a_living_session_may_have_given_back_is_new() {
    let settlement = settle(&[open(Fenced, &[7])], &came(&[7]), false);
    assert_eq!(settlement.stored, [false]);
}

/// Another: a batch was acknowledged, and most of what it told by came once more, as copies that
/// were in flight behind it.
#[test]
fn copies_in_flight_behind_an_acknowledgement_are_new() {
    let settlement = settle(&[open(Unfenced, &[1, 2, 3])], &came(&[1, 2]), true);
    assert_eq!(settlement.stored, [false, false]);
}

#[test]
fn a_mark_that_proves_nothing_does_not_show_that_a_fence_was_not_reached() {
    let mut unmarked = came(&[7]);
    unmarked[0].is_certain = false;
    let ended = [open(Fenced, &[7])];
    let settlement = settle(&ended, &unmarked, true);
    assert_eq!((settlement.stored, settlement.in_doubt), (vec![false], vec![true]));
    assert_eq!(settlement.sessions[0].left, ended[0].batches);
}

#[test]
fn what_an_earlier_session_left_shows_nothing_of_a_later_one() {
    let left = EndedSession { is_open: false, ..open(Withheld, &[7]) };
    let settlement = settle(&[left, open(Fenced, &[7, 7])], &came(&[7, 7, 8]), true);
    assert_eq!(settlement.stored, [true, false, false]);
    assert_eq!(settlement.in_doubt, [false, true, false]);
}
