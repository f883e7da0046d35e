//! Values of fields as they are written.

use prost::encoding::{WireType, encode_key, encode_varint};
use serde_json::Value;

use super::super::super::rewriting::{bytes_of, octets_of, single_of, whole_of};
use super::super::types::{EnumId, FieldType, Kind};
use super::super::wire::WireValue;
use super::{Writing, unfit};

/// A value without its key.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64([u8; 8]),
    Counted(Vec<u8>),
    Group(Vec<u8>),
}

impl Written {
    /// Writes it behind its key.
    pub(super) fn put(self, field: &FieldType, to: &mut Vec<u8>) {
        let wire_type = match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed32(_) => WireType::ThirtyTwoBit,
            Self::Fixed64(_) => WireType::SixtyFourBit,
            Self::Counted(_) => WireType::LengthDelimited,
            Self::Group(_) => WireType::StartGroup,
        };
        let ends = matches!(self, Self::Group(_));
        encode_key(field.number, wire_type, to);
        to.extend(self.bytes());
        if ends {
            encode_key(field.number, WireType::EndGroup, to);
        }
    }

    /// Its bytes alone.
    pub(super) fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Varint(number) => encode_varint(number, &mut bytes),
            Self::Fixed32(four) => bytes.extend(four),
            Self::Fixed64(eight) => bytes.extend(eight),
            Self::Counted(counted) => {
                encode_varint(counted.len() as u64, &mut bytes);
                bytes.extend(counted);
            }
            Self::Group(fields) => bytes = fields,
        }
        bytes
    }
}

impl Writing<'_> {
    /// One value of a field, in the place of one.
    pub(super) fn value(
        self,
        field: &FieldType,
        before: Option<WireValue<'_>>,
        after: &Value,
    ) -> Result<Written, String> {
        let original = match before {
            Some(WireValue::Bytes(bytes) | WireValue::Group(bytes)) => bytes,
            _ => b"",
        };
        match field.kind {
            Kind::Message(id) => self.message(id, original, after).map(Written::Counted),
            Kind::Group(id) => self.message(id, original, after).map(Written::Group),
            kind => self.plain(kind, after).ok_or_else(|| unfit(field, after)),
        }
    }

    /// A value that is not a message; `None` if its kind does not take it.
    fn plain(self, kind: Kind, after: &Value) -> Option<Written> {
        let whole = || whole_of(after);
        let signed = |number: i64| Written::Varint(number.cast_unsigned());
        Some(match kind {
            Kind::Bool => Written::Varint(after.as_bool()?.into()),
            Kind::Int32 => signed(i32::try_from(whole()?).ok()?.into()),
            Kind::Int64 => signed(i64::try_from(whole()?).ok()?),
            Kind::Uint32 => Written::Varint(u32::try_from(whole()?).ok()?.into()),
            Kind::Uint64 => Written::Varint(u64::try_from(whole()?).ok()?),
            Kind::Sint32 => zigzag(i32::try_from(whole()?).ok()?.into()),
            Kind::Sint64 => zigzag(i64::try_from(whole()?).ok()?),
            Kind::Fixed32 => Written::Fixed32(u32::try_from(whole()?).ok()?.to_le_bytes()),
            Kind::Sfixed32 => Written::Fixed32(i32::try_from(whole()?).ok()?.to_le_bytes()),
            Kind::Fixed64 => Written::Fixed64(u64::try_from(whole()?).ok()?.to_le_bytes()),
            Kind::Sfixed64 => Written::Fixed64(i64::try_from(whole()?).ok()?.to_le_bytes()),
            Kind::Float => Written::Fixed32(single_of(fraction(after)?)?.to_le_bytes()),
            Kind::Double => Written::Fixed64(fraction(after)?.to_le_bytes()),
            Kind::String => {
                let text = after.as_str().map(|text| text.as_bytes().to_vec());
                Written::Counted(text.or_else(|| octets_of(after))?)
            }
            Kind::Bytes => Written::Counted(bytes_of(after)?),
            Kind::Enum(id) => signed(self.enum_value(id, after)?.into()),
            Kind::Message(_) | Kind::Group(_) => return None,
        })
    }

    fn enum_value(self, id: EnumId, after: &Value) -> Option<i32> {
        let Some(name) = after.as_str() else { return i32::try_from(whole_of(after)?).ok() };
        let values = &self.types.enum_type(id).values;
        values.iter().find(|(_, other)| other == name).map(|(number, _)| *number)
    }
}

fn zigzag(number: i64) -> Written {
    Written::Varint(((number << 1) ^ (number >> 63)).cast_unsigned())
}

/// A number, also one that is not finite: those are written as texts.
fn fraction(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| {
        let number: f64 = value.as_str()?.parse().ok()?;
        (!number.is_finite()).then_some(number)
    })
}
