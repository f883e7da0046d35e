//! Tagged JSON that is nested deeper than tables are taken apart: it becomes AMQP octets, as what comes
//! from a broker does. Older versions stored such letters; a reader that follows them down would end
//! at the limit of the JSON reader, and the letter could be read no more.

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::value::RawValue;

use super::WireJsonError;
use super::reading::{Typed, known_type, octets_of, unreadable};
use crate::wire::WireText;
use crate::wire::octets::{put_long, put_short};
use crate::wire::value::FieldValue;

/// Below so many levels the JSON itself is kept as a text. No message that was ever stored is nested
/// so deep: the management API's answers, which these letters were made of, had fewer than 128.
const MOST_READ_LEVELS: usize = 150;

/// An entry of a table or an array, whose value is not read yet.
#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(default)]
    name: WireText,
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    base64: Option<String>,
    bits: Option<u64>,
    scale: Option<u8>,
}

/// The octets of a table or an array, its type's letter first, from its JSON.
pub(super) fn octets(kind: &'static str, json: &str) -> Result<Vec<u8>, WireJsonError> {
    let mut out = Vec::new();
    put_container(&mut out, kind, json, 0)?;
    Ok(out)
}

fn put_container(
    out: &mut Vec<u8>,
    kind: &'static str,
    json: &str,
    level: usize,
) -> Result<(), WireJsonError> {
    if level >= MOST_READ_LEVELS {
        out.push(b'S');
        put_long(out, json.as_bytes());
        return Ok(());
    }
    let entries: Vec<Entry<'_>> =
        serde_json::from_str(json).map_err(|why| unreadable(kind, &why))?;
    let mut inside = Vec::new();
    for entry in entries {
        if kind == "table" {
            put_short(&mut inside, entry.name.as_bytes());
        }
        put_entry(&mut inside, &entry, level)?;
    }
    out.push(if kind == "table" { b'F' } else { b'A' });
    put_long(out, &inside);
    Ok(())
}

fn put_entry(out: &mut Vec<u8>, entry: &Entry<'_>, level: usize) -> Result<(), WireJsonError> {
    let kind =
        known_type(&entry.kind).ok_or_else(|| WireJsonError::UnknownType(entry.kind.clone()))?;
    let json = entry.value.map(RawValue::get);
    if matches!(kind, "array" | "table") {
        let json = json.ok_or(WireJsonError::Missing("value"))?;
        return put_container(out, kind, json, level + 1);
    }
    put_scalar(out, &scalar(kind, json, entry)?);
    Ok(())
}

fn scalar(
    kind: &'static str,
    json: Option<&str>,
    entry: &Entry<'_>,
) -> Result<FieldValue, WireJsonError> {
    let bits = || entry.bits.ok_or(WireJsonError::Missing("bits"));
    let of_base64 = || octets_of(entry.base64.as_deref(), kind);
    Ok(match (kind, json) {
        ("void", _) => FieldValue::Void,
        ("byte_array", _) => FieldValue::ByteArray(of_base64()?),
        ("deep", _) => FieldValue::Deep(of_base64()?),
        ("float", None) => FieldValue::Float(u32::try_from(bits()?).unwrap_or_default()),
        ("double", None) => FieldValue::Double(bits()?),
        ("decimal", Some(json)) => FieldValue::Decimal {
            scale: entry.scale.ok_or(WireJsonError::Missing("scale"))?,
            value: serde_json::from_str(json).map_err(|why| unreadable(kind, &why))?,
        },
        (_, Some(json)) => {
            let mut reader = serde_json::Deserializer::from_str(json);
            let read = Typed::plain(kind).deserialize(&mut reader);
            read.map_err(|why| unreadable(kind, &why))?
        }
        (_, None) => return Err(WireJsonError::Missing("value")),
    })
}

/// Writes a value that holds no other ones, or octets as they are.
fn put_scalar(out: &mut Vec<u8>, value: &FieldValue) {
    let mut fixed = |letter: u8, octets: &[u8]| {
        out.push(letter);
        out.extend(octets);
    };
    match value {
        FieldValue::Boolean(v) => fixed(b't', &[u8::from(*v)]),
        FieldValue::ShortShortInt(v) => fixed(b'b', &v.to_be_bytes()),
        FieldValue::ShortShortUInt(v) => fixed(b'B', &[*v]),
        FieldValue::ShortInt(v) => fixed(b's', &v.to_be_bytes()),
        FieldValue::ShortUInt(v) => fixed(b'u', &v.to_be_bytes()),
        FieldValue::LongInt(v) => fixed(b'I', &v.to_be_bytes()),
        FieldValue::LongUInt(v) => fixed(b'i', &v.to_be_bytes()),
        FieldValue::LongLongInt(v) => fixed(b'l', &v.to_be_bytes()),
        FieldValue::Float(v) => fixed(b'f', &v.to_be_bytes()),
        FieldValue::Double(v) => fixed(b'd', &v.to_be_bytes()),
        FieldValue::Timestamp(v) => fixed(b'T', &v.to_be_bytes()),
        FieldValue::Void => fixed(b'V', &[]),
        FieldValue::Decimal { scale, value } => {
            fixed(b'D', &[*scale]);
            out.extend(value.to_be_bytes());
        }
        FieldValue::ShortString(text) | FieldValue::LongString(text) => {
            fixed(b'S', &[]);
            put_long(out, text.as_bytes());
        }
        FieldValue::ByteArray(octets) => {
            fixed(b'x', &[]);
            put_long(out, octets);
        }
        // Tables and arrays do not come here.
        FieldValue::Deep(octets) => out.extend(octets),
        FieldValue::Array(_) | FieldValue::Table(_) => {}
    }
}
