//! A message of a known type: its fields by their names.

use serde_json::{Map, Value, json};

use super::super::{Gauge, add, float, octets, simple_key, single, whole};
use super::types::{FieldType, Kind, MessageId, Occurs, ProtobufTypes};
use super::untyped;
use super::well_known::{self, MOST_ANY_LEVELS};
use super::wire::{WireFields, WireValue, take_fixed};

/// What stands in a message and is not declared, by the numbers of the fields.
pub(super) const UNDECLARED: &str = "$undeclared";

/// Reads bytes that are one message of a type. Fields that are not set are left out.
pub fn read(types: &ProtobufTypes, id: MessageId, bytes: &[u8]) -> Result<Value, String> {
    Reading::new(types).message(id, bytes)
}

pub(super) struct Reading<'a> {
    pub(super) types: &'a ProtobufTypes,
    gauge: Gauge,
    pub(super) any_level: usize,
}

impl Reading<'_> {
    pub(super) fn new(types: &ProtobufTypes) -> Reading<'_> {
        Reading { types, gauge: Gauge::default(), any_level: 0 }
    }

    pub(super) fn message(&mut self, id: MessageId, bytes: &[u8]) -> Result<Value, String> {
        let members = self.members(id, bytes)?;
        Ok(well_known::read(self, self.types.message(id), members))
    }

    /// The members of a message, whatever they mean together.
    pub(super) fn members(
        &mut self,
        id: MessageId,
        bytes: &[u8],
    ) -> Result<Map<String, Value>, String> {
        self.gauge.enter()?;
        let message = self.types.message(id);
        let mut members = Map::new();
        let mut undeclared = Map::new();
        for field in WireFields::of(bytes) {
            let field = field?;
            let declared = message.field(field.number);
            let value = match declared {
                Some(declared) => self.field(declared, field.value)?,
                None => None,
            };
            if let (Some(declared), Some(value)) = (declared, value) {
                put(&mut members, declared, value);
            } else {
                let value = untyped::value_of(field.value, &mut self.gauge)?;
                add(&mut undeclared, field.number.to_string(), value);
            }
        }
        self.gauge.leave();
        if !undeclared.is_empty() {
            members.insert(UNDECLARED.to_owned(), Value::Object(undeclared));
        }
        Ok(members)
    }

    /// The value of a declared field; `None` where it is written as no value of its kind is.
    pub(super) fn field(
        &mut self,
        field: &FieldType,
        value: WireValue<'_>,
    ) -> Result<Option<Value>, String> {
        self.gauge.value()?;
        Ok(match (field.kind, value) {
            (Kind::String | Kind::Bytes, WireValue::Bytes(bytes)) => Some(octets(bytes)),
            (Kind::Message(id), WireValue::Bytes(bytes))
            | (Kind::Group(id), WireValue::Group(bytes)) => self.attempt(id, bytes),
            (kind, WireValue::Bytes(bytes)) if field.is_repeated() => self.packed(kind, bytes)?,
            (kind, WireValue::Varint(number)) => self.varint(kind, number),
            (kind, WireValue::Fixed32(bits)) => fixed32(kind, bits),
            (kind, WireValue::Fixed64(bits)) => fixed64(kind, bits),
            _ => None,
        })
    }

    /// Numbers without keys, as a list.
    fn packed(&mut self, kind: Kind, mut bytes: &[u8]) -> Result<Option<Value>, String> {
        let mut values = Vec::new();
        while !bytes.is_empty() {
            self.gauge.value()?;
            let one = match kind.wire_type() {
                0 => prost::encoding::decode_varint(&mut bytes)
                    .ok()
                    .and_then(|number| self.varint(kind, number)),
                1 => take_fixed(&mut bytes)
                    .ok()
                    .and_then(|eight| fixed64(kind, u64::from_le_bytes(eight))),
                5 => take_fixed(&mut bytes)
                    .ok()
                    .and_then(|four| fixed32(kind, u32::from_le_bytes(four))),
                _ => None,
            };
            let Some(one) = one else { return Ok(None) };
            values.push(one);
        }
        Ok(Some(Value::Array(values)))
    }

    fn varint(&self, kind: Kind, number: u64) -> Option<Value> {
        let signed = number.cast_signed();
        let zigzag = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
        Some(match kind {
            Kind::Bool => Value::Bool(number != 0),
            Kind::Int32 | Kind::Int64 => Value::from(signed),
            Kind::Uint32 | Kind::Uint64 => Value::from(number),
            Kind::Sint32 | Kind::Sint64 => Value::from(zigzag),
            Kind::Enum(id) => {
                let known = self.types.enum_type(id);
                let name = i32::try_from(signed).ok().and_then(|number| known.name(number));
                name.map_or(Value::from(signed), Value::from)
            }
            _ => return None,
        })
    }

    /// The same for another message that stands in a value of this one; `None` where that is too deep.
    pub(super) fn within_any(&mut self, id: MessageId, bytes: &[u8]) -> Option<Value> {
        if self.any_level >= MOST_ANY_LEVELS {
            return None;
        }
        self.any_level += 1;
        let inner = self.attempt(id, bytes);
        self.any_level -= 1;
        inner
    }

    /// A message within another; `None` where the bytes are not one. What was tried stays counted.
    fn attempt(&mut self, id: MessageId, bytes: &[u8]) -> Option<Value> {
        let level = self.gauge.level;
        let inner = self.message(id, bytes);
        self.gauge.level = level;
        inner.ok()
    }
}

/// Puts a value where those of its field stand. The last one counts where one alone can stand.
fn put(members: &mut Map<String, Value>, field: &FieldType, value: Value) {
    match field.occurs {
        Occurs::Map => {
            let entries = members.entry(&*field.name).or_insert_with(|| json!({}));
            if let (Value::Object(entries), Value::Object(mut entry)) = (entries, value) {
                let name = entry.remove("key").map_or_else(String::new, simple_key);
                entries.insert(name, entry.remove("value").unwrap_or_default());
            }
        }
        Occurs::Repeated => {
            let values = members.entry(&*field.name).or_insert_with(|| json!([]));
            match (values, value) {
                // Packed and single ones may stand mixed.
                (Value::Array(values), Value::Array(more)) if field.kind.wire_type() != 2 => {
                    values.extend(more);
                }
                (Value::Array(values), value) => values.push(value),
                _ => {}
            }
        }
        Occurs::Optional | Occurs::Required | Occurs::OneOf(_) => {
            members.insert(field.name.clone(), value);
        }
    }
}

fn fixed32(kind: Kind, bits: u32) -> Option<Value> {
    Some(match kind {
        Kind::Float => single(f32::from_bits(bits)),
        Kind::Fixed32 => Value::from(bits),
        Kind::Sfixed32 => Value::from(bits.cast_signed()),
        _ => return None,
    })
}

fn fixed64(kind: Kind, bits: u64) -> Option<Value> {
    Some(match kind {
        Kind::Double => float(f64::from_bits(bits)),
        Kind::Fixed64 => whole(i128::from(bits)),
        Kind::Sfixed64 => Value::from(bits.cast_signed()),
        _ => return None,
    })
}
