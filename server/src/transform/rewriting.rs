//! The office's side of a change: values are taken out of bodies for the program, and what it makes of them is put in.

use std::sync::Arc;

use dlo_domain::decoding::{BodyHead, MessageTypes, Rewritable};

use super::{MOST_UNPACKED_BYTES, Made, too_large};

/// Values that are in memory at once, in bytes of JSON; more of one body go alone.
const MOST_BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// A body that a program is to be asked of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unchanged {
    /// What its sender says of it.
    pub head: BodyHead,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// Some of the bodies.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) bodies: Arc<Vec<Unchanged>>,
    /// The first that belongs to it.
    pub(super) from: usize,
    pub(super) types: Arc<MessageTypes>,
}

impl Part {
    /// The values of the next bodies as JSON, at least of one: or why they cannot be changed. One that cannot be is the
    /// last of its part, whatever was done to find that out.
    pub(super) fn read(&self) -> Vec<Result<String, String>> {
        let mut texts = Vec::new();
        let mut bytes = 0;
        for one in &self.bodies[self.from..] {
            let text = values(one, &self.types);
            bytes += text.as_ref().map_or(0, String::len);
            if bytes > MOST_BYTES_AT_ONCE && !texts.is_empty() {
                break;
            }
            let is_last = text.is_err();
            texts.push(text);
            if is_last {
                break;
            }
        }
        texts
    }

    /// What became of the bodies that were read: those with values have an answer each.
    pub(super) fn write(&self, read: Vec<Result<String, String>>, answers: Vec<Made>) -> Vec<Made> {
        let mut answers = answers.into_iter();
        let each = self.bodies[self.from..].iter().zip(read);
        let made = each.map(|(one, read)| match read {
            Err(why) => Made::Failed(why),
            Ok(_) => match answers.next() {
                Some(Made::Changed(json)) => rewritten(one, &self.types, &json),
                Some(other) => other,
                None => Made::Failed("the jq program gave no answer for it".to_owned()),
            },
        });
        made.collect()
    }
}

fn values(one: &Unchanged, types: &MessageTypes) -> Result<String, String> {
    let body = Rewritable::read(one.head.labels(types), &one.body, MOST_UNPACKED_BYTES);
    let body = body.map_err(|_| too_large())?;
    body.can_be_rewritten().map_err(|why| format!("its body cannot be changed: {why}"))?;
    let values = body.values().ok_or("its body has no values")?;
    Ok(values.into_owned())
}

fn rewritten(one: &Unchanged, types: &MessageTypes, json: &[u8]) -> Made {
    let write = || {
        let body = Rewritable::read(one.head.labels(types), &one.body, MOST_UNPACKED_BYTES);
        let body = body.map_err(|_| too_large())?;
        let json = std::str::from_utf8(json).map_err(|why| why.to_string())?;
        let written = body.with_values(json)?;
        if written.len() > MOST_UNPACKED_BYTES { Err(too_large()) } else { Ok(written) }
    };
    match write() {
        Ok(body) => Made::Changed(body),
        Err(why) => Made::Failed(format!("what the jq program gives cannot be sent: {why}")),
    }
}
