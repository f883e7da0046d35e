//! Writing values of a message of a known type again. Fields whose values are the same stay as they were written, also
//! those that the type does not declare.

mod values;
mod well_known;

use std::collections::HashSet;

use serde_json::{Map, Value};

use self::values::Written;
use super::super::rewriting::{is_same, origins};
use super::super::simple_key;
use super::typed::{Reading, UNDECLARED};
use super::types::{FieldType, Kind, MessageId, MessageType, Occurs, ProtobufTypes};
use super::wire::{WireField, WireFields, WireValue};
use crate::reading::cut;

/// Writes other values in the place of those of a message.
///
/// # Errors
/// Returns why the message type does not allow that.
pub fn write(
    types: &ProtobufTypes,
    id: MessageId,
    original: &[u8],
    after: &Value,
) -> Result<Vec<u8>, String> {
    Writing { types }.message(id, original, after)
}

#[derive(Clone, Copy)]
struct Writing<'a> {
    types: &'a ProtobufTypes,
}

impl Writing<'_> {
    /// A message in the place of one, or of none.
    fn message(self, id: MessageId, original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
        let mut before = Reading::new(self.types).members(id, original)?;
        let after = self.meant(id, &before, after)?;
        let declared = self.types.message(id);
        check(declared, &before, &after)?;
        before.remove(UNDECLARED);
        let changed = |field: &&FieldType| {
            let (before, after) = (before.get(&field.name), after.get(&field.name));
            !before.zip(after).map_or(before == after, |(before, after)| is_same(before, after))
        };
        let changed: HashSet<u32> =
            declared.fields.iter().filter(changed).map(|field| field.number).collect();
        let fields = WireFields::of(original).collect::<Result<Vec<_>, _>>()?;
        let mut written = Vec::new();
        let mut done = HashSet::new();
        for field in &fields {
            let of = declared.field(field.number).filter(|of| changed.contains(&of.number));
            match of.filter(|of| self.reads(of, field.value)) {
                None => written.extend(field.bytes),
                Some(of) if done.insert(of.number) => {
                    if let Some(after) = after.get(&of.name) {
                        written.extend(self.field(of, &self.occurrences(of, &fields), after)?);
                    }
                }
                // All of it stands where the first was.
                Some(_) => {}
            }
        }
        for of in &declared.fields {
            if let Some(after) = after.get(&of.name)
                && changed.contains(&of.number)
                && !done.contains(&of.number)
            {
                written.extend(self.field(of, &[], after)?);
            }
        }
        Ok(written)
    }

    /// Whether a field is written as a value of its kind is: else it counts as one that is not declared.
    fn reads(self, field: &FieldType, value: WireValue<'_>) -> bool {
        matches!(Reading::new(self.types).field(field, value), Ok(Some(_)))
    }

    fn occurrences<'b>(self, of: &FieldType, fields: &[WireField<'b>]) -> Vec<WireValue<'b>> {
        let values = fields.iter().filter(|field| field.number == of.number);
        values.map(|field| field.value).filter(|value| self.reads(of, *value)).collect()
    }

    /// All of a field, in the place of what was written for it.
    fn field(
        self,
        field: &FieldType,
        before: &[WireValue<'_>],
        after: &Value,
    ) -> Result<Vec<u8>, String> {
        match field.occurs {
            Occurs::Map => self.map(field, before, after),
            Occurs::Repeated => self.repeated(field, before, after),
            Occurs::Optional | Occurs::Required | Occurs::OneOf(_) => {
                let mut written = Vec::new();
                self.value(field, before.last().copied(), after)?.put(field, &mut written);
                Ok(written)
            }
        }
    }

    fn repeated(
        self,
        field: &FieldType,
        before: &[WireValue<'_>],
        after: &Value,
    ) -> Result<Vec<u8>, String> {
        let after = after.as_array().ok_or_else(|| unfit(field, after))?;
        let was_packed = before.iter().any(|value| matches!(value, WireValue::Bytes(_)));
        let is_number = !matches!(field.kind.wire_type(), 2 | 3);
        let mut written = Vec::new();
        if is_number {
            let values = after.iter().map(|value| self.value(field, None, value));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            if was_packed || (before.is_empty() && field.is_packed) {
                let together: Vec<u8> = values.into_iter().flat_map(Written::bytes).collect();
                if !together.is_empty() {
                    Written::Counted(together).put(field, &mut written);
                }
            } else {
                for value in values {
                    value.put(field, &mut written);
                }
            }
            return Ok(written);
        }
        let mut reading = Reading::new(self.types);
        let read = before.iter().filter_map(|value| reading.field(field, *value).transpose());
        let read = read.collect::<Result<Vec<_>, _>>()?;
        for (origin, value) in origins(&read, after).into_iter().zip(after) {
            let before = origin.and_then(|at| before.get(at).copied());
            self.value(field, before, value)?.put(field, &mut written);
        }
        Ok(written)
    }

    fn map(
        self,
        field: &FieldType,
        before: &[WireValue<'_>],
        after: &Value,
    ) -> Result<Vec<u8>, String> {
        let mut left = after.as_object().ok_or_else(|| unfit(field, after))?.clone();
        let Kind::Message(id) = field.kind else { return Err(unfit(field, after)) };
        let mut written = Vec::new();
        let mut entry = |original: &[u8], name: Option<Value>, value: Value| {
            let mut members = Map::new();
            members.extend(name.map(|name| ("key".to_owned(), name)));
            members.insert("value".to_owned(), value);
            let entry = self.message(id, original, &Value::Object(members))?;
            Written::Counted(entry).put(field, &mut written);
            Ok::<(), String>(())
        };
        for value in before {
            let WireValue::Bytes(original) = *value else { continue };
            let name = Reading::new(self.types).members(id, original)?.remove("key");
            let told = name.clone().map_or_else(String::new, simple_key);
            if let Some(value) = left.remove(&told) {
                entry(original, name, value)?;
            }
        }
        let kind = self.types.message(id).field(1).map(|key| key.kind);
        for (name, value) in left {
            let text = Value::from(name.as_str());
            let parsed = serde_json::from_str(&name).ok();
            let is_text = matches!(kind, Some(Kind::String) | None);
            entry(b"", if is_text { Some(text) } else { parsed.or(Some(text)) }, value)?;
        }
        Ok(written)
    }
}

/// Whether all members are declared, and one alone of those of which one can stand.
fn check(
    declared: &MessageType,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<(), String> {
    if before.get(UNDECLARED) != after.get(UNDECLARED) {
        return Err(format!(
            "what the message type {} does not declare stays as it is: leave `{UNDECLARED}` alone",
            declared.name
        ));
    }
    let field = |name: &String| declared.fields.iter().find(|field| field.name == *name);
    let mut one_ofs: Vec<(usize, &String)> = Vec::new();
    for name in after.keys().filter(|name| *name != UNDECLARED) {
        let Some(field) = field(name) else {
            let name = cut(name, 64);
            return Err(format!("the message type {} has no field `{name}`", declared.name));
        };
        if let Occurs::OneOf(group) = field.occurs {
            if let Some((_, other)) = one_ofs.iter().find(|(other, _)| *other == group) {
                return Err(format!("of `{other}` and `{name}` only one can stand"));
            }
            one_ofs.push((group, name));
        }
    }
    let required = |field: &&FieldType| field.occurs == Occurs::Required;
    match declared.fields.iter().filter(required).find(|field| !after.contains_key(&field.name)) {
        None => Ok(()),
        Some(field) => Err(format!("the message type {} wants `{}`", declared.name, field.name)),
    }
}

fn unfit(field: &FieldType, value: &Value) -> String {
    format!("the field `{}` does not take {}", field.name, cut(&value.to_string(), 64))
}

#[cfg(test)]
mod tests;
