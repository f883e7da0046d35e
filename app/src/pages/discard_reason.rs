//! The field for why letters are put away.

use leptos::prelude::*;

/// The field of a form that discards letters. The key `d` leads to it where the letters were chosen one by
/// one, or are all that the page is about; never to all that match.
pub(super) fn discard_reason(placeholder: &'static str, has_key: bool) -> AnyView {
    view! {
        <input
            type="text"
            name="reason"
            data-key=has_key.then_some("d")
            maxlength="500"
            required
            placeholder=placeholder
            aria-label="Reason for the discard"
        />
    }
    .into_any()
}
