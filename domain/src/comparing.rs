//! What differs between two arrivals of a letter, value by value.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::changing::Diff;
use crate::reading::cut;

/// Values that are told at most.
pub const MOST_VALUES: usize = 500;

/// The longest value that is told, in bytes of JSON.
const MOST_VALUE_BYTES: usize = 300;

/// What an arrival has that an earlier one had not, and the other way round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ArrivalChanges {
    /// The arrival that it is compared with.
    pub since: i32,
    /// When that came.
    pub since_at: DateTime<Utc>,
    /// The arrival.
    pub ordinal: i32,
    /// When it came.
    pub arrived_at: DateTime<Utc>,
    /// Whether both have the same body, byte by byte.
    pub same_body: bool,
    /// The values that differ, whatever they are written in; absent where a body has none that could be read, or the
    /// bodies are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<ValueChange>>,
    /// What differs line by line, where `values` is absent: in text, else in rows of bytes in hexadecimal. Bodies above
    /// 1 MiB, packed or unpacked, are not compared: it has no line then, and is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Diff>,
    /// Whether more of the bodies differs, or may differ, than is told.
    pub cut: bool,
    /// What differs in properties and headers, a line for each. The history that brokers wrote and the marks of
    /// replays are not told.
    pub headers: Diff,
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ValueChange {
    /// Where it stands: `lines[0].sku`; empty for the whole body.
    pub path: String,
    /// What it was, as JSON and cut; absent where it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it is, as JSON and cut; absent where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// The values that differ between two documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueChanges {
    /// The first 500 of them, in the order in which they stand there.
    pub values: Vec<ValueChange>,
    /// Whether there are more.
    pub cut: bool,
}

impl ValueChanges {
    /// Compares two documents.
    #[must_use]
    pub fn between(before: &Value, after: &Value) -> Self {
        let mut changes = Self::default();
        changes.compare(&Place(String::new()), Some(before), Some(after));
        changes
    }

    fn compare(&mut self, place: &Place, before: Option<&Value>, after: Option<&Value>) {
        if before == after || self.cut {
            return;
        }
        match (before, after) {
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                for (name, value) in before {
                    self.compare(&place.member(name), Some(value), after.get(name));
                }
                for (name, value) in after.iter().filter(|one| !before.contains_key(one.0)) {
                    self.compare(&place.member(name), None, Some(value));
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) => {
                self.compare_items(place, before, after);
            }
            _ if self.values.len() == MOST_VALUES => self.cut = true,
            _ => {
                let told = |value: &Value| cut(&value.to_string(), MOST_VALUE_BYTES);
                self.values.push(ValueChange {
                    path: place.to_string(),
                    before: before.map(told),
                    after: after.map(told),
                });
            }
        }
    }

    /// Items that both lists begin and end with are the same ones; what lies between is compared one by one.
    fn compare_items(&mut self, place: &Place, before: &[Value], after: &[Value]) {
        let begin = before.iter().zip(after).take_while(|(one, other)| one == other).count();
        let (before, after) = (&before[begin..], &after[begin..]);
        let from_end = before.iter().rev().zip(after.iter().rev());
        let end = from_end.take_while(|(one, other)| one == other).count();
        let (before, after) = (&before[..before.len() - end], &after[..after.len() - end]);
        for at in 0..before.len().max(after.len()) {
            self.compare(&place.item(begin + at), before.get(at), after.get(at));
        }
    }
}

/// Where a value stands in a document.
struct Place(String);

impl Place {
    fn member(&self, name: &str) -> Self {
        let is_plain =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-$@".contains(c));
        let name = if is_plain { name.to_owned() } else { Value::from(name).to_string() };
        Self(if self.0.is_empty() { name } else { format!("{self}.{name}") })
    }

    fn item(&self, number: usize) -> Self {
        Self(format!("{self}[{number}]"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: &Value, after: &Value) -> Vec<String> {
        let changes = ValueChanges::between(before, after);
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
        let lines = changes.values.into_iter();
        lines
            .map(|one| format!("{}: {} → {}", one.path, or_none(one.before), or_none(one.after)))
            .collect()
    }

    #[test]
    fn each_value_that_differs_is_told_with_its_place() {
        let before = json!({"id": 7, "paid": false, "to": {"city": "Ulm", "zip": "1"}, "old": [1]});
        let after = json!({"id": 7, "paid": true, "to": {"city": "Bonn", "zip": "1"}, "a b": null});
        let wanted = [
            "old: [1] → none",
            "paid: false → true",
            "to.city: \"Ulm\" → \"Bonn\"",
            "\"a b\": none → null",
        ];
        let mut lines = told(&before, &after);
        lines.sort_by_key(|line| wanted.iter().position(|one| one == line));
        assert_eq!(lines, wanted);
        assert_eq!(told(&after, &after), Vec::<String>::new());
        assert_eq!(told(&json!(1), &json!([])), [": 1 → []"]);
    }

    #[test]
    fn an_item_that_is_put_in_between_is_the_only_one_that_differs() {
        let item = |sku: &str, count: i32| json!({"sku": sku, "count": count});
        let lines = |items: &[Value]| json!({"lines": items});
        let (a, b, c) = (item("a", 1), item("b", 1), item("c", 1));
        assert_eq!(
            told(&lines(&[a.clone(), c.clone()]), &lines(&[a.clone(), b.clone(), c.clone()])),
            [format!("lines[1]: none → {b}")]
        );
        assert_eq!(
            told(&lines(&[a.clone(), b, c.clone()]), &lines(&[a, item("b", 2), c])),
            ["lines[1].count: 1 → 2"]
        );
    }

    #[test]
    fn what_is_told_is_bounded() {
        let many = |value: i32| json!(vec![value; 2_000]);
        let changes = ValueChanges::between(&many(1), &many(2));
        assert_eq!((changes.values.len(), changes.cut), (MOST_VALUES, true));
        let long = ValueChanges::between(&json!("x".repeat(10_000)), &json!(1));
        assert!(long.values[0].before.as_ref().is_some_and(|text| text.len() < 400));
    }
}
