//! Bytes that are a message of Protobuf: of the type that their sender names, of the known type that they fit best, or
//! of none that is known.

use serde_json::Value;

use super::super::document::{Document, TypeId};
use super::super::formats::protobuf::{self, MessageId, ProtobufTypes};
use super::super::formats::ranked::{Ranked, is_likely};
use super::super::known_types::KnownTypes;
use super::super::step::{Certainty, Evidence, Format, Step};
use super::told;

/// Evidence, in bits, that bytes of which nobody says anything are a message rather than noise.
const BEYOND_NOISE: f64 = 16.0;

/// The same where they were written as base64 that nobody calls so.
const BEYOND_WORDS: f64 = 24.0;

/// Reads bytes as a type that is named. `None` if none is named that is known, or they do not fit it.
pub fn read_named(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    if protobuf::is_text(bytes) {
        return None;
    }
    let mut fitting =
        known.named_protobuf().filter(|(types, named)| protobuf::fits(types, named.id, bytes));
    let (types, named) = fitting.next()?;
    typed(types, named.id, bytes, Step::new(Format::Protobuf, named.evidence, bytes.len()))
}

/// Reads bytes that their sender calls Protobuf.
///
/// # Errors
/// Returns why they are not a message.
pub fn read_labelled(known: KnownTypes<'_>, bytes: &[u8]) -> Result<Document, String> {
    if let Some(document) = read_named(known, bytes) {
        return Ok(document);
    }
    let ranked = ranked(known, bytes, true);
    if let Some(document) = read_likely(known, &ranked, bytes) {
        return Ok(document);
    }
    let value = protobuf::read_untyped(bytes)?;
    let mut step = Step::new(Format::Protobuf, Evidence::Label, bytes.len());
    step.ranking = told(&ranked, |id| name(known, id));
    Ok(Document { step, value, is_outline: false, type_id: None })
}

/// Reads bytes of which nobody says what they are, where enough shows that they are a message.
pub fn read_unlabelled(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    let ranked = ranked(known, bytes, known.is_framed());
    if let Some(document) = read_likely(known, &ranked, bytes) {
        return Some(document);
    }
    let value = untyped(bytes, BEYOND_NOISE)?;
    let mut step = Step::new(Format::Protobuf, Evidence::Shape, bytes.len());
    step.certainty = Certainty::Likely;
    step.ranking = told(&ranked, |id| name(known, id));
    Some(Document { step, value, is_outline: false, type_id: None })
}

/// Whether bytes that were written as base64 are a message.
pub fn is_message(known: KnownTypes<'_>, bytes: &[u8]) -> bool {
    let named =
        || known.named_protobuf().any(|(types, named)| protobuf::fits(types, named.id, bytes));
    let fits = || is_likely(&ranked(known, bytes, false));
    named() || fits() || untyped(bytes, BEYOND_WORDS).is_some()
}

fn ranked(known: KnownTypes<'_>, bytes: &[u8], is_protobuf: bool) -> Vec<Ranked<MessageId>> {
    known.protobuf().map(|types| protobuf::rank(types, bytes, is_protobuf)).unwrap_or_default()
}

fn name(known: KnownTypes<'_>, id: MessageId) -> String {
    known.protobuf().map(|types| types.name(id).to_owned()).unwrap_or_default()
}

fn untyped(bytes: &[u8], beyond: f64) -> Option<Value> {
    let is_enough = protobuf::evidence(bytes).is_some_and(|bits| bits >= beyond);
    is_enough.then(|| protobuf::read_untyped(bytes).ok()).flatten()
}

fn read_likely(
    known: KnownTypes<'_>,
    ranked: &[Ranked<MessageId>],
    bytes: &[u8],
) -> Option<Document> {
    let first = ranked.first().filter(|_| is_likely(ranked))?;
    let mut step = Step::new(Format::Protobuf, Evidence::Fit, bytes.len());
    step.certainty = Certainty::Likely;
    step.ranking = told(ranked, |id| name(known, id));
    typed(known.protobuf()?, first.id, bytes, step)
}

fn typed(types: &ProtobufTypes, id: MessageId, bytes: &[u8], mut step: Step) -> Option<Document> {
    step.detail = Some(types.name(id).to_owned());
    let value = protobuf::read_typed(types, id, bytes).ok()?;
    Some(Document { step, value, is_outline: false, type_id: Some(TypeId::Protobuf(id)) })
}
