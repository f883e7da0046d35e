//! When a place in a message counts as a variable: how many words must have been seen in it.
//!
//! Weights are never negative and thresholds depend only on the words around the place. So what
//! has been found to vary stays so whatever comes later, and the order of arrival does not matter.

use super::vocabulary::{is_introducer, is_telling, is_telling_key};

/// What one more word in a place weighs.
pub(super) fn weight(word: &str) -> u32 {
    if is_telling(word) { 1 } else { 4 }
}

/// The weight from which a place varies; `None` when it never can.
///
/// `before` is the word before the place, `constants` the number of words around it.
pub(super) fn threshold(before: Option<&str>, constants: usize) -> Option<u32> {
    let words = match before {
        // `reason=`: what follows tells what happened.
        Some(key) if key.ends_with('=') && is_telling_key(&key[..key.len() - 1]) => 12,
        Some(key) if key.ends_with('=') => 4,
        Some(noun) if is_introducer(noun) && constants >= 3 => 3,
        _ => match constants {
            0 => return None,
            1 => 16,
            2 => 10,
            3 => 6,
            _ => 5,
        },
    };
    Some(words * 4)
}
