//! Bytes that are a message of a type that a schema tells of: of the type that their sender names, of the known type
//! that they fit best, or of none that is known.

pub(super) mod avro;
pub(super) mod protobuf;

use super::document::Document;
use super::formats::protobuf::is_text;
use super::formats::ranked::Ranked;
use super::known_types::KnownTypes;
use super::step::{Evidence, RankedType};

/// Reads bytes by the type that is named. `None` if none is named that is known, or they do not fit it.
pub fn read_named(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    if let Some(document) = avro::read_framed(known, bytes) {
        return Some(document);
    }
    if is_text(bytes) {
        return None;
    }
    protobuf::read_named(known, bytes).or_else(|| avro::read_named(known, bytes))
}

/// Reads bytes of which nobody says what they are, where enough shows that they are a message.
pub fn read_unlabelled(known: KnownTypes<'_>, bytes: &[u8]) -> Option<Document> {
    if is_text(bytes) {
        return None;
    }
    let of_protobuf = protobuf::read_unlabelled(known, bytes);
    let of_avro = avro::read_fitting(known, bytes);
    let bits = |document: &Document| match document.step.evidence {
        Evidence::Fit => document.step.ranking.first().map_or(0, |first| first.bits),
        // What is known by no type gives way to what fits one.
        _ => 0,
    };
    [of_protobuf, of_avro].into_iter().flatten().max_by_key(bits)
}

/// Whether bytes that were written as base64, or that stand behind a frame, are a message.
pub fn is_message(known: KnownTypes<'_>, bytes: &[u8]) -> bool {
    !is_text(bytes) && (protobuf::is_message(known, bytes) || avro::is_message(known, bytes))
}

fn told<T: Copy>(ranked: &[Ranked<T>], name: impl Fn(T) -> String) -> Vec<RankedType> {
    let told = ranked.iter().map(|one| RankedType {
        message_type: name(one.id),
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
