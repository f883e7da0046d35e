//! By which a schema is recognised: the fingerprint of its parsing canonical form (specification 1.12, "Transforming into
//! Parsing Canonical Form" and "Schema Fingerprints").

use std::collections::HashSet;
use std::fmt::Write as _;

use super::schema::{Node, NodeId, Schema};

/// CRC-64-AVRO of no bytes, which is its polynomial, too.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

/// CRC-64-AVRO of the canonical form of a schema.
pub(super) fn fingerprint(schema: &Schema) -> u64 {
    canonical(schema).bytes().fold(EMPTY, |so_far, byte| {
        let low = (so_far ^ u64::from(byte)) & 0xff;
        let turned = (0..8).fold(low, |rest, _| {
            let carried = if rest & 1 == 1 { EMPTY } else { 0 };
            (rest >> 1) ^ carried
        });
        (so_far >> 8) ^ turned
    })
}

/// A schema without what does not matter for reading, always written the same.
pub(super) fn canonical(schema: &Schema) -> String {
    let mut writing = Writing { schema, text: String::new(), told: HashSet::new() };
    writing.node(schema.root());
    writing.text
}

struct Writing<'a> {
    schema: &'a Schema,
    text: String,
    /// Types that were written out: their names stand for them from then on.
    told: HashSet<NodeId>,
}

impl Writing<'_> {
    fn node(&mut self, id: NodeId) {
        if let Some(name) = self.schema.name(id)
            && !self.told.insert(id)
        {
            return self.quoted(name);
        }
        match self.schema.node(id) {
            Node::Null => self.quoted("null"),
            Node::Boolean => self.quoted("boolean"),
            Node::Int(_) => self.quoted("int"),
            Node::Long(_) => self.quoted("long"),
            Node::Float => self.quoted("float"),
            Node::Double => self.quoted("double"),
            Node::Bytes(_) => self.quoted("bytes"),
            Node::Text => self.quoted("string"),
            Node::Union(branches) => self.list(branches, |writing, branch| writing.node(*branch)),
            Node::List(items) => {
                self.text.push_str("{\"type\":\"array\",\"items\":");
                self.node(*items);
                self.text.push('}');
            }
            Node::Map(values) => {
                self.text.push_str("{\"type\":\"map\",\"values\":");
                self.node(*values);
                self.text.push('}');
            }
            Node::Record(fields) => {
                self.head(id, "record");
                self.text.push_str(",\"fields\":");
                self.list(fields, |writing, (name, kind)| {
                    writing.text.push_str("{\"name\":");
                    writing.quoted(name);
                    writing.text.push_str(",\"type\":");
                    writing.node(*kind);
                    writing.text.push('}');
                });
                self.text.push('}');
            }
            Node::Enum(symbols) => {
                self.head(id, "enum");
                self.text.push_str(",\"symbols\":");
                self.list(symbols, |writing, symbol| writing.quoted(symbol));
                self.text.push('}');
            }
            Node::Fixed(size, _) => {
                self.head(id, "fixed");
                let _ = write!(self.text, ",\"size\":{size}}}");
            }
        }
    }

    /// The beginning of a type that has a name.
    fn head(&mut self, id: NodeId, kind: &str) {
        self.text.push_str("{\"name\":");
        self.quoted(self.schema.name(id).unwrap_or_default());
        let _ = write!(self.text, ",\"type\":\"{kind}\"");
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.text.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            write(self, item);
        }
        self.text.push(']');
    }

    fn quoted(&mut self, text: &str) {
        self.text.push_str(&serde_json::Value::from(text).to_string());
    }
}
