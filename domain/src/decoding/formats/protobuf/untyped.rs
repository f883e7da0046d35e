//! A message of which nobody has a schema: its fields by their numbers, and what they seem to be.

use serde_json::{Map, Value};

use super::super::{Gauge, add, float, is_text, octets, single, whole};
use super::wire::{WireField, WireFields, WireValue};

/// Reads bytes that are one message: the number of a field is its name.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    message(bytes, &mut Gauge::default())
}

/// The fields of a message.
pub fn message(bytes: &[u8], gauge: &mut Gauge) -> Result<Value, String> {
    gauge.enter()?;
    let mut members = Map::new();
    for field in WireFields::of(bytes) {
        let WireField { number, value, .. } = field?;
        let value = value_of(value, gauge)?;
        add(&mut members, number.to_string(), value);
    }
    gauge.leave();
    Ok(Value::Object(members))
}

/// What a value seems to be.
pub fn value_of(value: WireValue<'_>, gauge: &mut Gauge) -> Result<Value, String> {
    gauge.value()?;
    Ok(match value {
        WireValue::Varint(number) => varint(number),
        WireValue::Fixed32(bits) => {
            let number = f32::from_bits(bits);
            if is_measure(f64::from(number)) { single(number) } else { Value::from(bits) }
        }
        WireValue::Fixed64(bits) => {
            let number = f64::from_bits(bits);
            if is_measure(number) { float(number) } else { whole(i128::from(bits)) }
        }
        WireValue::Group(bytes) => message(bytes, gauge)?,
        WireValue::Bytes(bytes) => {
            if !is_written_text(bytes)
                && let Ok(inner) = gauge.attempt(|gauge| message(bytes, gauge))
            {
                return Ok(inner);
            }
            octets(bytes)
        }
    })
}

/// A number: those whose first bit is set are negative ones of 32 or 64 bits.
fn varint(number: u64) -> Value {
    Value::from(number.cast_signed())
}

/// Whether the bits of a whole number are rather those of a fraction: of a size that people measure.
fn is_measure(number: f64) -> bool {
    number.is_normal() && (1e-9..1e15).contains(&number.abs())
}

/// Whether bytes are a text rather than a message. A message within often begins as a line does.
pub fn is_written_text(bytes: &[u8]) -> bool {
    let begins_as_message = matches!(bytes.first(), Some(b'\n' | b'\t' | b'\r'));
    std::str::from_utf8(bytes).is_ok_and(|text| {
        is_text(text) && !(begins_as_message && WireFields::of(bytes).all(|field| field.is_ok()))
    })
}

/// How many bits shorter bytes can be written if they are a message than if they are noise: the more, the surer. `None`
/// where they are none.
pub fn evidence(bytes: &[u8]) -> Option<f64> {
    let mut gauge = Gauge::default();
    saved(bytes, &mut gauge).ok()
}

fn saved(bytes: &[u8], gauge: &mut Gauge) -> Result<f64, String> {
    gauge.enter()?;
    let mut bits = 0.0;
    let mut last = 0;
    for field in WireFields::of(bytes) {
        gauge.value()?;
        let WireField { number, value, key_bytes, .. } = field?;
        let is_next = number >= last && number - last <= 4;
        // Of the eight bits of a key, three are the wire type; a number that is the next or nearly so needs two.
        bits += match (is_next, key_bytes) {
            (true, 1) => 3.0,
            (true, 2) => 8.0,
            (false, 1) => 0.0,
            _ => -6.0,
        };
        last = number;
        bits += match value {
            WireValue::Varint(number) if number < 128 => 1.0,
            WireValue::Fixed64(bits) if is_measure(f64::from_bits(bits)) => 4.0,
            WireValue::Varint(_) | WireValue::Fixed32(_) | WireValue::Fixed64(_) => 0.0,
            WireValue::Group(inner) => 6.0 + saved(inner, gauge)?,
            WireValue::Bytes(inner) if is_written_text(inner) => text_bits(inner),
            WireValue::Bytes(inner) => {
                gauge.attempt(|gauge| saved(inner, gauge)).map_or(0.0, |inner| inner.max(0.0))
            }
        };
    }
    gauge.leave();
    Ok(bits)
}

/// Bits that a text saves beside noise: letters are some 95 of 256 bytes.
#[expect(clippy::cast_precision_loss, reason = "bodies are far shorter than 2^52 bytes")]
fn text_bits(text: &[u8]) -> f64 {
    1.4 * text.len() as f64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_a_tree_of_numbers() {
        let bytes = b"\x08\x96\x01\x12\x02hi\x1a\x04\x08\x01\x10\x02\x21\0\0\0\0\0\0\xf8\x3f\x2a\x02\xff\0\x12\x02ho";
        let told = json!({
            "1": 150, "2": ["hi", "ho"], "3": {"1": 1, "2": 2}, "4": 1.5, "5": {"$base64": "/wA="}
        });
        assert_eq!(read(bytes), Ok(told));
        let minus = b"\x08\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(read(minus), Ok(json!({"1": -5})));
    }

    #[test]
    fn a_message_within_that_begins_as_a_line_does_is_one() {
        let inner = [b"\n$".as_slice(), &[b'a'; 36]].concat();
        let outer = [b"\x0a\x26".as_slice(), &inner].concat();
        assert_eq!(read(&outer), Ok(json!({"1": {"1": "a".repeat(36)}})));
        assert_eq!(read(b"\x0a\x04\nabc"), Ok(json!({"1": "\nabc"})));
    }

    #[test]
    fn depth_is_bounded() {
        let mut bytes = b"\x08\x01".to_vec();
        for _ in 0..120 {
            let mut outer = vec![0x0a];
            prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
            outer.extend(&bytes);
            bytes = outer;
        }
        // What is too deep to be followed is octets.
        assert!(read(&bytes).expect("read").to_string().contains("$base64"));
    }
}
