//! Field tables as AMQP 0.9.1 writes them, in RabbitMQ's letters for types: lapin writes no name that is not UTF-8.

use dlo_domain::wire::{FieldTable, FieldValue};

use crate::support::raw::{counted, field};

/// The fields of a table, without its length.
pub(super) fn table(table: &FieldTable) -> Vec<u8> {
    let fields = table.0.iter();
    fields.flat_map(|one| field(one.name.as_bytes(), &value(&one.value))).collect()
}

fn value(value: &FieldValue) -> Vec<u8> {
    let fixed = |letter: u8, octets: &[u8]| [&[letter], octets].concat();
    match value {
        FieldValue::Boolean(value) => fixed(b't', &[u8::from(*value)]),
        FieldValue::ShortShortInt(value) => fixed(b'b', &value.to_be_bytes()),
        FieldValue::ShortShortUInt(value) => fixed(b'B', &[*value]),
        FieldValue::ShortInt(value) => fixed(b's', &value.to_be_bytes()),
        FieldValue::ShortUInt(value) => fixed(b'u', &value.to_be_bytes()),
        FieldValue::LongInt(value) => fixed(b'I', &value.to_be_bytes()),
        FieldValue::LongUInt(value) => fixed(b'i', &value.to_be_bytes()),
        FieldValue::LongLongInt(value) => fixed(b'l', &value.to_be_bytes()),
        FieldValue::Float(bits) => fixed(b'f', &bits.to_be_bytes()),
        FieldValue::Double(bits) => fixed(b'd', &bits.to_be_bytes()),
        FieldValue::Decimal { scale, value } => {
            fixed(b'D', &[&[*scale], &value.to_be_bytes()[..]].concat())
        }
        FieldValue::LongString(text) | FieldValue::ShortString(text) => {
            counted(b'S', text.as_bytes())
        }
        FieldValue::Array(values) => {
            counted(b'A', &values.iter().flat_map(self::value).collect::<Vec<u8>>())
        }
        FieldValue::Timestamp(seconds) => fixed(b'T', &seconds.to_be_bytes()),
        FieldValue::Table(inner) => counted(b'F', &table(inner)),
        FieldValue::ByteArray(bytes) => counted(b'x', bytes),
        FieldValue::Void => vec![b'V'],
        FieldValue::Deep(octets) => octets.clone(),
    }
}
