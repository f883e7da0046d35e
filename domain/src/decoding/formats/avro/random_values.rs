//! Random values of a schema, as a sender writes them.

use super::schema::{Node, NodeId, Schema};
use super::tests::{counted, long};

/// Writes the same values from the same seed.
pub(super) struct RandomValues(u64);

impl RandomValues {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(super) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).expect("small")
    }

    pub(super) fn octets(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_le_bytes()[1]).collect()
    }

    pub(super) fn value(&mut self, schema: &Schema) -> Vec<u8> {
        self.node(schema, schema.root(), 0)
    }

    fn node(&mut self, schema: &Schema, id: NodeId, level: usize) -> Vec<u8> {
        match schema.node(id) {
            Node::Null => Vec::new(),
            Node::Boolean => vec![u8::from(self.below(2) == 1)],
            Node::Int(_) => long(self.number(10_000)),
            Node::Long(_) => long(self.number(2_000_000_000_000)),
            Node::Float => [0, 0, self.octets(1)[0], 0x41].to_vec(),
            Node::Double => [&self.octets(6)[..], &[0x45, 0x40]].concat(),
            Node::Bytes(_) => {
                let count = self.below(12);
                counted(&self.octets(count))
            }
            Node::Fixed(size, _) => self.octets(*size),
            Node::Text => counted(&self.text()),
            Node::Enum(symbols) => choice(self.below(symbols.len())),
            Node::Record(fields) => {
                fields.iter().flat_map(|(_, kind)| self.node(schema, *kind, level + 1)).collect()
            }
            Node::Union(branches) => {
                // What refers to itself ends.
                let at = if level > 8 { 0 } else { self.below(branches.len()) };
                [choice(at), self.node(schema, branches[at], level + 1)].concat()
            }
            Node::List(items) => self.block(level, |this| this.node(schema, *items, level + 1)),
            Node::Map(values) => self.block(level, |this| {
                let name = counted(&this.text());
                [name, this.node(schema, *values, level + 1)].concat()
            }),
        }
    }

    fn number(&mut self, most: u64) -> i64 {
        let number = i64::try_from(self.next() % most).expect("small");
        if self.below(10) == 0 { -number } else { number }
    }

    fn text(&mut self) -> Vec<u8> {
        const WORDS: [&str; 8] =
            ["ord-", "4711", "Göteborg", "web", "a1b2c3", " left at ", "EUR", "x"];
        (0..self.below(4)).flat_map(|_| WORDS[self.below(WORDS.len())].bytes()).collect()
    }

    fn block(&mut self, level: usize, item: impl Fn(&mut Self) -> Vec<u8>) -> Vec<u8> {
        let count = if level > 8 { 0 } else { self.below(3) };
        if count == 0 {
            return long(0);
        }
        let items: Vec<u8> = (0..count).flat_map(|_| item(self)).collect();
        [choice(count), items, long(0)].concat()
    }
}

fn choice(at: usize) -> Vec<u8> {
    long(i64::try_from(at).expect("small"))
}
