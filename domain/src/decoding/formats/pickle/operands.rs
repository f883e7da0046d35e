//! What stands behind the instructions of a pickle: numbers, texts and lengths.

use serde_json::Value;

use super::super::{TOO_SHORT, float, octets};

/// The rest of a pickle.
pub(super) struct Operands<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Operands<'a> {
    pub(super) fn number(&mut self, code: u8) -> Result<Value, String> {
        Ok(match code {
            b'N' => Value::Null,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'J' => Value::from(i32::from_le_bytes(self.take_array()?)),
            b'K' => Value::from(self.take_array::<1>()?[0]),
            b'M' => Value::from(u16::from_le_bytes(self.take_array()?)),
            b'G' => float(f64::from_be_bytes(self.take_array()?)),
            0x8a | 0x8b => {
                let length =
                    if code == 0x8a { self.take_array::<1>()?[0].into() } else { self.length4()? };
                long(self.take(length)?)
            }
            _ => match self.line()?.trim_end_matches('L') {
                "00" if code == b'I' => Value::Bool(false),
                "01" if code == b'I' => Value::Bool(true),
                text if code == b'F' => float(text.parse().map_err(|_| no_number(text))?),
                text => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
            },
        })
    }

    pub(super) fn text(&mut self, code: u8) -> Result<Value, String> {
        let length = match code {
            b'S' | b'V' => return Ok(Value::from(escaped(self.octets_of_line()?, code == b'S'))),
            b'U' | b'C' | 0x8c => self.take_array::<1>()?[0].into(),
            0x8d | 0x8e | 0x96 => {
                usize::try_from(u64::from_le_bytes(self.take_array()?)).unwrap_or(usize::MAX)
            }
            _ => self.length4()?,
        };
        Ok(octets(self.take(length)?))
    }

    fn length4(&mut self) -> Result<usize, String> {
        Ok(usize::try_from(u32::from_le_bytes(self.take_array()?)).unwrap_or(usize::MAX))
    }

    pub(super) fn line(&mut self) -> Result<&'a str, String> {
        std::str::from_utf8(self.octets_of_line()?).map_err(|why| why.to_string())
    }

    pub(super) fn octets_of_line(&mut self) -> Result<&'a [u8], String> {
        let end = self.rest.iter().position(|byte| *byte == b'\n').ok_or(TOO_SHORT)?;
        let line = self.take(end)?;
        self.take(1)?;
        Ok(line)
    }

    pub(super) fn take_array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }
}

pub(super) fn no_number(text: &str) -> String {
    format!("`{text}` is not a number")
}

/// A text as protocol 0 writes it: each octet is a character, and `\u20ac` one that has no octet; in quotes, others are
/// written so, too.
fn escaped(octets: &[u8], is_quoted: bool) -> String {
    let text: String = octets.iter().map(|octet| char::from(*octet)).collect();
    let text = if is_quoted { text.trim_matches(['\'', '"']) } else { &text };
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        written.push_str(before);
        let code = |begin: usize, length: usize| {
            let digits = after.get(begin..begin + length)?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        };
        let (sign, length) = match after.as_bytes().first() {
            Some(b'u') => (code(1, 4), 5),
            Some(b'U') => (code(1, 8), 9),
            Some(b'x') if is_quoted => (code(1, 2), 3),
            Some(b'n') if is_quoted => (Some('\n'), 1),
            Some(b'r') if is_quoted => (Some('\r'), 1),
            Some(b't') if is_quoted => (Some('\t'), 1),
            Some(b'\\' | b'\'' | b'"') if is_quoted => (after.chars().next(), 1),
            _ => (None, 0),
        };
        written.push(sign.unwrap_or('\\'));
        rest = if sign.is_some() { &after[length..] } else { after };
    }
    written.push_str(rest);
    written
}

/// A whole number of any length, the lowest byte first.
fn long(bytes: &[u8]) -> Value {
    const LARGEST: usize = size_of::<i128>();
    if bytes.len() > LARGEST {
        return octets(bytes);
    }
    let sign = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
    let mut whole = [sign; LARGEST];
    whole[..bytes.len()].copy_from_slice(bytes);
    super::super::whole(i128::from_le_bytes(whole))
}
