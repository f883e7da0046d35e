//! Batches that were acknowledged a short while ago. A broker that is killed can forget acknowledgements
//! that it has answered for: it writes them to disk a little later. Their messages then come
//! again, and some without a mark that they were delivered before.
//!
//! Lives as long as the task of the source. When broker and office are killed at once, such
//! messages are taken for new: they are doubled, and nothing is lost.

use std::collections::VecDeque;

use dlo_domain::redelivery::AcknowledgedBatch;
use tokio::time::{Duration, Instant};

/// So many messages are remembered at least; a queue of RabbitMQ 3 keeps fewer in its memory.
const MOST: usize = 32_768;

/// What was acknowledged before that is on disk.
const LONGEST: Duration = Duration::from_mins(1);

/// A queue of a broker that came back may take so long to give everything back.
const DOUBTED: Duration = Duration::from_secs(30);

/// What a source acknowledged a short while ago, in the order of the commits.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// When the broker could last not be reached: it may have been killed.
    doubted_at: Option<Instant>,
    batches: VecDeque<(Instant, AcknowledgedBatch)>,
    messages: usize,
    /// The last batch was left out: the next one does not follow what is remembered.
    has_gap: bool,
}

impl Memory {
    /// Remembers a batch whose acknowledgement has arrived. One that tells nothing is not worth
    /// it: its messages are taken for new.
    pub(super) fn push(&mut self, mut batch: AcknowledgedBatch) {
        if batch.telling.is_empty() {
            self.has_gap = true;
            return;
        }
        batch.is_adjacent &= !std::mem::take(&mut self.has_gap);
        self.messages += batch.fingerprints.len();
        self.batches.push_back((Instant::now(), batch));
        while self.messages > MOST {
            self.pop();
        }
    }

    /// The broker could not be reached.
    pub(super) fn doubt(&mut self) {
        self.doubted_at = Some(Instant::now());
    }

    /// Whether the broker may have been killed, and may still give back what it had.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubted_at.is_some_and(|at| at.elapsed() < DOUBTED)
    }

    /// What may come again: of a broker that was there all the time, nothing.
    pub(super) fn batches(&mut self, now: Instant) -> Vec<AcknowledgedBatch> {
        if !self.is_in_doubt() {
            return Vec::new();
        }
        while self.batches.front().is_some_and(|(at, _)| now.duration_since(*at) > LONGEST) {
            self.pop();
        }
        self.batches.iter().map(|(_, batch)| batch.clone()).collect()
    }

    /// What is left of it after some has come again.
    pub(super) fn replace(&mut self, left: Vec<AcknowledgedBatch>) {
        self.messages = left.iter().map(|batch| batch.fingerprints.len()).sum();
        let now = Instant::now();
        self.batches = left.into_iter().map(|batch| (now, batch)).collect();
    }

    fn pop(&mut self) {
        if let Some((_, batch)) = self.batches.pop_front() {
            self.messages -= batch.fingerprints.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use dlo_domain::fingerprint::Fingerprint;

    use super::*;

    fn batch(contents: std::ops::Range<u16>, telling: usize) -> AcknowledgedBatch {
        let fingerprint = |n: u16| {
            let mut bytes = [0; 16];
            bytes[..2].copy_from_slice(&n.to_be_bytes());
            Fingerprint(bytes)
        };
        AcknowledgedBatch {
            fingerprints: contents.map(fingerprint).collect(),
            telling: (0..telling).collect(),
            is_adjacent: true,
        }
    }

    fn doubtful() -> Memory {
        let mut memory = Memory::default();
        memory.doubt();
        memory
    }

    #[test]
    fn a_broker_that_was_there_has_forgotten_nothing() {
        let mut memory = Memory::default();
        memory.push(batch(0..10, 10));
        assert!(memory.batches(Instant::now()).is_empty());
        memory.doubt();
        assert_eq!(memory.batches(Instant::now()).len(), 1);
    }

    #[test]
    fn remembering_is_bounded_and_the_oldest_goes_first() {
        let mut memory = doubtful();
        for n in 0..40_u16 {
            memory.push(batch(n * 1_000..(n + 1) * 1_000, 900));
        }
        let batches = memory.batches(Instant::now());
        assert_eq!(batches.len(), 32);
        assert_eq!(batches[31].fingerprints, batch(39_000..40_000, 900).fingerprints);
    }

    #[test]
    fn what_cannot_tell_is_not_remembered() {
        let mut memory = doubtful();
        memory.push(batch(0..10, 0));
        assert!(memory.batches(Instant::now()).is_empty());
        // What comes behind it does not follow what came before it.
        memory.push(batch(10..20, 1));
        memory.push(batch(20..30, 1));
        let batches = memory.batches(Instant::now());
        assert_eq!([false, true], [batches[0].is_adjacent, batches[1].is_adjacent]);
    }

    #[test]
    fn what_is_long_ago_is_on_disk() {
        let mut memory = doubtful();
        memory.push(batch(0..10, 10));
        let later = Instant::now() + LONGEST * 2;
        assert!(memory.batches(later).is_empty());
    }
}
