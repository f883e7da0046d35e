//! Lists in messages: `ok <*> ok <*>` is one, and how long a list is says nothing, nor where a message was cut within it.

use super::hashing::mix;
use super::mask::ANY;

/// The longest item of a list, in words.
const MOST_PERIOD: usize = 16;

/// Words that are remembered: two items.
const REMEMBERED: usize = 2 * MOST_PERIOD;

/// Words of an item that must be there before a word in the place of a value is the beginning of one, itself among
/// them.
const FEWEST_OF_VALUE: usize = 3;

/// A word of a canon.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    /// Where it begins, with the space before it.
    start: usize,
    hash: u64,
}

/// An item that was repeated.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// How many words stand before its end.
    end: usize,
    /// How many words it has.
    period: usize,
}

/// The last words of a canon that is being written.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// A ring: the last is the one before `count`.
    last: [Word; REMEMBERED],
    count: usize,
    /// How many of the last are still in the ring.
    known: usize,
    item: Option<Item>,
}

impl Ending {
    /// How many words the canon has.
    pub(super) fn words(&self) -> usize {
        self.count
    }

    /// Notes that a word begins here.
    pub(super) fn begin_word(&mut self, start: usize) {
        self.last[self.count % REMEMBERED] = Word { start, hash: 0 };
        self.count += 1;
        self.known = (self.known + 1).min(REMEMBERED);
    }

    /// Looks at the canon once its last word is written. Where its last words repeat those before, and one of them is a
    /// variable, they are forgotten. Returns where they begin.
    pub(super) fn drop_repetition(&mut self, canon: &str) -> Option<usize> {
        let last = self.last_mut();
        last.hash = hash_of(&canon.as_bytes()[last.start..]);
        let period = (2..=self.known / 2).find(|period| self.repeats(*period, canon))?;
        self.count -= period;
        self.known -= period;
        self.item = Some(Item { end: self.count, period });
        Some(self.word(self.count).start)
    }

    /// Looks at the end of a whole canon. Where it ends within one more item of a list, which was cut there, that is
    /// forgotten. Returns where it begins.
    pub(super) fn cut_repetition(&mut self, canon: &str) -> Option<usize> {
        let Item { end, period } = self.item?;
        let begun = self.count - end;
        if begun == 0 || begun > period || self.known < begun + period {
            return None;
        }
        let is_same = |at: usize| self.word(end + at).hash == self.word(end - period + at).hash;
        let is_cut = (0..begun - 1).all(is_same) && {
            let last = &canon[self.word(self.count - 1).start..];
            let whole = self.text(end - period + begun - 1, canon);
            whole.starts_with(last.trim_start()) || (begun >= FEWEST_OF_VALUE && whole == ANY)
        };
        is_cut.then(|| {
            self.count = end;
            self.word(end).start
        })
    }

    fn repeats(&self, period: usize, canon: &str) -> bool {
        let end = self.count;
        let is_same = |at: usize| self.word(end - at).hash == self.word(end - period - at).hash;
        (1..=period).all(is_same) && canon[self.word(end - period).start..].contains(ANY)
    }

    fn word(&self, at: usize) -> Word {
        self.last[at % REMEMBERED]
    }

    fn last_mut(&mut self) -> &mut Word {
        &mut self.last[(self.count - 1) % REMEMBERED]
    }

    /// A word before the last one.
    fn text<'a>(&self, at: usize, canon: &'a str) -> &'a str {
        canon[self.word(at).start..self.word(at + 1).start].trim_start()
    }
}

/// The hash of a word, with or without the space before it.
fn hash_of(word: &[u8]) -> u64 {
    let word = word.strip_prefix(b" ").unwrap_or(word);
    let mut hash = word.len() as u64;
    for chunk in word.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash =
            (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    mix(0, hash)
}

#[cfg(test)]
mod tests {
    use crate::grouping::Masker;

    fn canon(message: &str) -> String {
        Masker::new().mask(message).canon.to_owned()
    }

    /// A message with a list of so many items.
    fn items(count: usize) -> String {
        let item = |at: usize| format!("Line{{sku=A-{at}, qty={at}, note='x'}}, ");
        format!("order o-9 rejected: {}", (1..=count).map(item).collect::<String>())
    }

    #[test]
    fn how_many_items_a_list_has_does_not_count() {
        let one = canon(&items(1));
        assert_eq!(one, "order <*> rejected line sku= <*> qty= <*> note= <*>");
        for count in 2..60 {
            assert_eq!(canon(&items(count)), one, "{count}");
        }
        // Nor does what comes behind change the item.
        for count in [1, 5] {
            assert_eq!(canon(&(items(count) + "of shop")), one.clone() + " of shop");
        }
    }

    #[test]
    fn where_a_list_was_cut_does_not_count() {
        let (one, whole) = (canon(&items(1)), items(40));
        // From its third item on: the second one shows that it is a list.
        for end in items(2).len()..whole.len() {
            assert_eq!(canon(&whole[..end]), one, "{:?}", &whole[..end]);
        }
    }

    #[test]
    fn what_is_not_a_list_stays() {
        for (one, other) in [
            ("to be or not to be or not", "to be or not"),
            ("a=1 b=2 a=3 b=4 failed", "a=1 b=2 a=3 b=4 refused"),
            ("retry 1 of job 2 retry 3 of job 4 retry failed", "retry 1 of job 2 retry 3 of job 4"),
        ] {
            assert_ne!(canon(one), canon(other), "{one}");
        }
        // An item of more words than are remembered is not known as one.
        let long =
            "the worker of the shop could not send what the customer of the other shop has ordered";
        assert_ne!(canon(&format!("{long} 1 {long} 2")), canon(&format!("{long} 1")));
    }
}
