//! Field tables, and the values in them.

use std::collections::HashSet;

use super::cursor::Cursor;
use super::fault::{MOST_FAULTS, WireFault};
use crate::wire::value::{Field, FieldTable, FieldValue, MOST_LEVELS};

/// A table, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct ReadTable {
    pub(super) table: FieldTable,
    pub(super) faults: Vec<WireFault>,
}

/// Reads the fields of the headers.
pub(super) fn read(octets: &[u8]) -> ReadTable {
    let mut read = ReadTable::default();
    let mut cursor = Cursor(octets);
    read.table = fields(&mut cursor, 0, &mut read.faults);
    if !cursor.is_empty() {
        read.faults.push(WireFault::Malformed { part: "headers", octets: cursor.0.to_vec() });
    }
    read
}

/// Reads fields up to the end, or up to one that cannot be read: the cursor then stands before it.
fn fields(cursor: &mut Cursor<'_>, level: usize, faults: &mut Vec<WireFault>) -> FieldTable {
    let mut table = FieldTable::default();
    let mut names = HashSet::new();
    while !cursor.is_empty() {
        let mut ahead = *cursor;
        let Some(name) = ahead.short() else { break };
        let Some(value) = value(&mut ahead, level, faults) else {
            break;
        };
        *cursor = ahead;
        if std::str::from_utf8(name).is_err() {
            report(faults, WireFault::NameNotUtf8(name.to_vec().into()));
        }
        if !names.insert(name) {
            report(faults, WireFault::DuplicateName(name.to_vec().into()));
        }
        table.0.push(Field { name: name.to_vec().into(), value });
    }
    table
}

/// Reads a value that stands in a table or an array of this level. Returns `None` if the octets end
/// before it does, or its type is unknown.
fn value(cursor: &mut Cursor<'_>, level: usize, faults: &mut Vec<WireFault>) -> Option<FieldValue> {
    let whole = cursor.0;
    let letter = cursor.octet()?;
    if matches!(letter, b'A' | b'F') {
        let inside = cursor.long()?;
        let octets = &whole[..whole.len() - cursor.0.len()];
        return Some(container(letter, inside, octets, level, faults));
    }
    scalar(letter, cursor)
}

/// Reads a table or an array. One that lies too deep, or does not read to its end, is kept as octets.
fn container(
    letter: u8,
    inside: &[u8],
    octets: &[u8],
    level: usize,
    faults: &mut Vec<WireFault>,
) -> FieldValue {
    let as_octets = || FieldValue::Deep(octets.to_vec());
    if level >= MOST_LEVELS {
        return as_octets();
    }
    let mut cursor = Cursor(inside);
    let read = if letter == b'F' {
        FieldValue::Table(fields(&mut cursor, level + 1, faults))
    } else {
        let mut values = Vec::new();
        while !cursor.is_empty() {
            let mut ahead = cursor;
            let Some(value) = value(&mut ahead, level + 1, faults) else {
                break;
            };
            cursor = ahead;
            values.push(value);
        }
        FieldValue::Array(values)
    };
    if cursor.is_empty() {
        return read;
    }
    // The octets are in the letter, so that the fault need not hold them.
    let malformed = WireFault::Malformed { part: "headers", octets: Vec::new() };
    report(faults, malformed);
    as_octets()
}

/// Notes a fault once, and not more than [`MOST_FAULTS`].
fn report(faults: &mut Vec<WireFault>, fault: WireFault) {
    if faults.len() < MOST_FAULTS && !faults.contains(&fault) {
        faults.push(fault);
    }
}

/// Reads a value that holds no other ones. The letters are those of RabbitMQ: see the AMQP 0.9.1 errata.
fn scalar(letter: u8, cursor: &mut Cursor<'_>) -> Option<FieldValue> {
    Some(match letter {
        b't' => FieldValue::Boolean(cursor.octet()? != 0),
        b'b' => FieldValue::ShortShortInt(i8::from_be_bytes(cursor.array()?)),
        b'B' => FieldValue::ShortShortUInt(cursor.octet()?),
        b's' | b'U' => FieldValue::ShortInt(i16::from_be_bytes(cursor.array()?)),
        b'u' => FieldValue::ShortUInt(cursor.u16()?),
        b'I' => FieldValue::LongInt(i32::from_be_bytes(cursor.array()?)),
        b'i' => FieldValue::LongUInt(u32::from_be_bytes(cursor.array()?)),
        b'l' | b'L' => FieldValue::LongLongInt(i64::from_be_bytes(cursor.array()?)),
        b'f' => FieldValue::Float(u32::from_be_bytes(cursor.array()?)),
        b'd' => FieldValue::Double(cursor.u64()?),
        b'D' => FieldValue::Decimal {
            scale: cursor.octet()?,
            value: u32::from_be_bytes(cursor.array()?),
        },
        b'S' => FieldValue::LongString(cursor.long()?.to_vec().into()),
        b'T' => FieldValue::Timestamp(cursor.u64()?),
        b'x' => FieldValue::ByteArray(cursor.long()?.to_vec()),
        b'V' => FieldValue::Void,
        _ => return None,
    })
}

/// Writes octets with their count in one octet before them; what is longer than 255 is cut.
pub(in crate::wire) fn put_short(out: &mut Vec<u8>, octets: &[u8]) {
    let count = u8::try_from(octets.len()).unwrap_or(u8::MAX);
    out.push(count);
    out.extend(&octets[..usize::from(count)]);
}

/// Writes octets with their count in four octets before them.
pub(in crate::wire) fn put_long(out: &mut Vec<u8>, octets: &[u8]) {
    let count = u32::try_from(octets.len()).unwrap_or(u32::MAX);
    out.extend(count.to_be_bytes());
    out.extend(octets);
}
