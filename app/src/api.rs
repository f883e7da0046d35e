//! Server functions that more than one page has a form for. Each is a public endpoint: it checks what it is given,
//! asks the desk, and says where to go on.
//! Nothing here names Postgres or RabbitMQ.

pub mod letters;
pub mod views;

use dlo_domain::ids::LetterId;
use dlo_domain::page::{BadCursor, Cursor};
use dlo_domain::selection::Selection;

use crate::error::ApiError;

/// Reads an id; one that cannot be read names nothing.
pub(crate) fn id<T: std::str::FromStr>(text: &str, noun: &str) -> Result<T, ApiError> {
    text.parse()
        .map_err(|_| ApiError::not_found(format!("There is no such {noun}: its id is malformed.")))
}

/// Reads the place where a page begins; the empty text is the first page.
pub(crate) fn cursor(text: &str) -> Result<Option<Cursor>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let cursor = text.parse().map(Some);
    cursor.map_err(|fault: BadCursor| ApiError::invalid(fault.to_string()))
}

/// A length of time as people write it, `90`, `10s`, `5m`, `2h` or `7d`: in seconds, more than none.
pub(crate) fn seconds(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => 0,
    };
    let seconds = digits.parse::<u32>().ok()?.checked_mul(unit)?;
    (seconds > 0).then_some(seconds)
}

/// The selected letters, or all that match the filter when `scope` says so.
pub(crate) fn selection(
    ids: Vec<LetterId>,
    filter: String,
    scope: &str,
) -> Result<Selection, ApiError> {
    let chosen = if scope == "matching" {
        Selection { all: filter.trim().is_empty(), filter: Some(filter), ..Selection::default() }
    } else {
        Selection::of_ids(ids)
    };
    match chosen.chosen() {
        Ok(_) => Ok(chosen),
        Err(dlo_domain::selection::SelectionFault::NoIds) => {
            Err(ApiError::invalid("No letter is selected. Select at least one."))
        }
        Err(fault) => Err(ApiError::invalid(fault.to_string())),
    }
}
