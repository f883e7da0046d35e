//! Bytes in rows of sixteen: offset, hexadecimal, and what of it is ASCII.

use std::fmt::Write as _;

const ROW: usize = 16;

/// The bytes that hexadecimal digits stand for.
pub(super) fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// The rows of a dump of bytes that begin at this place of a body.
pub(super) fn rows(bytes: &[u8], from: i64) -> String {
    let from = usize::try_from(from).unwrap_or_default();
    let mut text = String::with_capacity(bytes.len() * 5);
    for (row, bytes) in bytes.chunks(ROW).enumerate() {
        write!(text, "{:06x} ", from + row * ROW).expect("a String takes every write");
        for place in 0..ROW {
            if place == ROW / 2 {
                text.push(' ');
            }
            match bytes.get(place) {
                Some(byte) => write!(text, " {byte:02x}").expect("a String takes every write"),
                None => text.push_str("   "),
            }
        }
        text.push_str("  ");
        text.extend(bytes.iter().map(|byte| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '·',
        }));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{bytes, rows};

    #[test]
    fn a_row_has_sixteen_bytes_and_keeps_its_columns() {
        let dump = rows(&bytes("48656c6c6f2c20776f726c6421000102ff41"), 0);
        assert_eq!(
            dump,
            "000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 00 01 02  Hello, world!···\n\
             000010  ff 41                                             ·A\n"
        );
        assert_eq!(rows(b"", 0), "");
        assert!(rows(b"a", 4_096).starts_with("001000  61"));
    }
}
