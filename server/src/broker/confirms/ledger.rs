//! Which publish a confirm and a returned message are about. Pure: it is told what was observed, and in
//! which sweep.
//!
//! lapin attaches a returned message to whichever confirm it completes next, and completes those of one
//! `multiple` in the order of a hash map. So the attachment says nothing; the message itself names its
//! publish. What lapin does guarantee, with a broker that returns a message before it confirms it:
//!
//! 1. Each confirm takes the oldest returned message that waits, if one does. So a confirm that carries
//!    none was completed when none waited: each message that was returned until then was carried by a
//!    confirm that was completed before.
//! 2. Each returned message belongs to a publish that is not confirmed yet. So when every publish has its
//!    confirm, none waits.
//!
//! Whoever observes confirms does it in sweeps: a sweep collects what was completed before it began. What
//! was completed before a confirm that is observed in sweep N is observed in sweep N + 1 at the latest,
//! and what is first observed in sweep N + 2 was completed after it.
//!
//! So a publish is confirmed when no returned message named it, and one of these holds: its confirm carried
//! none, and a sweep after the one that observed it is over; the same of a confirm that was observed two
//! sweeps later; or nothing is on its way. What cannot be told is unknown.

use std::collections::HashMap;

use super::MessageKey;
use crate::broker::Published;

/// Numbers the publishes of a channel.
pub(super) type Tag = u64;

/// What the broker answered to a publish, without what it returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It was confirmed.
    Acked,
    /// It was refused by a queue.
    Nacked,
    /// No answer comes any more. This is what is known instead.
    Failed(Published),
}

/// A message that the broker returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReturnedMessage {
    /// The publish that it names.
    pub key: Option<MessageKey>,
    /// Why it was returned.
    pub why: String,
}

/// What is known of a publish, told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    /// The publish.
    pub tag: Tag,
    /// What came of it.
    pub published: Published,
}

#[derive(Debug)]
struct Entry {
    key: Option<MessageKey>,
    answer: Option<ObservedAnswer>,
    /// Why the broker returned it.
    returned: Option<String>,
    /// Whether a message was returned that may have been this one.
    is_doubtful: bool,
    is_decided: bool,
}

#[derive(Debug)]
struct ObservedAnswer {
    answer: Answer,
    sweep: u64,
    carried_none: bool,
}

/// How far the observation of a channel is.
#[derive(Debug, Clone, Copy)]
struct Horizon {
    sweep: u64,
    none_in_sweep: Option<u64>,
    all_answered: bool,
    is_cut: bool,
    is_quiet: bool,
}

impl Entry {
    /// What came of the publish, once it is certain.
    fn decide(&self, horizon: Horizon) -> Option<Published> {
        if let Some(why) = &self.returned {
            return Some(Published::Returned(why.clone()));
        }
        let observed = self.answer.as_ref()?;
        let answer = match &observed.answer {
            // Confirms that were completed before it may carry its message.
            Answer::Failed(_) if observed.sweep >= horizon.sweep => return None,
            Answer::Failed(known) => return Some(known.clone()),
            Answer::Acked => Published::Confirmed,
            Answer::Nacked => Published::Nacked,
        };
        if self.is_doubtful {
            return Some(Published::Lost(CANNOT_TELL.to_owned()));
        }
        if observed.is_last_word(horizon) {
            return Some(answer);
        }
        let is_hopeless = horizon.all_answered && horizon.is_cut && horizon.is_quiet;
        is_hopeless.then(|| Published::Lost(CANNOT_TELL.to_owned()))
    }
}

impl ObservedAnswer {
    /// Whether every message was observed that the broker returned before this answer.
    fn is_last_word(&self, horizon: Horizon) -> bool {
        let none_later = horizon.none_in_sweep.is_some_and(|it| it >= self.sweep + 2);
        (self.carried_none && self.sweep < horizon.sweep)
            || none_later
            || (horizon.all_answered && !horizon.is_cut)
    }
}

/// The publishes of a channel whose outcome is not known.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: HashMap<Tag, Entry>,
    by_key: HashMap<MessageKey, Vec<Tag>>,
    /// Publishes that were answered or returned, and are not decided.
    open: Vec<Tag>,
    sweep: u64,
    unanswered: usize,
    /// Whether a confirm that carried nothing was observed since the last sweep began.
    saw_none: bool,
    /// The last sweep before this one that observed a confirm that carried nothing.
    none_in_sweep: Option<u64>,
    /// Whether an answer failed: messages that were returned may never be seen.
    is_cut: bool,
}

impl Ledger {
    /// A publish is about to be handed over.
    pub fn register(&mut self, tag: Tag, key: Option<MessageKey>) {
        if let Some(key) = &key {
            self.by_key.entry(key.clone()).or_default().push(tag);
        }
        let entry =
            Entry { key, answer: None, returned: None, is_doubtful: false, is_decided: false };
        self.entries.insert(tag, entry);
        self.unanswered += 1;
    }

    /// How many publishes have no answer.
    pub fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// Whether a publish was answered, and it is not certain yet what came of it.
    pub fn is_answered(&self, tag: Tag) -> bool {
        let entry = self.entries.get(&tag);
        entry.is_some_and(|entry| entry.answer.is_some())
    }

    /// What is completed from here on belongs to this sweep or to a later one.
    pub fn begin_sweep(&mut self) {
        if std::mem::take(&mut self.saw_none) {
            self.none_in_sweep = Some(self.sweep);
        }
        self.sweep += 1;
    }

    /// The answer to a publish was observed, with a returned message that may be another publish's.
    pub fn resolve(&mut self, tag: Tag, answer: Answer, carried: Option<ReturnedMessage>) {
        let is_failure = matches!(answer, Answer::Failed(_));
        let carried_none = carried.is_none() && !is_failure;
        self.saw_none |= carried_none;
        self.is_cut |= is_failure;
        if let Some(entry) = self.entries.get_mut(&tag)
            && entry.answer.is_none()
        {
            self.unanswered -= 1;
            self.open.push(tag);
            entry.answer = Some(ObservedAnswer { answer, sweep: self.sweep, carried_none });
        }
        if let Some(message) = carried {
            self.note_return(message);
        }
    }

    fn note_return(&mut self, message: ReturnedMessage) {
        let named = message.key.and_then(|key| self.by_key.get(&key));
        match named.map(Vec::as_slice) {
            Some([only]) => {
                if let Some(entry) = self.entries.get_mut(only) {
                    entry.returned.get_or_insert(message.why);
                    self.open.push(*only);
                }
            }
            // A message that is on its way more than once: it may have been either.
            Some(several) => {
                for tag in several {
                    if let Some(entry) = self.entries.get_mut(tag) {
                        entry.is_doubtful = true;
                    }
                }
            }
            None => {
                for entry in self.entries.values_mut() {
                    entry.is_doubtful = true;
                }
            }
        }
    }

    /// What was completed before the sweep began is observed. Returns what is certain now. A sweep is
    /// quiet if it observed nothing.
    pub fn end_sweep(&mut self, is_quiet: bool) -> Vec<Decision> {
        let horizon = Horizon {
            sweep: self.sweep,
            none_in_sweep: self.none_in_sweep,
            all_answered: self.unanswered == 0,
            is_cut: self.is_cut,
            is_quiet,
        };
        let mut decisions = Vec::new();
        for tag in std::mem::take(&mut self.open) {
            let Some(entry) = self.entries.get_mut(&tag) else {
                continue;
            };
            if !entry.is_decided {
                let Some(published) = entry.decide(horizon) else {
                    self.open.push(tag);
                    continue;
                };
                entry.is_decided = true;
                decisions.push(Decision { tag, published });
            }
            if entry.answer.is_some() {
                self.forget(tag);
            }
        }
        decisions
    }

    fn forget(&mut self, tag: Tag) {
        let Some(Entry { key: Some(key), .. }) = self.entries.remove(&tag) else {
            return;
        };
        if let Some(tags) = self.by_key.get_mut(&key) {
            tags.retain(|other| *other != tag);
            if tags.is_empty() {
                self.by_key.remove(&key);
            }
        }
    }
}

/// Why an answered publish is unknown.
pub(super) const CANNOT_TELL: &str = "the broker answered, and it cannot be told whether it gave this message \
    or another one back";
