//! What a letter has in common with other letters of the same work: a correlation id, a trace, a key of its business.

mod trace;

use crate::arrival::Delivered;
use crate::decoding::Contents;
use crate::failure::{FailedMessage, HeaderMap};
use crate::filter::Field;
use crate::letter::LetterSummary;
use crate::reading::cut;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The longest of them that is kept, in bytes. AMQP's correlation id has 255 at most.
pub const MOST_RELATION_BYTES: usize = 255;

/// Headers in which frameworks put what AMQP has a property for.
const CORRELATION_IDS: [&str; 3] =
    ["NServiceBus.CorrelationId", "rbs2-corr-id", "ce-correlationid"];

/// What of a message other messages of the same work have too. Every member may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relations {
    /// The correlation id, as its property has it, or a header of NServiceBus, Rebus or CloudEvents.
    pub correlation_id: Option<String>,
    /// The id of the trace, without the ids of spans.
    pub trace: Option<String>,
    /// What people know the work by, such as an order's number: the source's settings say where it stands.
    pub business_key: Option<String>,
}

impl Relations {
    /// What a message has of them, in whose body this is. `names` are those of its source.
    #[must_use]
    pub fn of(delivered: &Delivered, names: &HeaderMap, contents: &Contents) -> Self {
        let told = FailedMessage::new(delivered, contents);
        let property = delivered.properties.correlation_id.as_ref();
        let property = property.map(|id| id.to_display().into_owned());
        let kept = |text: String| {
            let text = text.replace('\0', "\u{fffd}");
            (!text.is_empty()).then(|| cut(&text, MOST_RELATION_BYTES))
        };
        Self {
            correlation_id: property
                .filter(|id| !id.is_empty())
                .or_else(|| told.first(&CORRELATION_IDS))
                .and_then(kept),
            trace: trace::of(&delivered.headers, told.body),
            business_key: told.named(names.business_key.as_deref()).and_then(kept),
        }
    }

    /// Those that it has, by the fields that filters have for them.
    #[must_use]
    pub fn named(&self) -> Vec<(Field, &str)> {
        let all = [
            (Field::BusinessKey, &self.business_key),
            (Field::CorrelationId, &self.correlation_id),
            (Field::Trace, &self.trace),
        ];
        all.into_iter().filter_map(|(field, value)| Some((field, value.as_deref()?))).collect()
    }
}

/// The other letters that have something in common with a letter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RelatedLetters {
    /// The filter's field for what they have in common: `business_key`, `correlation_id` or `trace`.
    pub by: String,
    /// What they have in common.
    pub value: String,
    /// The filter that finds all of them, and the letter itself.
    pub filter: String,
    /// The newest of the others, at most [`MOST_RELATED`].
    pub letters: Vec<LetterSummary>,
    /// Whether there are more.
    pub has_more: bool,
    /// The search took too long: of letters that arrived before this, none was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_back_to: Option<DateTime<Utc>>,
}

/// Letters that are told of each thing in common.
pub const MOST_RELATED: usize = 5;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decoding::Values;
    use crate::wire::FieldValue;

    fn of(delivered: &Delivered) -> Relations {
        Relations::of(delivered, &HeaderMap::default(), &Contents::default())
    }

    #[test]
    fn the_property_comes_before_a_header() {
        let mut delivered = Delivered::default();
        assert_eq!(of(&delivered), Relations::default());
        delivered.headers.set("rbs2-corr-id", FieldValue::LongString("of-rebus".into()));
        assert_eq!(of(&delivered).correlation_id.as_deref(), Some("of-rebus"));
        delivered.properties.correlation_id = Some("".into());
        assert_eq!(of(&delivered).correlation_id.as_deref(), Some("of-rebus"));
        delivered.properties.correlation_id = Some("own".into());
        assert_eq!(of(&delivered).correlation_id.as_deref(), Some("own"));
    }

    #[test]
    fn a_source_says_where_its_business_key_stands() {
        let names =
            |name: &str| HeaderMap { business_key: Some(name.to_owned()), ..HeaderMap::default() };
        let mut delivered = Delivered::default();
        delivered.headers.set("x-order", FieldValue::LongInt(7));
        let values = Some(Values::Read(json!({"order": {"id": "A-7"}})));
        let contents = Contents { values, ..Contents::default() };
        let key = |name| Relations::of(&delivered, &names(name), &contents).business_key;
        assert_eq!(key("x-order").as_deref(), Some("7"));
        assert_eq!(key("/order/id").as_deref(), Some("A-7"));
        assert_eq!(key("/order"), None);
    }

    #[test]
    fn what_postgres_cannot_hold_or_index_is_replaced_or_cut() {
        let mut delivered = Delivered::default();
        delivered.properties.correlation_id = Some("a\0b".into());
        assert_eq!(of(&delivered).correlation_id.as_deref(), Some("a\u{fffd}b"));
        delivered.properties.correlation_id = None;
        let long = FieldValue::LongString("é".repeat(4_000).into());
        delivered.headers.set("rbs2-corr-id", long);
        let kept = of(&delivered).correlation_id.expect("kept in part");
        assert!(kept.len() <= MOST_RELATION_BYTES, "{}", kept.len());
    }
}
