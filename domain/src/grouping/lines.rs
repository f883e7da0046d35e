//! Groups the lines of a log, with the code that groups letters: what `dlo group` does and what
//! grouping accuracy is measured on.

use std::collections::HashMap;

use super::mask::Masker;
use super::miner::Miner;
use super::signature::{Signature, SignatureId};

/// Groups lines. What it keeps grows with the number of different messages, and by four bytes a
/// line.
#[derive(Debug, Default)]
pub struct Lines {
    masker: Masker,
    miner: Miner,
    /// The messages that were seen, by their comparable form.
    known: HashMap<Box<str>, u32>,
    messages: Vec<SignatureId>,
    lines: Vec<u32>,
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
        let line = String::from_utf8_lossy(line);
        let masked = self.masker.mask(&line);
        if let Some(known) = self.known.get(masked.canon) {
            self.lines.push(*known);
            return;
        }
        let number = u32::try_from(self.messages.len()).expect("fewer than 2^32 messages");
        self.known.insert(masked.canon.into(), number);
        let signature = Signature::of_message(&line, &mut self.masker);
        self.miner.insert(&signature);
        self.messages.push(signature.id);
        self.lines.push(number);
    }

    /// The group of each line, in the order of the lines. Final: all lines have been seen.
    pub fn groups(&self) -> impl Iterator<Item = SignatureId> {
        let group = |id: &SignatureId| self.miner.group_of(*id).unwrap_or(*id);
        let groups: Vec<SignatureId> = self.messages.iter().map(group).collect();
        self.lines.iter().map(move |number| groups[*number as usize])
    }

    /// The number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}
