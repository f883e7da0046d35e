//! The beginning of a field table, for a page or an answer that has a bound.

use super::text::WireText;
use super::value::{Field, FieldTable, FieldValue};
use crate::budget::ShownBudget;

/// What a row or a leaf costs on a page beside its texts, in bytes: its HTML and its JSON.
const VALUE_COST: usize = 400;

/// The longest text or byte string of one value, in bytes.
const MOST_TEXT_BYTES: usize = 16 * 1024;

/// Cuts field tables to a budget and counts the values that it leaves out or cuts.
#[derive(Debug)]
struct Excerpt<'a> {
    budget: &'a mut ShownBudget,
    omitted: u32,
}

impl FieldTable {
    /// Keeps the first values that the budget has room for, those within tables and arrays included.
    /// Returns how many values of the table were left out or cut.
    pub fn cut_to(&mut self, budget: &mut ShownBudget) -> u32 {
        let mut excerpt = Excerpt { budget, omitted: 0 };
        excerpt.table(self);
        excerpt.omitted
    }
}

impl Excerpt<'_> {
    fn table(&mut self, table: &mut FieldTable) {
        let mut kept = 0;
        for field in &mut table.0 {
            if !self.field(field) {
                break;
            }
            kept += 1;
        }
        let dropped = table.0.len() - kept;
        table.0.truncate(kept);
        table.0.shrink_to_fit();
        self.omit(dropped);
    }

    fn array(&mut self, values: &mut Vec<FieldValue>) {
        let mut kept = 0;
        for value in values.iter_mut() {
            if !self.value(value) {
                break;
            }
            kept += 1;
        }
        let dropped = values.len() - kept;
        values.truncate(kept);
        values.shrink_to_fit();
        self.omit(dropped);
    }

    fn field(&mut self, field: &mut Field) -> bool {
        let name = field.name.to_display();
        let has_name = self.budget.take_text(&name).len() == name.len();
        has_name && self.value(&mut field.value)
    }

    /// Cuts a value. Returns whether there was room for any of it.
    fn value(&mut self, value: &mut FieldValue) -> bool {
        if !self.budget.take(VALUE_COST) {
            return false;
        }
        match value {
            FieldValue::ShortString(text) | FieldValue::LongString(text) => self.text(text),
            FieldValue::ByteArray(bytes) | FieldValue::Deep(bytes) => self.bytes(bytes),
            FieldValue::Array(values) => self.array(values),
            FieldValue::Table(table) => self.table(table),
            _ => {}
        }
        true
    }

    fn text(&mut self, text: &mut WireText) {
        if text.as_str().is_none() {
            let mut bytes = text.as_bytes().to_vec();
            self.bytes(&mut bytes);
            *text = bytes.into();
            return;
        }
        let whole = text.to_display();
        let most = whole.floor_char_boundary(MOST_TEXT_BYTES);
        let kept = self.budget.take_text(&whole[..most]);
        if kept.len() < whole.len() {
            let kept = format!("{kept}…");
            *text = kept.into();
            self.omit(1);
        }
    }

    /// Bytes are written as base64, and up to 64 of them once more in hexadecimal.
    fn bytes(&mut self, bytes: &mut Vec<u8>) {
        let most = (self.budget.left() / 4).min(MOST_TEXT_BYTES);
        if bytes.len() > most {
            bytes.truncate(most);
            bytes.shrink_to_fit();
            self.omit(1);
        }
        self.budget.take(bytes.len() * 4);
    }

    fn omit(&mut self, values: usize) {
        let values = u32::try_from(values).unwrap_or(u32::MAX);
        self.omitted = self.omitted.saturating_add(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(count: usize, length: usize) -> FieldTable {
        let field = |number: usize| Field {
            name: number.to_string().into(),
            value: FieldValue::LongString("x".repeat(length).into()),
        };
        FieldTable((0..count).map(field).collect())
    }

    #[test]
    fn a_small_table_stays_as_it_is() {
        let mut table = texts(10, 10);
        assert_eq!(table.cut_to(&mut ShownBudget::new(10_000)), 0);
        assert_eq!(table, texts(10, 10));
    }

    #[test]
    fn what_is_left_out_is_counted_at_every_level() {
        let mut table = texts(100, 10);
        let omitted = table.cut_to(&mut ShownBudget::new(10_000));
        assert_eq!(table.0.len() + usize::try_from(omitted).expect("small"), 100);
        assert!((20..30).contains(&table.0.len()), "{}", table.0.len());
        let inner = FieldValue::Array(vec![FieldValue::Void; 120_000]);
        let mut table = FieldTable::default();
        table.set("v", inner);
        assert!(table.cut_to(&mut ShownBudget::new(10_000)) > 119_900);
    }

    #[test]
    fn long_values_are_cut() {
        let mut table = texts(1, 100_000);
        assert_eq!(table.cut_to(&mut ShownBudget::new(1_000_000)), 1);
        let text = table.text("0").expect("text");
        assert!(text.len() < 17_000 && text.ends_with('…'), "{}", text.len());
        let mut table = FieldTable::default();
        table.set("b", FieldValue::ByteArray(vec![0; 100_000]));
        table.set("c", FieldValue::LongString(vec![255; 100_000].into()));
        assert_eq!(table.cut_to(&mut ShownBudget::new(1_000_000)), 2);
    }
}
