//! Bytes that are a message of Protobuf: of the type that their sender names, of the known type that they fit best, or
//! of none that is known.

use serde_json::Value;

use super::document::Document;
use super::formats::protobuf::{self, MessageId, MessageTypes, Ranked};
use super::known_types::KnownTypes;
use super::step::{Certainty, Evidence, Format, RankedType, Step};

/// Evidence, in bits, that bytes of which nobody says anything are a message rather than noise.
const BEYOND_NOISE: f64 = 16.0;

/// The same where they were written as base64 that nobody calls so.
const BEYOND_WORDS: f64 = 24.0;

/// Reads bytes as the type that the sender names. `None` if none is named that is known, or they do not fit it.
pub fn read_named(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    let (types, id) = known.named()?;
    if protobuf::is_text(bytes) || !protobuf::fits(types, id, bytes) {
        return None;
    }
    typed(types, id, bytes, Step::new(Format::Protobuf, Evidence::Label, bytes.len()))
}

/// Reads bytes that their sender calls Protobuf.
///
/// # Errors
/// Returns why they are not a message.
pub fn read_labelled(known: KnownTypes<'_>, bytes: &[u8]) -> Result<Document, String> {
    if let Some(document) = read_named(known, bytes) {
        return Ok(document);
    }
    let ranked = known.ranked(bytes, true);
    if let Some(document) = read_likely(known, &ranked, bytes) {
        return Ok(document);
    }
    let value = protobuf::read_untyped(bytes)?;
    let mut step = Step::new(Format::Protobuf, Evidence::Label, bytes.len());
    step.ranking = told(known, &ranked);
    Ok(Document { step, value })
}

/// Reads bytes of which nobody says what they are, where enough shows that they are a message.
pub fn read_unlabelled(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    if protobuf::is_text(bytes) {
        return None;
    }
    let ranked = known.ranked(bytes, false);
    if let Some(document) = read_likely(known, &ranked, bytes) {
        return Some(document);
    }
    let value = untyped(bytes, BEYOND_NOISE)?;
    let mut step = Step::new(Format::Protobuf, Evidence::Shape, bytes.len());
    step.certainty = Certainty::Likely;
    step.ranking = told(known, &ranked);
    Some(Document { step, value })
}

/// Whether bytes that were written as base64 are a message.
pub fn is_message(known: KnownTypes<'_>, bytes: &[u8]) -> bool {
    let named = || known.named().is_some_and(|(types, id)| protobuf::fits(types, id, bytes));
    let ranked = || known.likely(&known.ranked(bytes, false)).is_some();
    !protobuf::is_text(bytes) && (named() || ranked() || untyped(bytes, BEYOND_WORDS).is_some())
}

fn untyped(bytes: &[u8], beyond: f64) -> Option<Value> {
    let is_enough = protobuf::evidence(bytes).is_some_and(|bits| bits >= beyond);
    is_enough.then(|| protobuf::read_untyped(bytes).ok()).flatten()
}

fn read_likely(known: KnownTypes<'_>, ranked: &[Ranked], bytes: &[u8]) -> Option<Document> {
    let (types, id) = known.likely(ranked)?;
    let mut step = Step::new(Format::Protobuf, Evidence::Fit, bytes.len());
    step.certainty = Certainty::Likely;
    step.ranking = told(known, ranked);
    typed(types, id, bytes, step)
}

fn typed(types: &MessageTypes, id: MessageId, bytes: &[u8], mut step: Step) -> Option<Document> {
    step.detail = Some(types.name(id).to_owned());
    Some(Document { step, value: protobuf::read_typed(types, id, bytes).ok()? })
}

fn told(known: KnownTypes<'_>, ranked: &[Ranked]) -> Vec<RankedType> {
    let Some(types) = known.types() else { return Vec::new() };
    let told = ranked.iter().map(|one| RankedType {
        message_type: types.name(one.id).to_owned(),
        percent: percent(one.share),
        bits: whole_bits(one.bits),
    });
    told.collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
fn percent(share: f64) -> u8 {
    (share * 100.0).clamp(0.0, 100.0).round() as u8
}

#[expect(clippy::cast_possible_truncation, reason = "a cast of a float keeps to the bounds")]
fn whole_bits(bits: f64) -> i32 {
    bits.round() as i32
}
