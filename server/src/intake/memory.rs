//! Contents that were acknowledged a short while ago. A broker that is killed can forget acknowledgements
//! that it has answered for: it writes them to disk a little later. Their messages then come
//! again, and some without a mark that they were delivered before.
//!
//! Lives as long as the task of the source. When broker and office are killed at once, such
//! messages are taken for new: they are doubled, and nothing is lost.

use std::collections::VecDeque;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::Acknowledged;
use tokio::time::{Duration, Instant};

/// So many messages are remembered at least; a queue of RabbitMQ 3 keeps fewer in its memory.
const MOST: usize = 32_768;

/// What was acknowledged before that is on disk.
const LONGEST: Duration = Duration::from_mins(1);

/// A queue of a broker that came back may take so long to give everything back.
const DOUBTED: Duration = Duration::from_secs(30);

/// What a source acknowledged a short while ago.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// When the broker could last not be reached: it may have been killed.
    doubted_at: Option<Instant>,
    batches: VecDeque<(Instant, Vec<Fingerprint>)>,
    messages: usize,
    /// What may have been forgotten since.
    acknowledged: Acknowledged,
}

impl Memory {
    /// Remembers a batch whose acknowledgement has arrived.
    pub(super) fn push(&mut self, batch: Vec<Fingerprint>) {
        self.messages += batch.len();
        self.batches.push_back((Instant::now(), batch));
        while self.messages > MOST {
            self.pop();
        }
    }

    /// The broker could not be reached.
    pub(super) fn doubt(&mut self, now: Instant) {
        self.doubted_at = Some(now);
        while self.batches.front().is_some_and(|(at, _)| now.duration_since(*at) > LONGEST) {
            self.pop();
        }
        for (_, batch) in self.batches.drain(..) {
            self.acknowledged.extend(&batch);
        }
        self.messages = 0;
    }

    /// Whether the broker may have been killed, and may still give back what it had.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubted_at.is_some_and(|at| at.elapsed() < DOUBTED)
    }

    /// What may come again: of a broker that was there all the time, nothing.
    pub(super) fn acknowledged(&mut self) -> &Acknowledged {
        if !self.is_in_doubt() {
            self.acknowledged = Acknowledged::default();
        }
        &self.acknowledged
    }

    /// What is left of that after some has come.
    pub(super) fn replace(&mut self, left: Acknowledged) {
        self.acknowledged = left;
    }

    fn pop(&mut self) {
        if let Some((_, batch)) = self.batches.pop_front() {
            self.messages -= batch.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(number: u16) -> Fingerprint {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        Fingerprint(bytes)
    }

    fn may_be_forgotten(memory: &mut Memory, number: u16) -> bool {
        memory.acknowledged().has(&content(number))
    }

    #[test]
    fn a_broker_that_was_there_has_forgotten_nothing() {
        let mut memory = Memory::default();
        memory.push(vec![content(1)]);
        assert!(!may_be_forgotten(&mut memory, 1));
        memory.doubt(Instant::now());
        assert!(may_be_forgotten(&mut memory, 1));
        // It was killed again, before it gave everything back.
        memory.doubt(Instant::now());
        assert!(may_be_forgotten(&mut memory, 1));
    }

    #[test]
    fn remembering_is_bounded_and_the_oldest_goes_first() {
        let mut memory = Memory::default();
        for n in 0..40 {
            memory.push((n * 1_000..(n + 1) * 1_000).map(content).collect());
        }
        memory.doubt(Instant::now());
        assert!(!may_be_forgotten(&mut memory, 7_999));
        assert!(may_be_forgotten(&mut memory, 8_000));
    }

    #[test]
    fn what_is_long_ago_is_on_disk() {
        let mut memory = Memory::default();
        memory.push(vec![content(1)]);
        memory.doubt(Instant::now() + LONGEST * 2);
        assert!(!may_be_forgotten(&mut memory, 1));
    }
}
