//! MessagePack.

mod writing;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmpv::Value as Packed;
use rmpv::decode::read_value_with_max_depth;
use serde_json::{Value, json};

use super::{BYTES_BEHIND, Gauge, MOST_LEVELS, float, list, map, octets, single, time};

pub use writing::write;

/// The type of an extension that is a time.
const TIMESTAMP: i8 = -1;

/// Reads bytes that are one value and nothing else.
pub fn read(mut bytes: &[u8]) -> Result<Value, String> {
    let packed =
        read_value_with_max_depth(&mut bytes, MOST_LEVELS).map_err(|why| why.to_string())?;
    if !bytes.is_empty() {
        return Err(BYTES_BEHIND.to_owned());
    }
    unpacked(packed, &mut Gauge::default())
}

/// Whether bytes that nobody calls MessagePack begin as a map, or as a list, do in it.
pub fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0x81..=0x8f | 0x91..=0x9f | 0xdc..=0xdf))
}

fn unpacked(packed: Packed, gauge: &mut Gauge) -> Result<Value, String> {
    gauge.value()?;
    Ok(match packed {
        Packed::Nil => Value::Null,
        Packed::Boolean(value) => Value::Bool(value),
        Packed::Integer(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::from(number),
            (None, number) => Value::from(number),
        },
        Packed::F32(number) => single(number),
        Packed::F64(number) => float(number),
        Packed::String(text) => match text.as_str() {
            Some(text) => Value::from(text),
            None => octets(text.as_bytes()),
        },
        Packed::Binary(bytes) => octets(&bytes),
        Packed::Array(values) => list(values, |value| unpacked(value, gauge))?,
        Packed::Map(entries) => map(entries, |value| unpacked(value, gauge))?,
        Packed::Ext(TIMESTAMP, bytes) if let Some(time) = timestamp(&bytes) => time,
        Packed::Ext(kind, bytes) => json!({ "$ext": kind, "$base64": STANDARD.encode(bytes) }),
    })
}

/// The three forms of a time: 32, 64 and 96 bits.
fn timestamp(bytes: &[u8]) -> Option<Value> {
    if let Ok(seconds) = <[u8; 4]>::try_from(bytes) {
        return Some(time(i64::from(u32::from_be_bytes(seconds)), 0));
    }
    if let Ok(both) = <[u8; 8]>::try_from(bytes) {
        let both = u64::from_be_bytes(both);
        let (nanoseconds, seconds) =
            (u32::try_from(both >> 34), i64::try_from(both & 0x3_ffff_ffff));
        return Some(time(seconds.ok()?, nanoseconds.ok()?));
    }
    let (nanoseconds, seconds) = bytes.split_first_chunk::<4>()?;
    let seconds = i64::from_be_bytes(seconds.try_into().ok()?);
    Some(time(seconds, u32::from_be_bytes(*nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn packed(value: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, value).expect("a Vec takes every write");
        bytes
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let pairs = vec![
            (Packed::from("id"), Packed::from(u64::MAX)),
            (Packed::from("less"), Packed::from(-7)),
            (Packed::from("ratio"), Packed::F64(1.5)),
            (Packed::from("none"), Packed::F64(f64::NAN)),
            (Packed::from("raw"), Packed::Binary(vec![0xff, 0])),
            (Packed::from("words"), Packed::Binary(b"some words".to_vec())),
            (Packed::from("at"), Packed::Ext(-1, 1_795_150_509_u32.to_be_bytes().to_vec())),
            (Packed::from("of"), Packed::Ext(5, vec![1])),
            (Packed::from(3), Packed::Array(vec![Packed::Nil, Packed::from(true)])),
        ];
        let read = read(&packed(&Packed::Map(pairs))).expect("read");
        let told = json!({
            "id": u64::MAX, "less": -7, "ratio": 1.5, "none": "NaN", "raw": {"$base64": "/wA="},
            "words": "some words", "at": "2026-11-20T04:55:09Z", "of": {"$ext": 5, "$base64": "AQ=="},
            "3": [null, true]
        });
        assert_eq!(read, told);
    }

    #[test]
    fn the_longer_times_are_read() {
        let seconds = 1_795_150_509;
        let both = (500_u64 << 34) + seconds;
        assert_eq!(timestamp(&both.to_be_bytes()), Some(json!("2026-11-20T04:55:09.000000500Z")));
        let mut long = 0_u32.to_be_bytes().to_vec();
        long.extend((-1_i64).to_be_bytes());
        assert_eq!(timestamp(&long), Some(json!("1969-12-31T23:59:59Z")));
        assert_eq!(timestamp(&[1, 2]), None);
    }

    #[test]
    fn what_is_cut_or_has_more_behind_it_is_refused() {
        let whole = packed(&Packed::Map(vec![(Packed::from("id"), Packed::from(7))]));
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).is_err(), "{cut}");
        }
        assert!(read(&[whole, vec![0]].concat()).is_err());
        assert!(read(&[0xdd, 0xff, 0xff, 0xff, 0xff]).is_err(), "a long list of nothing");
        assert!(read(&[0x91; 300]).is_err(), "too deep");
    }
}
