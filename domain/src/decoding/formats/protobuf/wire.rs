//! Protobuf's wire format: numbered fields, whatever they mean (protobuf.dev/programming-guides/encoding).

use prost::encoding::{WireType, decode_key, decode_varint};

use super::super::{TOO_DEEP, TOO_SHORT};

/// How deep groups within groups are followed.
const MOST_LEVELS: usize = 32;

/// One field as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WireField<'a> {
    /// Its number, from 1 on.
    pub number: u32,
    /// What was written for it.
    pub value: WireValue<'a>,
    /// The bytes that its number and wire type took.
    pub key_bytes: usize,
    /// All of its bytes.
    pub bytes: &'a [u8],
}

/// What was written for a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WireValue<'a> {
    /// A number of up to ten bytes.
    Varint(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Eight bytes.
    Fixed64(u64),
    /// A text, octets, a message or packed numbers.
    Bytes(&'a [u8]),
    /// The fields of a group.
    Group(&'a [u8]),
}

/// The fields of a message in the order in which they were written; an error is the last that comes.
#[derive(Debug, Clone)]
pub struct WireFields<'a> {
    rest: &'a [u8],
}

impl<'a> WireFields<'a> {
    /// Of bytes that are a message and nothing else.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn next_field(&mut self) -> Result<WireField<'a>, String> {
        let begin = self.rest;
        let (number, wire_type) = decode_key(&mut self.rest).map_err(|why| why.to_string())?;
        let key_bytes = begin.len() - self.rest.len();
        let value = match wire_type {
            WireType::EndGroup => return Err("a group ends that did not begin".to_owned()),
            WireType::StartGroup => WireValue::Group(self.group(number)?),
            other => take_value(&mut self.rest, other)?,
        };
        let bytes = &begin[..begin.len() - self.rest.len()];
        Ok(WireField { number, value, key_bytes, bytes })
    }

    /// The bytes up to the end of a group that has begun.
    fn group(&mut self, number: u32) -> Result<&'a [u8], String> {
        let begin = self.rest;
        let mut open = vec![number];
        loop {
            let before = self.rest.len();
            let (number, wire_type) = decode_key(&mut self.rest).map_err(|why| why.to_string())?;
            match wire_type {
                WireType::StartGroup if open.len() >= MOST_LEVELS => {
                    return Err(TOO_DEEP.to_owned());
                }
                WireType::StartGroup => open.push(number),
                WireType::EndGroup if open.pop() != Some(number) => {
                    return Err("a group ends within another".to_owned());
                }
                WireType::EndGroup if open.is_empty() => {
                    return Ok(&begin[..begin.len() - before]);
                }
                WireType::EndGroup => {}
                other => {
                    take_value(&mut self.rest, other)?;
                }
            }
        }
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<WireField<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

fn take_value<'a>(rest: &mut &'a [u8], wire_type: WireType) -> Result<WireValue<'a>, String> {
    let too_short = || TOO_SHORT.to_owned();
    match wire_type {
        WireType::Varint => {
            decode_varint(rest).map(WireValue::Varint).map_err(|why| why.to_string())
        }
        WireType::ThirtyTwoBit => {
            take_fixed(rest).map(|four| WireValue::Fixed32(u32::from_le_bytes(four)))
        }
        WireType::SixtyFourBit => {
            take_fixed(rest).map(|eight| WireValue::Fixed64(u64::from_le_bytes(eight)))
        }
        WireType::LengthDelimited => {
            let length = decode_varint(rest).map_err(|why| why.to_string())?;
            let length = usize::try_from(length).map_err(|_| too_short())?;
            let (bytes, behind) = rest.split_at_checked(length).ok_or_else(too_short)?;
            *rest = behind;
            Ok(WireValue::Bytes(bytes))
        }
        WireType::StartGroup | WireType::EndGroup => Err("it is a group".to_owned()),
    }
}

/// The next bytes of a fixed number of them.
pub fn take_fixed<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], String> {
    let (bytes, behind) = rest.split_first_chunk::<N>().ok_or_else(|| TOO_SHORT.to_owned())?;
    *rest = behind;
    Ok(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u32, WireValue<'_>)>, String> {
        WireFields::of(bytes).map(|field| field.map(|field| (field.number, field.value))).collect()
    }

    #[test]
    fn each_wire_type_is_read() {
        let bytes =
            b"\x08\x96\x01\x12\x02hi\x1d\x01\0\0\0\x21\x02\0\0\0\0\0\0\0\x2b\x08\x01\x33\x34\x2c";
        let read = fields(bytes).expect("read");
        assert_eq!(
            read,
            [
                (1, WireValue::Varint(150)),
                (2, WireValue::Bytes(b"hi")),
                (3, WireValue::Fixed32(1)),
                (4, WireValue::Fixed64(2)),
                (5, WireValue::Group(b"\x08\x01\x33\x34")),
            ]
        );
    }

    #[test]
    fn what_is_none_is_refused_and_ends() {
        for bytes in [
            &b"\x08"[..],
            b"\x12\x05hi",
            b"\x0c",
            b"\x0b\x08\x01",
            b"\x0b\x14",
            b"\x00\x01",
            b"\x0f",
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert!(fields(bytes).is_err(), "{bytes:?}");
        }
        assert!(fields(&[0x0b; 1_000]).is_err(), "groups without an end");
    }
}
