//! A list of words that is asked for millions of times: most questions are answered by the first
//! letter and the length.

/// The longest list.
const MOST_WORDS: usize = 128;

/// Words with spaces between them. Capitals do not count.
pub(super) struct Words {
    list: &'static str,
    /// For each first letter, and for anything else, the lengths that occur, as bits.
    lengths: [u64; 27],
    /// Where each word begins and ends.
    bounds: [(usize, usize); MOST_WORDS],
    count: usize,
}

impl Words {
    pub(super) const fn new(list: &'static str) -> Self {
        let bytes = list.as_bytes();
        let mut words = Self { list, lengths: [0; 27], bounds: [(0, 0); MOST_WORDS], count: 0 };
        let (mut start, mut at) = (0, 0);
        while at <= bytes.len() {
            if at == bytes.len() || bytes[at] == b' ' {
                words.lengths[letter(bytes[start])] |= 1 << length(at - start);
                words.bounds[words.count] = (start, at);
                words.count += 1;
                start = at + 1;
            }
            at += 1;
        }
        words
    }

    pub(super) fn has(&self, word: &str) -> bool {
        let Some(first) = word.bytes().next() else {
            return false;
        };
        self.lengths[letter(first)] >> length(word.len()) & 1 == 1 && self.holds(first, word)
    }

    fn holds(&self, first: u8, word: &str) -> bool {
        let list = self.list.as_bytes();
        self.bounds[..self.count].iter().any(|(start, end)| {
            end - start == word.len()
                && list[*start].eq_ignore_ascii_case(&first)
                && list[*start..*end].eq_ignore_ascii_case(word.as_bytes())
        })
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
        static LIST: Words = Words::new("kib µs 7z");
        for word in ["kib", "KiB", "µs", "7z"] {
            assert!(LIST.has(word), "{word}");
        }
        for word in ["", " ", "kb", "kibi", "z7", "us", "kib µs"] {
            assert!(!LIST.has(word), "{word}");
        }
    }
}
