//! Groups the lines of a log, with the code that groups letters: what `dlo group` does and what
//! grouping accuracy is measured on.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::hashing::{self, AsItIs};
use super::mask::{MOST_MASKED_BYTES, Masker};
use super::miner::Miner;
use super::signature::{Signature, SignatureId};

/// Groups lines. What it keeps is bounded, but for four bytes a line and some forty for each
/// different message.
#[derive(Debug, Default)]
pub struct Lines {
    masker: Masker,
    miner: Miner,
    /// The messages that were seen, by a hash of their comparable form.
    known: HashMap<u128, u32, BuildHasherDefault<AsItIs>>,
    messages: Vec<SignatureId>,
    /// The message of each line.
    seen: Vec<u32>,
}

impl Lines {
    /// No lines yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line. Bytes that are not UTF-8 are read as U+FFFD.
    ///
    /// # Panics
    ///
    /// After four billion different messages.
    pub fn push(&mut self, line: &[u8]) {
        // What is cut off here would not be looked at.
        let line = &line[..line.len().min(MOST_MASKED_BYTES)];
        let line = String::from_utf8_lossy(line);
        let hash = hashing::of_text(self.masker.mask(&line).canon);
        if let Some(known) = self.known.get(&hash) {
            self.seen.push(*known);
            return;
        }
        let number = u32::try_from(self.messages.len()).expect("fewer than 2^32 messages");
        self.known.insert(hash, number);
        let signature = Signature::of_message(&line, &mut self.masker);
        if !self.miner.is_full() {
            self.miner.insert(&signature);
        }
        self.messages.push(signature.id);
        self.seen.push(number);
    }

    /// The group of each line, in the order of the lines. Final: all lines have been seen.
    pub fn groups(&self) -> impl Iterator<Item = SignatureId> {
        let group = |id: &SignatureId| self.miner.group_of(*id).unwrap_or(*id);
        let groups: Vec<SignatureId> = self.messages.iter().map(group).collect();
        self.seen.iter().map(move |number| groups[*number as usize])
    }

    /// The number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}
