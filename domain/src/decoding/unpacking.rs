//! What was packed is unpacked: as the sender says, unless the bytes say otherwise.

use std::borrow::Cow;

use super::charset::Charset;
use super::coding::{self, Opened, Packed};
use super::formats::php;
use super::frame::{Frame, numbered};
use super::known_types::KnownTypes;
use super::labels::Labels;
use super::layer::Layer;
use super::message::is_message;
use super::step::{Evidence, Format, Step};

/// Codings that are undone, at most: senders name one or two.
const MOST_STEPS: usize = 8;

/// The shortest text that is taken for base64 although nobody calls it so, in bytes.
const LEAST_BASE64: usize = 16;

/// A body without what it was packed in.
#[derive(Debug, Clone)]
pub struct Unpacked<'a> {
    /// What came out; the body itself where nothing was undone.
    pub bytes: Cow<'a, [u8]>,
    /// Whether that is all of it.
    pub is_whole: bool,
    /// What was undone, in order.
    pub steps: Vec<Step>,
    /// The same, so that it can be done again.
    layers: Vec<Layer>,
    /// What the sender says that does not hold, as sentences.
    pub faults: Vec<String>,
    /// What is known of message types: also what stood before the message and named its schema.
    pub known: KnownTypes<'a>,
    /// The number of a schema that stands before the message and that nobody knows: a schema registry may.
    pub unknown_schema: Option<u32>,
}

/// Unpacks a body, or the first bytes of one that is not `whole`, to at most `most` bytes: what the sender names, and
/// what the bytes show without that.
#[must_use]
pub fn unpack<'a>(labels: Labels<'a>, body: &'a [u8], whole: bool, most: usize) -> Unpacked<'a> {
    let mut unpacked = unpack_named(labels, body, whole, most);
    while unpacked.undo_by_magic(most) || unpacked.undo_base64(labels, most) {}
    if unpacked.undo_frame() {
        unpacked.undo_by_magic(most);
    }
    if let Some((charset, read)) = Charset::named(labels, &unpacked.bytes, unpacked.is_whole) {
        let (step, text) = (read.step, read.text.into_owned());
        unpacked.take_text(charset, step, text);
    }
    unpacked
}

/// The same for what the sender names alone. Where that does not hold, and nothing else is told by the bytes, what
/// came before is left as it is.
#[must_use]
pub fn unpack_named<'a>(
    labels: Labels<'a>,
    body: &'a [u8],
    whole: bool,
    most: usize,
) -> Unpacked<'a> {
    let mut unpacked = Unpacked {
        bytes: Cow::Borrowed(body),
        is_whole: whole,
        steps: Vec::new(),
        layers: Vec::new(),
        faults: Vec::new(),
        known: labels.known,
        unknown_schema: None,
    };
    // What was applied last stands last.
    for name in labels.encodings().into_iter().rev() {
        if let Some(format) = coding::named(&name)
            && !unpacked.undo_named(&name, format, most)
        {
            break;
        }
    }
    unpacked
}

impl Unpacked<'_> {
    /// Packs other bytes as these were.
    ///
    /// # Errors
    /// Returns why it cannot be done, as a sentence without its end.
    pub fn pack(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        self.layers.iter().rev().try_fold(bytes, |bytes, layer| layer.pack(&bytes))
    }

    /// Undoes what the sender names; says whether it, or what it really is, was undone.
    fn undo_named(&mut self, name: &str, format: Format, most: usize) -> bool {
        if self.steps.len() >= MOST_STEPS {
            self.faults.push("It is packed too often: the rest is left as it is.".to_owned());
            return false;
        }
        match coding::open(format, self.packed(most)) {
            Ok((format, opened)) => {
                self.take(format, Evidence::Label, opened);
                true
            }
            Err(why) => {
                let is_other = self.undo_by_magic(most);
                let is = match self.steps.last() {
                    Some(step) if is_other => format!("it is {}", step.format.name()),
                    _ => format!("it cannot be unpacked: {why}"),
                };
                self.faults.push(format!("The sender calls the body {name}, but {is}."));
                is_other
            }
        }
    }

    fn undo_by_magic(&mut self, most: usize) -> bool {
        let Some(format) = coding::by_magic(&self.bytes) else { return false };
        if self.steps.len() >= MOST_STEPS {
            return false;
        }
        match coding::open(format, self.packed(most)) {
            // Two bytes are no proof, and what holds without a frame is none either.
            Ok((Format::Deflate, _)) | Err(_) => false,
            Ok((format, opened)) => {
                self.take(format, Evidence::Magic, opened);
                true
            }
        }
    }

    /// Undoes base64 that nobody named, where what comes out is something.
    fn undo_base64(&mut self, labels: Labels<'_>, most: usize) -> bool {
        let text = self.bytes.trim_ascii();
        let is_letter = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\r' | b'\n')
        };
        if self.steps.len() >= MOST_STEPS
            || text.len() < LEAST_BASE64
            || !text.iter().all(is_letter)
        {
            return false;
        }
        let Ok((format, opened)) = coding::open(Format::Base64, self.packed(most)) else {
            return false;
        };
        if !says_something(&opened.bytes) && !is_message(labels.known, &opened.bytes) {
            return false;
        }
        self.take(format, Evidence::Shape, opened);
        true
    }

    /// Takes off what stands before a message and names its schema; says whether something did.
    fn undo_frame(&mut self) -> bool {
        let number = numbered(&self.bytes).map(|(number, _)| number);
        self.unknown_schema = number.filter(|number| self.known.registered(*number).is_none());
        match Frame::of(self.known, &self.bytes, self.is_whole) {
            Ok(None) => false,
            Err(unknown) => {
                self.faults.push(unknown);
                false
            }
            Ok(Some(frame)) => {
                let message = self.bytes[frame.bytes..].to_vec();
                let mut step = Step::new(frame.format, Evidence::Magic, message.len());
                step.detail = Some(frame.detail);
                self.steps.push(step);
                self.layers.push(Layer::Prefix(self.bytes[..frame.bytes].to_vec()));
                self.bytes = Cow::Owned(message);
                self.known = frame.known;
                true
            }
        }
    }

    /// Takes a text as UTF-8 that is in another charset.
    pub(super) fn take_text(&mut self, charset: Charset, mut step: Step, text: String) {
        step.bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        self.steps.push(step);
        self.layers.push(Layer::Charset(charset));
        self.bytes = Cow::Owned(text.into_bytes());
    }

    fn packed(&self, most: usize) -> Packed<'_> {
        Packed { bytes: &self.bytes, is_whole: self.is_whole, most }
    }

    fn take(&mut self, format: Format, evidence: Evidence, opened: Opened) {
        self.steps.push(Step::new(format, evidence, opened.bytes.len()));
        self.layers.extend(Layer::of(format, &self.bytes));
        self.is_whole = opened.is_whole;
        self.bytes = Cow::Owned(opened.bytes);
    }
}

/// Whether bytes are something by themselves: a word of letters alone is base64, too, and comes out as noise.
fn says_something(bytes: &[u8]) -> bool {
    coding::by_magic(bytes).is_some()
        || (php::may_begin(bytes) && php::read(bytes).is_ok())
        || std::str::from_utf8(bytes)
            .is_ok_and(|text| text.trim_start().starts_with(['{', '[', '<', '"']))
}

#[cfg(test)]
mod tests;
