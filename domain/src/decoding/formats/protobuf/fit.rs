//! How well bytes fit a message type, as evidence in bits.
//!
//! It is counted how many bits shorter the bytes can be written by somebody who knows the type than by somebody who
//! takes them for noise. What a type foretells saves bits: that a field stands there, that a flag is 0 or 1, that a text
//! is UTF-8. What it does not foretell costs some: an undeclared field, a value that no sender writes. Declared fields
//! that are left out cost little where many are, and more where all others stand there.

use super::super::Gauge;
use super::super::evidence::{IMPOSSIBLE, UNLIKELY, bits_of, fraction, size, text};
use super::types::{EnumId, FieldType, Kind, MessageId, MessageType, Occurs, ProtobufTypes};
use super::wire::{WireField, WireFields, WireValue, take_fixed};

/// What a field costs that the type does not declare. Senders may know a newer type than we do.
const UNDECLARED: f64 = -12.0;

/// What it costs that a value is written in a way that readers understand and few senders write.
const ODD: f64 = -8.0;

/// How well bytes fit a type, in bits saved: below 0 they fit it less than noise would. `None` where they are not a
/// message at all, or too large a one.
pub fn fit(types: &ProtobufTypes, id: MessageId, bytes: &[u8]) -> Option<f64> {
    Fitting { types, gauge: Gauge::default() }.message(id, bytes).ok()
}

/// Whether bytes can well be of a type: at most one field of theirs is not foretold by it.
pub fn fits(types: &ProtobufTypes, id: MessageId, bytes: &[u8]) -> bool {
    fit(types, id, bytes).is_some_and(|bits| bits >= UNDECLARED)
}

struct Fitting<'a> {
    types: &'a ProtobufTypes,
    gauge: Gauge,
}

impl Fitting<'_> {
    fn message(&mut self, id: MessageId, bytes: &[u8]) -> Result<f64, String> {
        self.gauge.enter()?;
        let message = self.types.message(id);
        let mut counts = vec![0_u32; message.fields.len()];
        let mut bits = 0.0;
        for field in WireFields::of(bytes) {
            self.gauge.value()?;
            let WireField { number, value, key_bytes, .. } = field?;
            let Some(place) = message.place_of(number) else {
                bits += UNDECLARED;
                continue;
            };
            counts[place] += 1;
            let declared = &message.fields[place];
            bits += 8.0 * bits_of(key_bytes) + self.field(declared, value)?;
            if is_odd(declared, value) {
                bits += ODD;
            }
        }
        self.gauge.leave();
        Ok(bits + presence(message, &counts))
    }

    fn field(&mut self, field: &FieldType, value: WireValue<'_>) -> Result<f64, String> {
        match (field.kind, value) {
            (Kind::String, WireValue::Bytes(bytes)) => Ok(text(bytes)),
            (Kind::Bytes, WireValue::Bytes(_)) => Ok(0.0),
            (Kind::Message(id), WireValue::Bytes(bytes))
            | (Kind::Group(id), WireValue::Group(bytes)) => {
                // What is not a message may be octets of another type: it is not the end of the comparison.
                let level = self.gauge.level;
                let inner = self.message(id, bytes);
                self.gauge.level = level;
                Ok(inner.unwrap_or(IMPOSSIBLE))
            }
            (kind, WireValue::Bytes(bytes)) if field.is_repeated() => self.packed(kind, bytes),
            (kind, WireValue::Varint(number)) => Ok(self.varint(kind, number)),
            (kind, WireValue::Fixed32(bits)) => Ok(fixed32(kind, bits)),
            (kind, WireValue::Fixed64(bits)) => Ok(fixed64(kind, bits)),
            _ => Ok(IMPOSSIBLE),
        }
    }

    /// Numbers without keys.
    fn packed(&mut self, kind: Kind, mut bytes: &[u8]) -> Result<f64, String> {
        let mut saved = 0.0;
        while !bytes.is_empty() {
            self.gauge.value()?;
            let one = match kind {
                Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => {
                    take_fixed(&mut bytes).map(|four| fixed32(kind, u32::from_le_bytes(four)))
                }
                Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => {
                    take_fixed(&mut bytes).map(|eight| fixed64(kind, u64::from_le_bytes(eight)))
                }
                Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Group(_) => {
                    return Ok(IMPOSSIBLE);
                }
                _ => prost::encoding::decode_varint(&mut bytes)
                    .map(|number| self.varint(kind, number))
                    .map_err(|why| why.to_string()),
            };
            match one {
                Ok(bits) => saved += bits,
                Err(_) => return Ok(IMPOSSIBLE),
            }
        }
        Ok(saved)
    }

    fn varint(&self, kind: Kind, number: u64) -> f64 {
        let written = 8.0 * bits_of(prost::encoding::encoded_len_varint(number));
        let signed = number.cast_signed();
        let is_short = i32::try_from(signed).is_ok();
        let zigzag = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
        match kind {
            Kind::Bool if number <= 1 => 7.0,
            Kind::Enum(id) => self.enum_value(id, signed, written),
            Kind::Int32 if is_short => written - size(signed.unsigned_abs()),
            Kind::Uint32 if u32::try_from(number).is_ok() => written - size(number),
            Kind::Sint32 if i32::try_from(zigzag).is_ok() => written - size(zigzag.unsigned_abs()),
            Kind::Int64 => written - size(signed.unsigned_abs()),
            Kind::Uint64 => written - size(number),
            Kind::Sint64 => written - size(zigzag.unsigned_abs()),
            _ => IMPOSSIBLE,
        }
    }

    fn enum_value(&self, id: EnumId, number: i64, written: f64) -> f64 {
        let known = self.types.enum_type(id);
        match i32::try_from(number) {
            Ok(number) if known.name(number).is_some() => {
                written - bits_of(known.values.len()).log2()
            }
            // Enums grow, and what a newer one has is told by its number.
            Ok(_) => UNLIKELY,
            Err(_) => IMPOSSIBLE,
        }
    }
}

/// Whether a value is written that senders leave out, or apart where they write it with others.
fn is_odd(field: &FieldType, value: WireValue<'_>) -> bool {
    let is_nothing = match value {
        WireValue::Varint(number) | WireValue::Fixed64(number) => number == 0,
        WireValue::Fixed32(number) => number == 0,
        WireValue::Bytes(bytes) | WireValue::Group(bytes) => bytes.is_empty(),
    };
    let is_apart = field.is_repeated() && field.is_packed != matches!(value, WireValue::Bytes(_));
    (is_nothing && !field.writes_nothing) || (is_apart && field.kind.wire_type() != 2)
}

/// What it takes to say which of the declared fields stand there, as bits that are not saved.
///
/// Of how many that can, how many do is not known before: each number of them is as likely, and each choice of so many.
fn presence(message: &MessageType, counts: &[u32]) -> f64 {
    let (mut can, mut present) = (0_u32, 0_u32);
    let mut bits = 0.0;
    let mut one_ofs: Vec<(usize, u32, u32)> = Vec::new();
    for (field, &count) in message.fields.iter().zip(counts) {
        let extra = count.saturating_sub(1);
        match field.occurs {
            Occurs::Required if count == 0 => bits += UNLIKELY,
            Occurs::Required => bits += UNLIKELY * f64::from(extra.min(1)),
            Occurs::OneOf(of) => match one_ofs.iter_mut().find(|(other, _, _)| *other == of) {
                Some((_, members, stand)) => (*members, *stand) = (*members + 1, *stand + count),
                None => one_ofs.push((of, 1, count)),
            },
            Occurs::Repeated | Occurs::Map => {
                (can, present) = (can + 1, present + count.min(1));
                bits -= f64::from(extra) + f64::from(count.min(1));
            }
            Occurs::Optional => {
                (can, present) = (can + 1, present + count.min(1));
                bits += UNLIKELY * f64::from(extra.min(1));
            }
        }
    }
    for (_, members, stand) in one_ofs {
        (can, present) = (can + 1, present + stand.min(1));
        if stand >= 1 {
            bits -= f64::from(members).log2();
        }
        if stand >= 2 {
            bits += UNLIKELY;
        }
    }
    bits - f64::from(can + 1).log2() - choices(can, present)
}

/// In how many ways so many can be chosen of so many, as bits.
fn choices(of: u32, chosen: u32) -> f64 {
    let chosen = chosen.min(of - chosen.min(of));
    (0..chosen).map(|n| (f64::from(of - n) / f64::from(n + 1)).log2()).sum()
}

fn fixed32(kind: Kind, bits: u32) -> f64 {
    match kind {
        Kind::Float => fraction(f64::from(f32::from_bits(bits)), bits == 0),
        Kind::Fixed32 => (32.0 - size(u64::from(bits))).max(-2.0),
        Kind::Sfixed32 => (32.0 - size(u64::from(bits.cast_signed().unsigned_abs()))).max(-2.0),
        _ => IMPOSSIBLE,
    }
}

fn fixed64(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::Double => fraction(f64::from_bits(bits), bits == 0),
        Kind::Fixed64 => (64.0 - size(bits)).max(-2.0),
        Kind::Sfixed64 => (64.0 - size(bits.cast_signed().unsigned_abs())).max(-2.0),
        _ => IMPOSSIBLE,
    }
}
