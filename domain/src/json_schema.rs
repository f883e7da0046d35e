//! Which schema a letter's body is held against, and what it says of one.

use serde::{Deserialize, Serialize};

/// Faults of one body that are told.
pub const MOST_FAULTS: usize = 10;

/// The longest that is told of a fault, in characters.
const MOST_SAID: usize = 300;

/// Which letters a schema is for. What is left out is not asked for; one of them is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaFor {
    /// The name of their source.
    pub source: Option<String>,
    /// The type that their message says it is of.
    pub message_type: Option<String>,
}

impl SchemaFor {
    /// Whether it is for a letter of this source and type.
    #[must_use]
    pub fn fits(&self, source: &str, message_type: Option<&str>) -> bool {
        let source_fits = self.source.as_deref().is_none_or(|wanted| wanted == source);
        let type_fits = match self.message_type.as_deref() {
            None => true,
            wanted => wanted == message_type,
        };
        source_fits && type_fits && (self.source.is_some() || self.message_type.is_some())
    }
}

/// What a schema says of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SchemaCheck {
    /// The schema's name: its file.
    pub schema: String,
    /// What is wrong, the first 10; nothing when the body fits.
    pub faults: Vec<SchemaFault>,
    /// Whether more is wrong than is told.
    pub more: bool,
}

/// What is wrong with a body, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SchemaFault {
    /// The place in the body, as a JSON pointer: empty for all of it.
    pub place: String,
    /// What is wrong.
    pub why: String,
}

impl SchemaCheck {
    /// What a schema says: faults in the order in which they were found.
    #[must_use]
    pub fn of(schema: &str, faults: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut faults = faults
            .into_iter()
            .map(|(place, why)| SchemaFault { place: cut(&place), why: cut(&why) });
        let told: Vec<SchemaFault> = faults.by_ref().take(MOST_FAULTS).collect();
        Self { schema: schema.to_owned(), faults: told, more: faults.next().is_some() }
    }

    /// Whether the body is as the schema wants it.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.faults.is_empty()
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_SAID) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(source: Option<&str>, message_type: Option<&str>) -> SchemaFor {
        SchemaFor {
            source: source.map(str::to_owned),
            message_type: message_type.map(str::to_owned),
        }
    }

    #[test]
    fn a_schema_is_for_letters_of_its_source_and_type() {
        let order = Some("OrderPlaced");
        for (schema, fits) in [
            (wanted(None, None), [false, false, false]),
            (wanted(Some("Orders"), None), [true, true, false]),
            (wanted(None, order), [true, false, true]),
            (wanted(Some("Orders"), order), [true, false, false]),
        ] {
            let letters = [("Orders", order), ("Orders", None), ("Payments", order)];
            assert_eq!(letters.map(|(from, kind)| schema.fits(from, kind)), fits);
        }
    }

    #[test]
    fn what_is_told_is_bounded() {
        let faults = (0..12).map(|n| (format!("/{n}"), "ä".repeat(1_000)));
        let check = SchemaCheck::of("order.json", faults);
        assert_eq!((check.faults.len(), check.more, check.fits()), (10, true, false));
        assert_eq!(check.faults[9].place, "/9");
        assert_eq!(check.faults[0].why.chars().count(), MOST_SAID + 1);
        let ten = (0..10).map(|n| (format!("/{n}"), "no".to_owned()));
        assert!(!SchemaCheck::of("order.json", ten).more);
        assert!(SchemaCheck::of("order.json", []).fits());
    }
}
