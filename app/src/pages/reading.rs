//! What is written into the fields of a form.

use crate::api;
use crate::error::ApiError;

/// What was written, if anything was.
pub(super) fn chosen(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// A length of time such as `30s`, `10m` or `4h`: in seconds.
pub(super) fn length(text: &str) -> Result<u32, ApiError> {
    api::seconds(text.trim()).ok_or_else(|| {
        ApiError::invalid(format!(
            "“{}” is not a length of time: write it as 30s, 10m, 4h or 1d.",
            crate::visible::show_within(text.trim())
        ))
    })
}

/// As `length`, or none at all: `0`.
pub(super) fn length_or_none(text: &str) -> Result<u32, ApiError> {
    if matches!(text.trim(), "" | "0" | "0s") { Ok(0) } else { length(text) }
}

/// A whole number.
pub(super) fn number(text: &str) -> Result<i64, ApiError> {
    text.trim().parse().map_err(|_| {
        ApiError::invalid(format!(
            "“{}” is not a whole number.",
            crate::visible::show_within(text.trim())
        ))
    })
}
