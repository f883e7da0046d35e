//! Bytes in rows of sixteen: offset, hexadecimal, and what of it is ASCII.

use std::fmt::Write as _;

const ROW: usize = 16;

/// Turns hexadecimal digits into the rows of a dump.
pub(super) fn rows(digits: &str) -> String {
    let bytes: Vec<u8> = digits
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    let mut text = String::with_capacity(bytes.len() * 5);
    for (row, bytes) in bytes.chunks(ROW).enumerate() {
        write!(text, "{:06x} ", row * ROW).expect("a String takes every write");
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
    use super::rows;

    #[test]
    fn a_row_has_sixteen_bytes_and_keeps_its_columns() {
        let dump = rows("48656c6c6f2c20776f726c6421000102ff41");
        assert_eq!(
            dump,
            "000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 00 01 02  Hello, world!···\n\
             000010  ff 41                                             ·A\n"
        );
        assert_eq!(rows(""), "");
    }
}
