//! How well bytes fit a schema, as evidence in bits: how many fewer somebody needs to write them who knows it than
//! somebody who takes them for noise. Avro has nothing between its values, so bytes either are of a schema or are not.

use super::super::Gauge;
use super::super::evidence::{bits_of, fraction, size, text};
use super::binary::Bytes;
use super::schema::{Node, NodeId, Schema};

/// How well bytes fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// Bits saved; `None` where the bytes are not of the schema.
    pub(super) bits: Option<f64>,
    /// How many bytes were looked at to know that.
    pub(super) read: usize,
}

/// How well bytes fit a schema, as far as the gauge lets it look.
pub(super) fn fit(schema: &Schema, bytes: &[u8], gauge: &mut Gauge) -> Fit {
    let mut fitting = Fitting { schema, bytes: Bytes(bytes) };
    let bits = gauge.attempt(|gauge| fitting.value(schema.root(), gauge));
    let left = fitting.bytes.0.len();
    // Noise does not end where the last value does.
    let ended = bits_of(bytes.len() + 1).log2();
    Fit { bits: bits.ok().filter(|_| left == 0).map(|bits| bits + ended), read: bytes.len() - left }
}

struct Fitting<'a> {
    schema: &'a Schema,
    bytes: Bytes<'a>,
}

impl Fitting<'_> {
    fn value(&mut self, id: NodeId, gauge: &mut Gauge) -> Result<f64, String> {
        gauge.value()?;
        gauge.enter()?;
        let schema = self.schema;
        let bits = match schema.node(id) {
            Node::Null => 0.0,
            Node::Boolean => match self.bytes.take(1)? {
                [0 | 1] => 7.0,
                _ => return Err("it has a flag that is neither 0 nor 1".to_owned()),
            },
            Node::Int(_) => {
                let number = self.number()?;
                i32::try_from(number.of).map_err(|why| why.to_string())?;
                number.saved
            }
            Node::Long(_) => self.number()?.saved,
            Node::Float => {
                let bytes = self.bytes.array()?;
                fraction(f64::from(f32::from_le_bytes(bytes)), bytes == [0; 4])
            }
            Node::Double => {
                let bytes = self.bytes.array()?;
                fraction(f64::from_le_bytes(bytes), bytes == [0; 8])
            }
            Node::Bytes(_) => self.counted()?.saved,
            Node::Fixed(size, _) => self.bytes.take(*size).map(|_| 0.0)?,
            Node::Text => {
                let counted = self.counted()?;
                std::str::from_utf8(counted.of).map_err(|why| why.to_string())?;
                counted.saved + text(counted.of)
            }
            Node::Record(fields) => {
                let mut bits = 0.0;
                for (_, kind) in fields {
                    bits += self.value(*kind, gauge)?;
                }
                bits
            }
            Node::Enum(symbols) => self.choice(symbols.len())?.saved,
            Node::Union(branches) => {
                let choice = self.choice(branches.len())?;
                choice.saved + self.value(branches[choice.of], gauge)?
            }
            Node::List(items) => {
                self.blocks(gauge, |fitting, gauge| fitting.value(*items, gauge))?
            }
            Node::Map(values) => self.blocks(gauge, |fitting, gauge| {
                let name = fitting.counted()?;
                Ok(name.saved + text(name.of) + fitting.value(*values, gauge)?)
            })?,
        };
        gauge.leave();
        Ok(bits)
    }

    fn number(&mut self) -> Result<Saving<i64>, String> {
        let before = self.bytes.0.len();
        let of = self.bytes.long()?;
        let written = 8.0 * bits_of(before - self.bytes.0.len());
        Ok(Saving { of, saved: written - size(of.unsigned_abs()) })
    }

    /// One of so many.
    fn choice(&mut self, of: usize) -> Result<Saving<usize>, String> {
        let [byte] = self.bytes.array()?;
        // Nobody has more than 64 branches or symbols that matter here: the rest is read as a longer number.
        let chosen = if byte & 0x80 == 0 {
            usize::from(byte >> 1)
        } else {
            let [second] = self.bytes.array()?;
            usize::from(byte & 0x7f) >> 1 | usize::from(second) << 6
        };
        if byte & 1 == 1 || chosen >= of {
            return Err("it has a choice that its schema does not have".to_owned());
        }
        let written = if byte & 0x80 == 0 { 8.0 } else { 16.0 };
        Ok(Saving { of: chosen, saved: written - bits_of(of).log2() })
    }

    /// So many bytes as a number before them says.
    fn counted(&mut self) -> Result<Saving<&[u8]>, String> {
        let length = self.number()?;
        let bytes = usize::try_from(length.of).map_err(|why| why.to_string())?;
        Ok(Saving { of: self.bytes.take(bytes)?, saved: length.saved })
    }

    /// The blocks of a list or map.
    fn blocks(
        &mut self,
        gauge: &mut Gauge,
        mut item: impl FnMut(&mut Self, &mut Gauge) -> Result<f64, String>,
    ) -> Result<f64, String> {
        let mut bits = 0.0;
        loop {
            let count = self.number()?;
            bits += count.saved;
            if count.of == 0 {
                return Ok(bits);
            }
            if count.of < 0 {
                bits += self.number()?.saved;
            }
            for _ in 0..count.of.unsigned_abs() {
                bits += item(self, gauge)?;
            }
        }
    }
}

/// What was read, and the bits that it saves.
struct Saving<T> {
    of: T,
    saved: f64,
}
