//! Which contents were seen a short while ago.

use std::collections::{HashMap, HashSet};

use crate::fingerprint::Fingerprint;

/// The contents seen a short while ago, to know which messages are copies of others.
#[derive(Debug)]
pub struct RecentContents {
    most: usize,
    fresh: HashSet<Fingerprint>,
    stale: HashSet<Fingerprint>,
}

impl RecentContents {
    /// Remembers at least the last `most` contents.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, fresh: HashSet::new(), stale: HashSet::new() }
    }

    /// The places in a batch that tell: contents not seen a short while ago and once in the batch.
    /// Remembers the batch.
    pub fn telling(&mut self, batch: &[Fingerprint]) -> Vec<usize> {
        let mut counts: HashMap<Fingerprint, u32> = HashMap::new();
        for fingerprint in batch {
            *counts.entry(*fingerprint).or_default() += 1;
        }
        let telling = (0..batch.len())
            .filter(|place| counts[&batch[*place]] == 1 && !self.knows(&batch[*place]))
            .collect();
        self.fresh.extend(batch.iter().copied());
        if self.fresh.len() >= self.most {
            self.stale = std::mem::take(&mut self.fresh);
        }
        telling
    }

    fn knows(&self, fingerprint: &Fingerprint) -> bool {
        self.fresh.contains(fingerprint) || self.stale.contains(fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(numbers: &[u8]) -> Vec<Fingerprint> {
        numbers.iter().map(|n| Fingerprint([*n; 16])).collect()
    }

    #[test]
    fn copies_within_and_across_batches_do_not_tell() {
        let mut recent = RecentContents::new(100);
        assert_eq!(recent.telling(&contents(&[1, 2, 2, 3])), [0, 3]);
        assert_eq!(recent.telling(&contents(&[1, 4])), [1]);
    }

    #[test]
    fn remembering_is_bounded() {
        let mut recent = RecentContents::new(4);
        for round in 0..100 {
            let _ = recent.telling(&contents(&[round]));
        }
        assert!(recent.fresh.len() + recent.stale.len() <= 8);
    }
}
