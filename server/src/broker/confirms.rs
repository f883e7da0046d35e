//! What came of the messages of a batch, which had a channel to themselves: which were confirmed, and which
//! were returned.
//!
//! lapin attaches a returned message to whichever confirm it completes next, and completes those of one
//! `multiple` in the order of a hash map. So the attachment says nothing; the message itself names its publish.
//! The broker returns a message before it confirms it, and lapin has each confirm take the oldest returned message
//! that waits. So when every confirm of a batch is there, every returned message is. A batch that was cut off
//! has no such end: there, a confirm that took none was completed when none waited, and is believed.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use dlo_domain::republish::{LETTER, REPLAY};
use lapin::message::BasicReturnMessage;
use lapin::types::AMQPValue;
use lapin::{BasicProperties, Confirmation};

use super::Published;

/// What a message is known by when it is returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum MessageKey {
    /// A letter of a replay.
    Letter { letter: Vec<u8>, replay: Vec<u8> },
    /// Any other message that has an id.
    Message(String),
}

impl MessageKey {
    /// Returns `None` if nothing tells the message from others.
    pub fn of(properties: &BasicProperties) -> Option<Self> {
        let headers = properties.headers().as_ref().map(lapin::types::FieldTable::inner);
        let mark = |name: &str| match headers?.get(name)? {
            AMQPValue::LongString(text) => Some(text.as_bytes().to_vec()),
            _ => None,
        };
        if let (Some(letter), Some(replay)) = (mark(LETTER), mark(REPLAY)) {
            return Some(Self::Letter { letter, replay });
        }
        let id = properties.message_id().as_ref()?;
        Some(Self::Message(id.as_str().to_owned()))
    }
}

/// The end of one publish, without what the broker returned of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It was confirmed.
    Acked,
    /// It was refused by a queue.
    Nacked,
    /// No answer of the broker's came. This is what is known instead.
    Missing(Published),
}

/// A message that the broker returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReturnedMessage {
    /// The publish that it names.
    pub key: Option<MessageKey>,
    /// Why it was returned.
    pub why: String,
}

/// A publish that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    /// What it is known by.
    pub key: Option<MessageKey>,
    /// How it ended.
    pub answer: Answer,
    /// A returned message that its confirm brought along, its own or another's.
    pub carried: Option<ReturnedMessage>,
}

impl Ended {
    /// A publish that the broker did not answer.
    pub fn without_answer(key: Option<MessageKey>, known: Published) -> Self {
        Self { key, answer: Answer::Missing(known), carried: None }
    }

    /// Reads what lapin says of a publish.
    pub fn read(key: Option<MessageKey>, confirmation: lapin::Result<Confirmation>) -> Self {
        let (answer, carried) = match confirmation {
            Ok(Confirmation::Ack(returned)) => (Answer::Acked, returned.map(read_returned)),
            Ok(Confirmation::Nack(returned)) => (Answer::Nacked, returned.map(read_returned)),
            Ok(Confirmation::NotRequested) => {
                let why = "the channel has no confirms".to_owned();
                (Answer::Missing(Published::Lost(why)), None)
            }
            Err(why) => (Answer::Missing(Published::Lost(why.to_string())), None),
        };
        Self { key, answer, carried }
    }
}

fn read_returned(message: BasicReturnMessage) -> ReturnedMessage {
    let BasicReturnMessage { delivery, reply_code, reply_text } = message;
    ReturnedMessage {
        key: MessageKey::of(&delivery.properties),
        why: format!("the broker returned it: {reply_code} {reply_text}"),
    }
}

/// Why an answered publish is unknown.
const CANNOT_TELL: &str = "the broker answered, and it cannot be told whether it gave this message \
    or another one back";

/// What came of the messages of a batch, in their order.
pub(super) fn decide(batch: Vec<Ended>) -> Vec<Published> {
    let mut named: HashMap<MessageKey, usize> = HashMap::new();
    for key in batch.iter().filter_map(|one| one.key.clone()) {
        *named.entry(key).or_default() += 1;
    }
    let mut returned: HashMap<MessageKey, String> = HashMap::new();
    let mut is_anybodys = false;
    for message in batch.iter().filter_map(|one| one.carried.clone()) {
        match message.key.filter(|key| named.contains_key(key)) {
            Some(key) => drop(returned.insert(key, message.why)),
            None => is_anybodys = true,
        }
    }
    let is_cut = batch.iter().any(|one| matches!(one.answer, Answer::Missing(Published::Lost(_))));
    let published = batch.into_iter().map(|one| {
        let why = one.key.as_ref().and_then(|key| returned.get(key));
        let is_only = one.key.as_ref().is_some_and(|key| named.get(key) == Some(&1));
        let may_wait = is_cut && one.carried.is_some();
        match (why, one.answer) {
            (Some(why), _) if is_only => Published::Returned(why.clone()),
            (_, Answer::Missing(known)) => known,
            (Some(_), _) => Published::Lost(CANNOT_TELL.to_owned()),
            (None, _) if is_anybodys || may_wait => Published::Lost(CANNOT_TELL.to_owned()),
            (None, Answer::Acked) => Published::Confirmed,
            (None, Answer::Nacked) => Published::Nacked,
        }
    });
    published.collect()
}
