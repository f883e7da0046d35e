//! Keyset paging: a page of a list, and the cursor that the next one begins after.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Items of a list and where the next page begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// Ask for the next page with this; absent on the last page.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub next_cursor: Option<Cursor>,
    /// How many there are in all: exactly, unless `total_is_least`.
    pub estimated_total: i64,
    /// Whether counting was given up, because it would take too long: there are at least
    /// `estimated_total`, and nobody knows how many more. Absent when false.
    #[serde(default, skip_serializing_if = "is_false")]
    pub total_is_least: bool,
    /// Present when a search was given up because its time was over: items older than this were
    /// not looked at. `next_cursor` goes on from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched_back_to: Option<DateTime<Utc>>,
    /// Present when the texts of letters that arrived in this time were not read, since more came in
    /// than the index of texts could take up: those of them that match are missing here. They are
    /// found as soon as the index has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Span>,
    /// Present when there was no time to read all that long texts say: of items that arrived before this, only what the
    /// index of texts has was looked at, so that those that match by the rest of their texts are missing here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_read_back_to: Option<DateTime<Utc>>,
}

/// From when to when, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Span {
    /// The beginning.
    pub since: DateTime<Utc>,
    /// The end.
    pub until: DateTime<Utc>,
}

impl<T> Page<T> {
    /// How many there are, as far as that is known.
    #[must_use]
    pub fn total(&self) -> Total {
        Total { count: self.estimated_total, is_least: self.total_is_least }
    }
}

impl<T> From<Vec<T>> for Page<T> {
    /// A list that is short enough for one page.
    fn from(items: Vec<T>) -> Self {
        Self {
            estimated_total: i64::try_from(items.len()).unwrap_or(i64::MAX),
            items,
            next_cursor: None,
            total_is_least: false,
            searched_back_to: None,
            unread: None,
            texts_read_back_to: None,
        }
    }
}

/// How many there are, as far as that was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    /// How many were counted.
    pub count: i64,
    /// Whether there may be more.
    pub is_least: bool,
}

impl Total {
    /// All were counted.
    #[must_use]
    pub fn exactly(count: i64) -> Self {
        let is_least = false;
        Self { count, is_least }
    }

    /// There are so many and perhaps more.
    #[must_use]
    pub fn at_least(count: i64) -> Self {
        let is_least = true;
        Self { count, is_least }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands members over by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The place after an item in a list ordered by time and id, newest first. Opaque to callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The item's time, exact to the microsecond (as Postgres keeps it).
    pub at: DateTime<Utc>,
    /// The item's id.
    pub id: Uuid,
}

/// The first moment that Postgres can hold, in microseconds from 1970.
const FIRST_MICROS: i64 = -210_866_803_200_000_000;

/// The text is no cursor that we gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is not one that this server gave: start again without one")]
pub struct BadCursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.at.timestamp_micros().to_be_bytes());
        bytes[8..].copy_from_slice(self.id.as_bytes());
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadCursor)?;
        let (at, id) = bytes.split_first_chunk::<8>().ok_or(BadCursor)?;
        let micros = Some(i64::from_be_bytes(*at)).filter(|micros| *micros >= FIRST_MICROS);
        let at = micros.and_then(DateTime::from_timestamp_micros);
        let at = at.ok_or(BadCursor)?;
        let id = Uuid::from_slice(id).map_err(|_| BadCursor)?;
        Ok(Self { at, id })
    }
}

impl Serialize for Cursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_given() {
        let cursor = Cursor {
            at: DateTime::from_timestamp_micros(1_763_712_000_123_456).expect("in range"),
            id: Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001),
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }

    #[test]
    fn a_time_that_postgres_cannot_hold_is_none_of_ours() {
        for (micros, is_ours) in [
            (0, true),
            (FIRST_MICROS, true),
            (FIRST_MICROS - 1, false),
            // Years of which the database knows nothing, and some that no calendar has.
            (-8_000_000_000_000_000_000, false),
            (i64::MAX, false),
        ] {
            let bytes = [&micros.to_be_bytes()[..], &[0; 16]].concat();
            let read = URL_SAFE_NO_PAD.encode(bytes).parse::<Cursor>();
            assert_eq!(read.is_ok(), is_ours, "{micros}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "x", "AAAA", "////", &"A".repeat(400)] {
            assert_eq!(text.parse::<Cursor>(), Err(BadCursor), "{text}");
        }
    }
}
