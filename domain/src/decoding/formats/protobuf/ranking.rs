//! Which of all known message types bytes are of.

use super::super::ranked::{Others, Ranked};
use super::fit::fit;
use super::types::{MessageId, MessageType, Place, ProtobufTypes};
use super::untyped::evidence;
use super::wire::{WireFields, WireValue};

/// What a type that stands within another one is less likely to be sent by itself, in bits.
const WITHIN: f64 = 1.0;

/// Types that are read whatever the body has, so that the best has others beside it.
const LEAST_READ: usize = 3;

/// Bytes that are read for one ranking, for all types together: of a small body, each type that may be its own is
/// tried, and of a large one the few that have most of its fields.
const MOST_READ_BYTES: usize = 512 * 1024;

/// Different fields of a body that is ranked: one with more of them is hardly of a known type.
const MOST_FIELDS: usize = 128;

/// The ten known types that bytes are likeliest of, the likeliest first. Empty where the bytes are no message.
#[must_use]
pub fn rank(types: &ProtobufTypes, bytes: &[u8], is_protobuf: bool) -> Vec<Ranked<MessageId>> {
    let Some(outline) = Outline::of(bytes) else { return Vec::new() };
    let mut places: Vec<(u32, MessageId)> =
        types.sendable().map(|id| (outline.misses(types.message(id)), id)).collect();
    places.sort_by_key(|(misses, id)| (*misses, id.0));
    let least = places.first().map_or(0, |(misses, _)| *misses);
    let near = places.iter().enumerate();
    let near = near.take_while(|(place, (misses, _))| *place < LEAST_READ || *misses <= least + 1);
    let ranked = near
        .take((MOST_READ_BYTES / bytes.len().max(1)).max(LEAST_READ))
        .filter_map(|(_, (_, id))| {
            let within = if types.message(*id).place == Place::Within { WITHIN } else { 0.0 };
            Some((*id, fit(types, *id, bytes)? - within))
        })
        .collect();
    let untyped = evidence(bytes).unwrap_or_default();
    Ranked::among(ranked, Others { known: types.len(), is_format: is_protobuf, untyped })
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
