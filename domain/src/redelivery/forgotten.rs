//! What a killed broker gives back although it was acknowledged: it answers for acknowledgements
//! before they are on its disk.
//!
//! Its marks prove nothing then, and what it had delivered and not heard of comes beside what it
//! forgot. So this goes by a run of messages that come in exactly the order in which they were
//! acknowledged, with none missing and none between. What the broker forgot of a session is the end of what
//! that session acknowledged, so that a run can begin too early by chance, with copies of what was
//! acknowledged right before, and cannot end too late. Its first messages are in doubt therefore, until a few of
//! them were messages of which no copy was seen before: no publisher sends these again by chance. What is in
//! doubt is stored once more. It is asked only after the broker could not be reached.

use std::collections::HashMap;

use crate::fingerprint::Fingerprint;

/// A run has come again from its first message on before which so many told: the publisher may have sent a few
/// once more, and in this order.
const DOUBTFUL: usize = 7;

/// A batch whose acknowledgement the broker has answered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcknowledgedBatch {
    /// Its messages in the order of delivery.
    pub fingerprints: Vec<Fingerprint>,
    /// Places of the telling messages: those of which no copy was seen a short while before.
    pub telling: Vec<usize>,
    /// Its first message was delivered right behind the last one of the batch before it, to the same session.
    pub is_adjacent: bool,
}

/// What came again of what was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgottenSettlement {
    /// For each message that came: whether it is stored already.
    pub stored: Vec<bool>,
    /// What may still come.
    pub left: Vec<AcknowledgedBatch>,
}

/// Compares batches, in the order of their commits, with the contents that came.
#[must_use]
pub fn settle_forgotten(
    batches: &[AcknowledgedBatch],
    came: &[Fingerprint],
) -> ForgottenSettlement {
    let mut line = Line::of(batches);
    let mut stored = vec![false; came.len()];
    let mut place = 0;
    while place < came.len() {
        match line.longest_run(&came[place..]) {
            Some(run) => {
                let in_doubt = run.certain.start - run.begin;
                line.explain(&run.certain);
                stored[place + in_doubt..][..run.certain.len()].fill(true);
                place += in_doubt + run.certain.len();
            }
            None => place += 1,
        }
    }
    ForgottenSettlement { stored, left: line.left(batches) }
}

/// A message that was acknowledged.
#[derive(Debug, Clone, Copy)]
struct Acknowledged {
    content: Fingerprint,
    is_telling: bool,
    is_adjacent: bool,
    /// It has come again.
    is_explained: bool,
}

/// Messages that came in the order of a line, as places of it.
struct Run {
    begin: usize,
    /// Those that are in no doubt.
    certain: std::ops::Range<usize>,
}

/// The messages of all batches, in the order of delivery.
struct Line {
    messages: Vec<Acknowledged>,
    /// Where a run can begin: the places of what tells.
    beginnings: HashMap<Fingerprint, Vec<usize>>,
}

impl Line {
    fn of(batches: &[AcknowledgedBatch]) -> Self {
        let mut messages = Vec::new();
        let mut beginnings: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
        for batch in batches {
            let begin = messages.len();
            let contents = batch.fingerprints.iter().enumerate();
            messages.extend(contents.map(|(place, content)| Acknowledged {
                content: *content,
                is_telling: false,
                is_adjacent: place > 0 || batch.is_adjacent,
                is_explained: false,
            }));
            for place in &batch.telling {
                if let Some(message) = messages.get_mut(begin + place) {
                    message.is_telling = true;
                    let places = beginnings.entry(message.content).or_default();
                    places.push(begin + place);
                }
            }
        }
        Self { messages, beginnings }
    }

    /// The longest run with which these messages begin, if any of it is certain.
    fn longest_run(&self, came: &[Fingerprint]) -> Option<Run> {
        let beginnings = self.beginnings.get(came.first()?)?;
        let runs = beginnings.iter().map(|begin| {
            let messages = self.messages[*begin..].iter().enumerate();
            let same = messages.zip(came).take_while(|((place, one), content)| {
                one.content == **content && !one.is_explained && (*place == 0 || one.is_adjacent)
            });
            *begin..begin + same.count()
        });
        let longest = runs.max_by_key(ExactSizeIterator::len)?;
        let mut telling = longest.clone().filter(|place| self.messages[*place].is_telling);
        let certain = telling.nth(DOUBTFUL)?..longest.end;
        Some(Run { begin: longest.start, certain })
    }

    fn explain(&mut self, run: &std::ops::Range<usize>) {
        for message in &mut self.messages[run.clone()] {
            message.is_explained = true;
        }
    }

    /// The batches without what has come again.
    fn left(&self, batches: &[AcknowledgedBatch]) -> Vec<AcknowledgedBatch> {
        let mut left: Vec<AcknowledgedBatch> = Vec::new();
        let mut messages = self.messages.iter();
        let mut is_behind_a_gap = false;
        for batch in batches {
            let mut part: Option<AcknowledgedBatch> = None;
            for message in messages.by_ref().take(batch.fingerprints.len()) {
                if message.is_explained {
                    is_behind_a_gap = true;
                    left.extend(part.take());
                    continue;
                }
                let part = part.get_or_insert_with(|| AcknowledgedBatch {
                    fingerprints: Vec::new(),
                    telling: Vec::new(),
                    is_adjacent: message.is_adjacent && !is_behind_a_gap,
                });
                is_behind_a_gap = false;
                if message.is_telling {
                    part.telling.push(part.fingerprints.len());
                }
                part.fingerprints.push(message.content);
            }
            left.extend(part);
        }
        left
    }
}

#[cfg(test)]
mod tests;
