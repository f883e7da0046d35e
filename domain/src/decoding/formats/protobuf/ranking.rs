//! Which of all known message types bytes are of.

use super::fit::fit;
use super::types::{MessageId, MessageType, MessageTypes, Place};
use super::untyped::evidence;
use super::wire::{WireFields, WireValue};

/// How much likelier it is, before a byte was seen, that bytes are noise than that they are of one of the known types,
/// in bits.
const NOISE: f64 = 10.0;

/// The same for messages of a type that is not known.
const UNKNOWN: f64 = 6.0;

/// What a type that stands within another one is less likely to be sent by itself, in bits.
const WITHIN: f64 = 1.0;

/// How many types are ranked.
const MOST_RANKED: usize = 10;

/// Types that are read whatever the body has, so that the best has others beside it.
const LEAST_READ: usize = 3;

/// Bytes that are read for one ranking, for all types together: of a small body, each type that may be its own is
/// tried, and of a large one the few that have most of its fields.
const MOST_READ_BYTES: usize = 512 * 1024;

/// Different fields of a body that is ranked: one with more of them is hardly of a known type.
const MOST_FIELDS: usize = 128;

/// A message type that bytes may be of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The type.
    pub id: MessageId,
    /// How well they fit, in bits saved beside noise.
    pub bits: f64,
    /// How likely it is of all known types, and of being none of them: from 0 to 1.
    pub share: f64,
}

/// The ten known types that bytes are likeliest of, the likeliest first. Empty where the bytes are no message.
#[must_use]
pub fn rank(types: &MessageTypes, bytes: &[u8], is_protobuf: bool) -> Vec<Ranked> {
    let Some(outline) = Outline::of(bytes) else { return Vec::new() };
    let mut places: Vec<(u32, MessageId)> =
        types.sendable().map(|id| (outline.misses(types.message(id)), id)).collect();
    places.sort_by_key(|(misses, id)| (*misses, id.0));
    let least = places.first().map_or(0, |(misses, _)| *misses);
    let near = places.iter().enumerate();
    let near = near.take_while(|(place, (misses, _))| *place < LEAST_READ || *misses <= least + 1);
    let mut ranked: Vec<Ranked> = near
        .take((MOST_READ_BYTES / bytes.len().max(1)).max(LEAST_READ))
        .filter_map(|(_, (_, id))| {
            let within = if types.message(*id).place == Place::Within { WITHIN } else { 0.0 };
            let bits = fit(types, *id, bytes)? - within;
            Some(Ranked { id: *id, bits, share: 0.0 })
        })
        .collect();
    ranked.sort_by(|one, other| other.bits.total_cmp(&one.bits));
    #[expect(clippy::cast_precision_loss, reason = "types are thousands at most")]
    let all = (types.len().max(1) as f64).log2();
    let noise = if is_protobuf { 0.0 } else { NOISE };
    let unknown = UNKNOWN + evidence(bytes).unwrap_or_default();
    let none = all + (noise.exp2() + unknown.min(1_000.0).exp2()).log2();
    let most = ranked.first().map_or(none, |first| first.bits.max(none));
    let weight = |bits: f64| (bits - most).exp2();
    let sum = weight(none) + ranked.iter().map(|one| weight(one.bits)).sum::<f64>();
    for one in &mut ranked {
        one.share = weight(one.bits) / sum;
    }
    ranked.truncate(MOST_RANKED);
    ranked
}

/// Whether bytes that were ranked so are likelier of one of these types than of none.
#[must_use]
pub fn is_likely(ranked: &[Ranked]) -> bool {
    ranked.iter().map(|one| one.share).sum::<f64>() >= 0.5
}

/// The fields of a message, without what is within them.
struct Outline(Vec<(u32, u8)>);

impl Outline {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut fields = Vec::new();
        for field in WireFields::of(bytes) {
            let field = field.ok()?;
            let one = (field.number, written_as(&field.value));
            if !fields.contains(&one) {
                fields.push(one);
            }
            if fields.len() > MOST_FIELDS {
                return None;
            }
        }
        (!fields.is_empty()).then_some(Self(fields))
    }

    /// How many of them a type does not declare so.
    fn misses(&self, message: &MessageType) -> u32 {
        let declared = |(number, wire): &&(u32, u8)| {
            message.field(*number).is_some_and(|field| {
                let own = field.kind.wire_type();
                own == *wire || (field.is_repeated() && *wire == BYTES)
            })
        };
        let known = self.0.iter().filter(declared).count();
        u32::try_from(self.0.len() - known).unwrap_or(u32::MAX)
    }
}

/// The wire type of what has a length.
const BYTES: u8 = 2;

fn written_as(value: &WireValue<'_>) -> u8 {
    match value {
        WireValue::Varint(_) => 0,
        WireValue::Fixed64(_) => 1,
        WireValue::Bytes(_) => BYTES,
        WireValue::Group(_) => 3,
        WireValue::Fixed32(_) => 5,
    }
}
