//! Bytes that are a value of Avro: by the schema that their sender or a fingerprint names, or by the known one that
//! they fit best.

use super::super::document::{Document, TypeId};
use super::super::formats::avro::{AvroId, AvroTypes};
use super::super::formats::ranked::{Ranked, is_likely};
use super::super::frame::numbered;
use super::super::known_types::{AvroNamed, KnownTypes};
use super::super::step::{Certainty, Evidence, Format, Step};
use super::told;

/// Reads bytes by a schema that is named: the newest of its name that they are of. `None` if none is named that is
/// known, or they do not fit it.
pub fn read_named(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    known.named_avro().find_map(|named| {
        named.schemas.iter().find_map(|id| {
            let step = Step::new(Format::Avro, named.evidence, bytes.len());
            typed(named.types, *id, bytes, step)
        })
    })
}

/// The same where what stands before the bytes names the schema: whatever they look like, they are of it.
pub fn read_framed(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    let is_told = |evidence| matches!(evidence, Evidence::Fingerprint | Evidence::Registry);
    known.named_avro().find(|named| is_told(named.evidence))?;
    read_named(known, bytes)
}

/// Reads bytes that their sender calls Avro, and that have no schema with them.
///
/// # Errors
/// Returns why they are not read, as a sentence.
pub fn read_labelled(known: KnownTypes<'_>, bytes: &[u8]) -> Result<Document, String> {
    let likely = || read_likely(known, &ranked(known, bytes, true), bytes);
    read_named(known, bytes).or_else(likely).ok_or_else(|| {
        let named = numbered(bytes).map(|(number, _)| {
            format!(" (if a schema registry's client wrote it, it is of schema {number})")
        });
        let known = match known.avro() {
            Some(types) if !types.is_empty() => "it fits none that is known: upload its own",
            _ => "none is known: upload one",
        };
        format!(
            "The sender calls it Avro. It has no schema with it{}, and {known} on Schemas.",
            named.unwrap_or_default()
        )
    })
}

/// Reads bytes of which nobody says what they are by the schema that they fit best; `None` if they hardly fit one.
pub fn read_fitting(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    read_likely(known, &ranked(known, bytes, known.is_framed()), bytes)
}

/// Whether bytes that were written as base64, or that stand behind a frame, are a message.
pub fn is_message(known: KnownTypes<'_>, bytes: &[u8]) -> bool {
    read_named(known, bytes).is_some() || is_likely(&ranked(known, bytes, known.is_framed()))
}

/// How well bytes fit the schema that they are likeliest of, in bits; `None` if they hardly fit one.
pub fn best_bits(known: KnownTypes<'_>, bytes: &[u8]) -> Option<f64> {
    let fits =
        |named: AvroNamed<'_>| named.schemas.iter().any(|id| named.types.read(*id, bytes).is_ok());
    if known.named_avro().any(fits) {
        return Some(f64::INFINITY);
    }
    let ranked = ranked(known, bytes, true);
    ranked.first().filter(|_| is_likely(&ranked)).map(|first| first.bits)
}

fn ranked(known: KnownTypes<'_>, bytes: &[u8], is_avro: bool) -> Vec<Ranked<AvroId>> {
    known.avro().map(|types| types.rank(bytes, is_avro)).unwrap_or_default()
}

fn read_likely(known: KnownTypes<'_>, ranked: &[Ranked<AvroId>], bytes: &[u8]) -> Option<Document> {
    let types = known.avro()?;
    let first = ranked.first().filter(|_| is_likely(ranked))?;
    let mut step = Step::new(Format::Avro, Evidence::Fit, bytes.len());
    step.certainty = Certainty::Likely;
    step.ranking = told(ranked, |id| types.name(id).unwrap_or_default().to_owned());
    typed(types, first.id, bytes, step)
}

fn typed(types: &AvroTypes, id: AvroId, bytes: &[u8], mut step: Step) -> Option<Document> {
    step.detail = types.name(id).map(ToOwned::to_owned);
    let value = types.read(id, bytes).ok()?;
    Some(Document { step, value, is_outline: false, type_id: Some(TypeId::Avro(id)) })
}
