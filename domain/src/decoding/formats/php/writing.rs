//! Writing values as PHP's `serialize` again.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

use super::super::TWICE;
use super::super::rewriting::{TypedValue, base64_of, bytes_of, items, octets_of, whole_of};
use super::telling::{is_list, name};
use super::{
    CLASS, ENUM, OWN, PRIVATE, PROTECTED, REFERENCE, Serialized, plain, visible, with_slashes,
};

/// Why values are neither added nor taken away where others refer to them by their number.
const COUNTED: &str = "it has references, which count the values before them: values can be changed, and neither added \
    nor taken away";

/// A value, as references count it.
#[derive(PartialEq, Eq)]
enum NodeKind {
    /// With values under these keys in it.
    Value(Vec<Serialized>),
    /// It refers to the value with this number.
    Reference(u32),
}

type Entries = Vec<(Serialized, Serialized)>;

/// Writes other values in the place of those of a message.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let (before, has_slashes) = plain(original)?;
    let nodes = before.nodes();
    let after = before.replaced(after)?;
    let nodes_after = after.nodes();
    let mut all = nodes.iter().chain(&nodes_after);
    if all.any(|node| matches!(node, NodeKind::Reference(_))) && nodes != nodes_after {
        return Err(COUNTED.to_owned());
    }
    let mut bytes = Vec::new();
    after.write_to(&mut bytes);
    Ok(if has_slashes { with_slashes(&bytes) } else { bytes })
}

impl Serialized {
    /// Its values in the order in which references count them, with itself.
    fn nodes(&self) -> Vec<NodeKind> {
        let mut nodes = Vec::new();
        self.add_nodes(&mut nodes);
        nodes
    }

    fn add_nodes(&self, nodes: &mut Vec<NodeKind>) {
        let entries = match self {
            Self::Array(entries) | Self::Object(_, entries) => entries.as_slice(),
            Self::Reference(_, number) => return nodes.push(NodeKind::Reference(*number)),
            _ => &[],
        };
        nodes.push(NodeKind::Value(entries.iter().map(|(key, _)| key.clone()).collect()));
        for (_, value) in entries {
            value.add_nodes(nodes);
        }
    }

    fn write_to(&self, to: &mut Vec<u8>) {
        match self {
            Self::Null => to.extend(b"N;"),
            Self::Bool(value) => to.extend(format!("b:{};", u8::from(*value)).bytes()),
            Self::Integer(number) => to.extend(format!("i:{number};").bytes()),
            Self::Float(text) => to.extend(format!("d:{text};").bytes()),
            Self::Text(text) => {
                quote(b's', text, to);
                to.push(b';');
            }
            Self::Enum(name) => {
                quote(b'E', name, to);
                to.push(b';');
            }
            Self::Reference(kind, number) => {
                to.push(*kind);
                to.extend(format!(":{number};").bytes());
            }
            Self::Array(entries) => {
                to.push(b'a');
                write_entries(entries, to);
            }
            Self::Object(class, entries) => {
                quote(b'O', class, to);
                write_entries(entries, to);
            }
            Self::Own(class, own) => {
                quote(b'C', class, to);
                to.extend(format!(":{}:{{", own.len()).bytes());
                to.extend(own);
                to.push(b'}');
            }
        }
    }
}

/// `s:length:"bytes"`
fn quote(kind: u8, text: &[u8], to: &mut Vec<u8>) {
    to.push(kind);
    to.extend(format!(":{}:\"", text.len()).bytes());
    to.extend(text);
    to.push(b'"');
}

/// `:count:{key value …}`
fn write_entries(entries: &Entries, to: &mut Vec<u8>) {
    to.extend(format!(":{}:{{", entries.len()).bytes());
    for (key, value) in entries {
        key.write_to(to);
        value.write_to(to);
    }
    to.push(b'}');
}

impl TypedValue for Serialized {
    fn read(&self) -> Result<Value, String> {
        Ok(self.told())
    }

    fn changed(self, after: &Value) -> Result<Self, String> {
        Ok(match (self, after) {
            (Self::Array(before), Value::Array(after)) if is_list(&before) => {
                let before: Vec<Self> = before.into_iter().map(|(_, value)| value).collect();
                list(items(&before, after)?)
            }
            (Self::Array(before), Value::Object(after))
                if !before.is_empty() && !is_special(after) =>
            {
                Self::Array(replaced(before, after.clone(), name, key)?)
            }
            (Self::Object(class, before), Value::Object(after)) if is_of(&class, after) => {
                let entries = of_object(&class, before, after)?;
                Self::Object(class, entries)
            }
            (Self::Own(class, _), Value::Object(after))
                if let Some(own) = own_of(&class, after) =>
            {
                Self::Own(class, own)
            }
            (Self::Integer(_), after)
                if let Some(whole) = whole_of(after).and_then(Self::integer) =>
            {
                whole
            }
            (Self::Float(_), Value::Number(number)) => Self::Float(float_of(number)),
            (Self::Text(_), after) if let Some(bytes) = bytes_of(after) => Self::Text(bytes),
            (_, after) => Self::new(after),
        })
    }

    fn new(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => number
                .as_i128()
                .and_then(Self::integer)
                .unwrap_or_else(|| Self::Float(float_of(number))),
            Value::String(text) => Self::text(text),
            Value::Array(values) => list(values.iter().map(Self::new).collect()),
            Value::Object(members) => special(value, members).unwrap_or_else(|| {
                let entries = members.iter().map(|(name, value)| (key(name), Self::new(value)));
                Self::Array(entries.collect())
            }),
        }
    }

    fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    fn integer(number: i128) -> Option<Self> {
        i64::try_from(number).map(Self::Integer).ok()
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

/// A key of an array: PHP makes numbers of texts that are written as one.
fn key(name: &str) -> Serialized {
    let number = name.parse::<i64>().ok().filter(|number| number.to_string() == name);
    number.map_or_else(|| Serialized::text(name), Serialized::Integer)
}

fn list(values: Vec<Serialized>) -> Serialized {
    Serialized::Array((0..).map(Serialized::Integer).zip(values).collect())
}

/// Whether members stand for something else than an array.
fn is_special(members: &Map<String, Value>) -> bool {
    base64_of(members).is_some()
        || [CLASS, ENUM, REFERENCE].iter().any(|name| members.contains_key(*name))
}

/// What JSON has no form for.
fn special(value: &Value, members: &Map<String, Value>) -> Option<Serialized> {
    if let Some(bytes) = octets_of(value) {
        return Some(Serialized::Text(bytes));
    }
    let only = |name: &str| members.get(name).filter(|_| members.len() == 1);
    if let Some(name) = only(ENUM).and_then(bytes_of) {
        return Some(Serialized::Enum(name));
    }
    if let Some(number) = only(REFERENCE).and_then(Value::as_u64) {
        return u32::try_from(number).ok().map(|number| Serialized::Reference(b'r', number));
    }
    let class = bytes_of(members.get(CLASS)?)?;
    if let Some(own) = own_of(&class, members) {
        return Some(Serialized::Own(class, own));
    }
    let entries = of_object(&class, Vec::new(), members).ok()?;
    Some(Serialized::Object(class, entries))
}

fn is_of(class: &[u8], members: &Map<String, Value>) -> bool {
    members.get(CLASS).and_then(bytes_of).is_some_and(|name| name == class)
}

/// What an object's class wrote by itself.
fn own_of(class: &[u8], members: &Map<String, Value>) -> Option<Vec<u8>> {
    let is_own = members.len() == 2 && is_of(class, members);
    members.get(OWN).filter(|_| is_own).and_then(bytes_of)
}

/// The members of an object in the place of some, with the visibility that they had. New ones are public.
fn of_object(class: &[u8], before: Entries, after: &Map<String, Value>) -> Result<Entries, String> {
    let class = String::from_utf8_lossy(class);
    let mut after = after.clone();
    for mark in [CLASS, PRIVATE, PROTECTED] {
        after.remove(mark);
    }
    let told = |key: &Serialized| visible(&class, &name(key)).0.into_owned();
    replaced(before, after, told, Serialized::text)
}

/// Entries in the place of some: in the order in which those stood, and then the new ones.
fn replaced(
    before: Entries,
    mut after: Map<String, Value>,
    told: impl Fn(&Serialized) -> String,
    new_key: fn(&str) -> Serialized,
) -> Result<Entries, String> {
    let (mut written, mut names) = (Vec::new(), HashSet::new());
    for (key, value) in before {
        let name = told(&key);
        if let Some(after) = after.remove(&name) {
            written.push((key, value.replaced(&after)?));
        }
        if !names.insert(name) {
            return Err(TWICE.to_owned());
        }
    }
    written.extend(after.iter().map(|(name, value)| (new_key(name), Serialized::new(value))));
    Ok(written)
}

/// A float as PHP reads it.
fn float_of(number: &Number) -> String {
    let text = format!("{:?}", number.as_f64().unwrap_or(f64::NAN));
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
