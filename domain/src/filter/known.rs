//! Values that letters have, and how many letters have each: what the completion offers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Field;
use crate::numbers::{count, counted};

/// Letters that are looked at for the values that no counter knows: the newest.
pub const MOST_LOOKED_AT: i64 = 1_000;

/// Values of one field that are told, those with the most letters.
const MOST_VALUES: usize = 200;

/// Longer values are not told: nobody looks for one of them in a list.
const MOST_BYTES: usize = 255;

/// The values that letters have, by field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KnownValues(pub Vec<FieldValues>);

/// The values of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldValues {
    /// The name of the field.
    pub field: String,
    /// The values, those with the most letters first.
    pub values: Vec<KnownValue>,
}

/// A value, and who has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownValue {
    /// The value.
    pub value: String,
    /// What people call it, where that is something else; else empty.
    pub name: String,
    /// How many letters have it, in words; empty where none was seen lately.
    pub letters: String,
}

impl KnownValues {
    /// The values of a field.
    pub(super) fn of(&self, field: Field) -> &[KnownValue] {
        let name = field.info().name;
        let of_field = self.0.iter().find(|one| one.field == name);
        of_field.map_or(&[], |one| &one.values)
    }
}

impl KnownValue {
    /// What is said beside it.
    pub(super) fn help(&self) -> String {
        let comma = if self.name.is_empty() || self.letters.is_empty() { "" } else { ", " };
        [&*self.name, comma, &*self.letters].concat()
    }
}

/// Counts the letters that have each value.
#[derive(Debug, Default)]
pub struct ValueTally {
    fields: BTreeMap<&'static str, BTreeMap<String, Counted>>,
}

#[derive(Debug, Default)]
struct Counted {
    name: String,
    letters: i64,
}

impl ValueTally {
    /// So many more letters have a value of a field. Absent and very long values are left out.
    pub fn add(&mut self, field: Field, value: Option<&str>, letters: i64) {
        self.add_named(field, value, "", letters);
    }

    /// The same of a value that people call something else.
    pub fn add_named(&mut self, field: Field, value: Option<&str>, name: &str, letters: i64) {
        let Some(value) = value.filter(|value| value.len() <= MOST_BYTES) else { return };
        let values = self.fields.entry(field.info().name).or_default();
        let counted = values
            .entry(value.to_owned())
            .or_insert_with(|| Counted { name: name.to_owned(), letters: 0 });
        counted.letters += letters;
    }

    /// How many letters have a value, as counted so far.
    #[must_use]
    pub fn letters(&self, field: Field, value: &str) -> i64 {
        let values = self.fields.get(field.info().name);
        values.and_then(|values| values.get(value)).map_or(0, |known| known.letters)
    }

    /// The values of each field, those with the most letters first. `newest` is how many letters were looked at, if not
    /// all were.
    #[must_use]
    pub fn into_fields(self, newest: Option<i64>) -> Vec<FieldValues> {
        let words = |letters| match newest {
            _ if letters == 0 => String::new(),
            None => counted(letters, "letter"),
            Some(newest) => format!("{} of the newest {}", count(letters), count(newest)),
        };
        let fields = self.fields.into_iter().map(|(field, values)| {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_key(|(_, counted)| std::cmp::Reverse(counted.letters));
            values.truncate(MOST_VALUES);
            let values = values.into_iter().map(|(value, counted)| KnownValue {
                value,
                name: counted.name,
                letters: words(counted.letters),
            });
            FieldValues { field: field.to_owned(), values: values.collect() }
        });
        fields.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_those_with_the_most_letters_come_first() {
        let mut tally = ValueTally::default();
        for (value, letters) in
            [(Some("a"), 1), (Some("b"), 2), (None, 9), (Some("a"), 3), (Some("c"), 0)]
        {
            tally.add(Field::Queue, value, letters);
        }
        tally.add(Field::Exchange, Some(&"x".repeat(256)), 1);
        assert_eq!(tally.letters(Field::Queue, "a"), 4);
        assert_eq!(tally.letters(Field::Queue, "z"), 0);
        tally.add_named(Field::Group, Some("7"), "Timeout", 1_200);
        let fields = tally.into_fields(Some(1_000));
        let [group, queue] = &fields[..] else { panic!("{fields:?}") };
        let told: Vec<(&str, String)> =
            queue.values.iter().map(|known| (&*known.value, known.help())).collect();
        let [few, fewer] = [4, 2].map(|letters| format!("{letters} of the newest 1,000"));
        assert_eq!(told, [("a", few), ("b", fewer), ("c", String::new())]);
        assert_eq!(group.values[0].help(), "Timeout, 1,200 of the newest 1,000");
    }
}
