//! A list of words that is asked for millions of times: most questions are answered by the first
//! letter and the length.

/// Words with spaces between them. Capitals do not count.
pub(super) struct Words {
    list: &'static str,
    /// For each first letter, and for anything else, the lengths that occur, as bits.
    lengths: [u64; 27],
}

impl Words {
    pub(super) const fn new(list: &'static str) -> Self {
        let bytes = list.as_bytes();
        let mut lengths = [0; 27];
        let (mut start, mut at) = (0, 0);
        while at <= bytes.len() {
            if at == bytes.len() || bytes[at] == b' ' {
                lengths[letter(bytes[start])] |= 1 << length(at - start);
                start = at + 1;
            }
            at += 1;
        }
        Self { list, lengths }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        let Some(first) = word.bytes().next() else {
            return false;
        };
        self.lengths[letter(first)] >> length(word.len()) & 1 == 1
            && self.iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.list.split(' ')
    }
}

const fn letter(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => (byte - b'a') as usize,
        b'A'..=b'Z' => (byte - b'A') as usize,
        _ => 26,
    }
}

const fn length(bytes: usize) -> usize {
    if bytes < 63 { bytes } else { 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whatever_its_capitals() {
        const LIST: Words = Words::new("kib µs 7z");
        for word in ["kib", "KiB", "µs", "7z"] {
            assert!(LIST.has(word), "{word}");
        }
        for word in ["", " ", "kb", "kibi", "z7", "us", "kib µs"] {
            assert!(!LIST.has(word), "{word}");
        }
    }
}
