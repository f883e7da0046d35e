//! Writing values of Avro again: by their schema, which says how each is written but which branch of a union it is in.
//! That is the one in which it was, where it still fits.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::binary::Bytes;
use super::logical;
use super::schema::{Node, NodeId, Schema};
use crate::decoding::formats::rewriting::{is_same, origins, single_of, whole_of};
use crate::decoding::formats::{BYTES_BEHIND, Gauge, MOST_LEVELS, TOO_DEEP, TWICE};

/// Writes another value in the place of one.
///
/// # Errors
/// Returns why the schema does not allow that.
pub(super) fn write(schema: &Schema, original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let mut writing = Writing::new(schema);
    let mut original = Bytes(original);
    writing.in_place_of(&mut original, schema.root(), after)?;
    if original.0.is_empty() { Ok(writing.out) } else { Err(BYTES_BEHIND.to_owned()) }
}

/// Writes other values in the place of some that stand one behind the other, so many of them.
///
/// # Errors
/// Returns why the schema does not allow that.
pub(super) fn write_items(
    schema: &Schema,
    original: &[u8],
    count: usize,
    after: &[Value],
) -> Result<Vec<u8>, String> {
    let mut writing = Writing::new(schema);
    let mut original = Bytes(original);
    let before = (0..count).map(|_| writing.item(&mut original, schema.root()));
    let before = before.collect::<Result<Vec<_>, _>>()?;
    writing.all(schema.root(), &before, after)?;
    Ok(writing.out)
}

/// A whole number: seven bits a byte, the lowest first; the lowest of all is the sign.
pub(super) fn write_long(number: i64, out: &mut Vec<u8>) {
    let zigzag = (number << 1) ^ (number >> 63);
    prost::encoding::encode_varint(zigzag.cast_unsigned(), out);
}

/// Bytes behind their number.
pub(super) fn write_counted(bytes: &[u8], out: &mut Vec<u8>) {
    write_count(bytes.len(), out);
    out.extend(bytes);
}

pub(super) fn write_count(count: usize, out: &mut Vec<u8>) {
    write_long(i64::try_from(count).unwrap_or(i64::MAX), out);
}

/// How many values are tried for one body. A schema may have branches that look alike, each with others in it.
const MOST_TRIED: usize = 1_000_000;

struct Writing<'a> {
    schema: &'a Schema,
    out: Vec<u8>,
    level: usize,
    /// What may still be tried.
    left: usize,
}

/// A value as it was written, and what it says.
struct Item<'a> {
    bytes: &'a [u8],
    value: Value,
}

impl<'a> Writing<'a> {
    fn new(schema: &'a Schema) -> Self {
        Self { schema, out: Vec::new(), level: 0, left: MOST_TRIED }
    }

    fn count(&mut self) -> Result<(), String> {
        self.left = self.left.checked_sub(1).ok_or(AMBIGUOUS)?;
        Ok(())
    }

    /// Reads the value that `original` begins with, and writes another one.
    fn in_place_of(
        &mut self,
        original: &mut Bytes<'_>,
        id: NodeId,
        after: &Value,
    ) -> Result<(), String> {
        self.count()?;
        let Item { bytes, value } = self.item(original, id)?;
        if is_same(&value, after) {
            self.out.extend(bytes);
            return Ok(());
        }
        let mut original = Bytes(bytes);
        let schema = self.schema;
        match (schema.node(id), after) {
            (Node::Record(fields), Value::Object(members)) => {
                only_fields(fields, members)?;
                for (name, kind) in fields {
                    let after = members.get(name).ok_or_else(|| missing(name))?;
                    self.in_place_of(&mut original, *kind, after)?;
                }
                Ok(())
            }
            (Node::Union(branches), after) => {
                let at = original.long()?;
                let branch = usize::try_from(at).ok().and_then(|at| branches.get(at));
                let (begin, level) = (self.out.len(), self.level);
                write_long(at, &mut self.out);
                if branch.is_some_and(|id| self.in_place_of(&mut original, *id, after).is_ok()) {
                    return Ok(());
                }
                self.out.truncate(begin);
                self.level = level;
                self.encode(id, after)
            }
            (Node::List(kind), Value::Array(after)) => {
                let before = self.items(&mut original, *kind)?;
                self.list(*kind, &before, after)
            }
            (Node::Map(kind), Value::Object(members)) => {
                let before = self.entries(&mut original, *kind)?;
                self.map(*kind, &before, members)
            }
            (_, after) => self.encode(id, after),
        }
    }

    fn item<'b>(&self, original: &mut Bytes<'b>, id: NodeId) -> Result<Item<'b>, String> {
        let begin = original.0;
        let value = original.value(self.schema, id, &mut Gauge::default())?;
        Ok(Item { bytes: &begin[..begin.len() - original.0.len()], value })
    }

    fn items<'b>(&self, original: &mut Bytes<'b>, id: NodeId) -> Result<Vec<Item<'b>>, String> {
        let mut items = Vec::new();
        loop {
            let count = original.block()?;
            if count == 0 {
                return Ok(items);
            }
            for _ in 0..count {
                items.push(self.item(original, id)?);
            }
        }
    }

    fn entries<'b>(
        &self,
        original: &mut Bytes<'b>,
        id: NodeId,
    ) -> Result<Vec<(String, &'b [u8])>, String> {
        let mut entries = Vec::new();
        loop {
            let count = original.block()?;
            if count == 0 {
                return Ok(entries);
            }
            for _ in 0..count {
                let name = String::from_utf8_lossy(original.counted()?).into_owned();
                entries.push((name, self.item(original, id)?.bytes));
            }
        }
    }

    fn list(&mut self, kind: NodeId, before: &[Item<'_>], after: &[Value]) -> Result<(), String> {
        if !after.is_empty() {
            write_count(after.len(), &mut self.out);
        }
        self.all(kind, before, after)?;
        self.out.push(0);
        Ok(())
    }

    fn all(&mut self, kind: NodeId, before: &[Item<'_>], after: &[Value]) -> Result<(), String> {
        let values: Vec<Value> = before.iter().map(|item| item.value.clone()).collect();
        for (origin, value) in origins(&values, after).into_iter().zip(after) {
            match origin {
                Some(at) => self.in_place_of(&mut Bytes(before[at].bytes), kind, value)?,
                None => self.encode(kind, value)?,
            }
        }
        Ok(())
    }

    fn map(
        &mut self,
        kind: NodeId,
        before: &[(String, &[u8])],
        members: &Map<String, Value>,
    ) -> Result<(), String> {
        let names: HashSet<&str> = before.iter().map(|(name, _)| &**name).collect();
        if names.len() < before.len() {
            return Err(TWICE.to_owned());
        }
        if !members.is_empty() {
            write_count(members.len(), &mut self.out);
        }
        let kept = before.iter().filter(|(name, _)| members.contains_key(name));
        for (name, bytes) in kept {
            write_counted(name.as_bytes(), &mut self.out);
            self.in_place_of(&mut Bytes(bytes), kind, &members[name])?;
        }
        for (name, value) in members.iter().filter(|(name, _)| !names.contains(&***name)) {
            write_counted(name.as_bytes(), &mut self.out);
            self.encode(kind, value)?;
        }
        self.out.push(0);
        Ok(())
    }

    /// Writes a value that nothing stood in the place of.
    fn encode(&mut self, id: NodeId, value: &Value) -> Result<(), String> {
        self.count()?;
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(TOO_DEEP.to_owned());
        }
        let schema = self.schema;
        match (schema.node(id), value) {
            (Node::Null, Value::Null) => {}
            (Node::Boolean, Value::Bool(value)) => self.out.push(u8::from(*value)),
            (Node::Int(logical) | Node::Long(logical), value) => {
                let number = whole_of(value).and_then(|number| i64::try_from(number).ok());
                let number = number.or_else(|| logical::number_of(value, *logical));
                let is_int = matches!(schema.node(id), Node::Int(_));
                let number = number.filter(|number| !is_int || i32::try_from(*number).is_ok());
                write_long(number.ok_or_else(|| unfit(value))?, &mut self.out);
            }
            (Node::Float, Value::Number(number)) => {
                let number = number.as_f64().and_then(single_of).ok_or_else(|| unfit(value))?;
                self.out.extend(number.to_le_bytes());
            }
            (Node::Double, Value::Number(number)) => {
                self.out.extend(number.as_f64().ok_or_else(|| unfit(value))?.to_le_bytes());
            }
            (Node::Bytes(logical), value) => {
                let bytes = logical::bytes_of(value, *logical, None);
                write_counted(&bytes.ok_or_else(|| unfit(value))?, &mut self.out);
            }
            (Node::Fixed(size, logical), value) => {
                let bytes = logical::bytes_of(value, *logical, Some(*size));
                let bytes = bytes.filter(|bytes| bytes.len() == *size);
                self.out.extend(bytes.ok_or_else(|| unfit(value))?);
            }
            (Node::Text, Value::String(text)) => write_counted(text.as_bytes(), &mut self.out),
            (Node::Record(fields), Value::Object(members)) => {
                only_fields(fields, members)?;
                for (name, kind) in fields {
                    self.encode(*kind, members.get(name).ok_or_else(|| missing(name))?)?;
                }
            }
            (Node::Enum(symbols), Value::String(text)) => {
                let at = symbols.iter().position(|symbol| symbol == text);
                write_count(at.ok_or_else(|| unfit(value))?, &mut self.out);
            }
            (Node::Union(branches), value) => self.branch(branches, value)?,
            (Node::List(kind), Value::Array(values)) => self.list(*kind, &[], values)?,
            (Node::Map(kind), Value::Object(members)) => self.map(*kind, &[], members)?,
            (_, value) => return Err(unfit(value)),
        }
        self.level -= 1;
        Ok(())
    }

    /// The first branch that a value can be written in.
    fn branch(&mut self, branches: &[NodeId], value: &Value) -> Result<(), String> {
        let (begin, level) = (self.out.len(), self.level);
        for (at, branch) in branches.iter().enumerate() {
            write_count(at, &mut self.out);
            if self.encode(*branch, value).is_ok() {
                return Ok(());
            }
            self.out.truncate(begin);
            self.level = level;
        }
        Err(unfit(value))
    }
}

const AMBIGUOUS: &str = "its schema has so many branches that look alike that it was given up";

fn only_fields(fields: &[(String, NodeId)], members: &Map<String, Value>) -> Result<(), String> {
    match members.keys().find(|name| fields.iter().all(|(field, _)| field != *name)) {
        None => Ok(()),
        Some(name) => Err(format!("its schema does not have `{}`", crate::reading::cut(name, 64))),
    }
}

fn missing(name: &str) -> String {
    format!("its schema wants `{name}`")
}

fn unfit(value: &Value) -> String {
    format!("its schema does not take {} there", crate::reading::cut(&value.to_string(), 64))
}

#[cfg(test)]
mod tests;
