//! Avro's binary encoding.

use serde_json::{Map, Value};

use super::logical;
use super::schema::{Node, NodeId, Schema};
use crate::decoding::formats::{Gauge, TOO_SHORT, float, octets, single};

/// Bytes that are read from their beginning on.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| TOO_SHORT.to_owned())
    }

    /// A whole number: seven bits a byte, the lowest first; the lowest of all is the sign.
    ///
    /// # Errors
    /// Returns an error if the bytes end within it, or it has more than 64 bits.
    pub fn long(&mut self) -> Result<i64, String> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let half = i64::try_from(number >> 1).map_err(|why| why.to_string())?;
                return Ok(if number & 1 == 0 { half } else { !half });
            }
        }
        Err("it has a number of more than 64 bits".to_owned())
    }

    fn length(&mut self) -> Result<usize, String> {
        usize::try_from(self.long()?).map_err(|_| "it has a length below zero".to_owned())
    }

    /// So many bytes as a number before them says.
    pub(super) fn counted(&mut self) -> Result<&'a [u8], String> {
        let length = self.length()?;
        self.take(length)
    }

    /// How many items the next block of a list or map has; none ends it.
    pub(super) fn block(&mut self) -> Result<u64, String> {
        let count = self.long()?;
        if count < 0 {
            // The block's size in bytes, which serves to skip it.
            self.long()?;
        }
        Ok(count.unsigned_abs())
    }

    /// Reads a value. How deep it goes and how many values it has in all is what the gauge allows: a schema may refer to
    /// itself, and some values take no byte.
    pub(super) fn value(
        &mut self,
        schema: &Schema,
        id: NodeId,
        gauge: &mut Gauge,
    ) -> Result<Value, String> {
        gauge.value()?;
        gauge.enter()?;
        let value = match schema.node(id) {
            Node::Null => Value::Null,
            Node::Boolean => Value::Bool(self.array::<1>()? != [0]),
            Node::Int(logical) | Node::Long(logical) => logical::number(self.long()?, *logical),
            Node::Float => single(f32::from_le_bytes(self.array()?)),
            Node::Double => float(f64::from_le_bytes(self.array()?)),
            Node::Bytes(logical) => logical::bytes(self.counted()?, *logical),
            Node::Fixed(size, logical) => logical::bytes(self.take(*size)?, *logical),
            Node::Text => match std::str::from_utf8(self.counted()?) {
                Ok(text) => Value::from(text),
                Err(_) => return Err("it has a text that is not UTF-8".to_owned()),
            },
            Node::Record(fields) => {
                let mut members = Map::new();
                for (name, kind) in fields {
                    members.insert(name.clone(), self.value(schema, *kind, gauge)?);
                }
                Value::Object(members)
            }
            Node::Enum(symbols) => {
                let at = self.length()?;
                Value::from(
                    symbols.get(at).ok_or("it has a symbol that its schema does not have")?.clone(),
                )
            }
            Node::Union(branches) => {
                let at = self.length()?;
                let branch =
                    branches.get(at).ok_or("it has a branch that its schema does not have")?;
                self.value(schema, *branch, gauge)?
            }
            Node::List(items) => self.list(schema, *items, gauge)?,
            Node::Map(values) => self.map(schema, *values, gauge)?,
        };
        gauge.leave();
        Ok(value)
    }

    fn list(&mut self, schema: &Schema, items: NodeId, gauge: &mut Gauge) -> Result<Value, String> {
        let mut values = Vec::new();
        loop {
            let count = self.block()?;
            if count == 0 {
                return Ok(Value::Array(values));
            }
            for _ in 0..count {
                values.push(self.value(schema, items, gauge)?);
            }
        }
    }

    fn map(&mut self, schema: &Schema, values: NodeId, gauge: &mut Gauge) -> Result<Value, String> {
        let mut members = Map::new();
        loop {
            let count = self.block()?;
            if count == 0 {
                return Ok(Value::Object(members));
            }
            for _ in 0..count {
                let name = match octets(self.counted()?) {
                    Value::String(name) => name,
                    other => other.to_string(),
                };
                members.insert(name, self.value(schema, values, gauge)?);
            }
        }
    }
}
