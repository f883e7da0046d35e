//! CBOR (RFC 8949).

mod writing;

use ciborium::Value as Packed;
use serde_json::{Value, json};

use super::{BYTES_BEHIND, Gauge, MOST_LEVELS, float, list, map, octets, time, whole};

pub use writing::write;

/// The tag that says of bytes that they are CBOR.
const SELF_DESCRIBED: u64 = 55_799;

/// Reads bytes that are one value and nothing else.
pub fn read(mut bytes: &[u8]) -> Result<Value, String> {
    let packed: Packed = ciborium::de::from_reader_with_recursion_limit(&mut bytes, MOST_LEVELS)
        .map_err(|why| why.to_string())?;
    if !bytes.is_empty() {
        return Err(BYTES_BEHIND.to_owned());
    }
    unpacked(packed, &mut Gauge::default())
}

/// Whether bytes that nobody calls CBOR begin as a map, or as a list, do in it.
pub fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0x81..=0x9b | 0x9f | 0xa1..=0xbb | 0xbf))
}

fn unpacked(packed: Packed, gauge: &mut Gauge) -> Result<Value, String> {
    gauge.value()?;
    Ok(match packed {
        Packed::Null => Value::Null,
        Packed::Bool(value) => Value::Bool(value),
        Packed::Integer(number) => whole(i128::from(number)),
        Packed::Float(number) => float(number),
        Packed::Text(text) => Value::String(text),
        Packed::Bytes(bytes) => octets(&bytes),
        Packed::Array(values) => list(values, |value| unpacked(value, gauge))?,
        Packed::Map(entries) => map(entries, |value| unpacked(value, gauge))?,
        Packed::Tag(tag, value) => tagged(tag, *value, gauge)?,
        other => return Err(format!("it has a value of no known kind: {other:?}")),
    })
}

fn tagged(tag: u64, value: Packed, gauge: &mut Gauge) -> Result<Value, String> {
    Ok(match (tag, &value) {
        // A time as text says of itself what it is.
        (0 | SELF_DESCRIBED, _) => unpacked(value, gauge)?,
        (1, Packed::Integer(seconds)) if let Ok(seconds) = i64::try_from(*seconds) => {
            time(seconds, 0)
        }
        _ => json!({ "$tag": tag, "$value": unpacked(value, gauge)? }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn packed(value: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        ciborium::into_writer(value, &mut bytes).expect("a Vec takes every write");
        bytes
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let pairs = vec![
            (Packed::from("id"), Packed::from(u64::MAX)),
            (Packed::from("ratio"), Packed::from(1.5)),
            (Packed::from("raw"), Packed::Bytes(vec![0xff])),
            (Packed::from("at"), Packed::Tag(1, Box::new(Packed::from(1_795_150_509_i64)))),
            (Packed::from("when"), Packed::Tag(0, Box::new(Packed::from("2026-11-20")))),
            (Packed::from("odd"), Packed::Tag(99, Box::new(Packed::from(1)))),
            (Packed::from(-3), Packed::Array(vec![Packed::Null, Packed::Bool(true)])),
        ];
        let bytes = packed(&Packed::Map(pairs));
        let told = json!({
            "id": u64::MAX, "ratio": 1.5, "raw": {"$base64": "/w=="}, "at": "2026-11-20T04:55:09Z",
            "when": "2026-11-20", "odd": {"$tag": 99, "$value": 1}, "-3": [null, true]
        });
        assert_eq!(read(&bytes), Ok(told.clone()));
        assert_eq!(read(&[&[0xd9, 0xd9, 0xf7], &bytes[..]].concat()), Ok(told));
        // {_ "a": [_ 1]}: lengths that are not known before.
        assert_eq!(read(&[0xbf, 0x61, b'a', 0x9f, 1, 0xff, 0xff]), Ok(json!({"a": [1]})));
    }

    #[test]
    fn what_is_cut_or_has_more_behind_it_is_refused() {
        let whole = packed(&Packed::Map(vec![(Packed::from("id"), Packed::from(7))]));
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).is_err(), "{cut}");
        }
        assert!(read(&[whole, vec![0]].concat()).is_err());
        assert!(read(&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert!(read(&[0x81; 300]).is_err(), "too deep");
    }
}
