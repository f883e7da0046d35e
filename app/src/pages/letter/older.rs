//! What a list leaves out.

use leptos::prelude::*;

use crate::wording::counted;

/// Says how many older things a list leaves out; nothing where it has all of them.
pub(super) fn older(omitted: u32, noun: &str) -> Option<AnyView> {
    (omitted > 0).then(|| {
        let more = counted(omitted.into(), &format!("older {noun}"));
        view! { <p class="note-line">{format!("… and {more} that are not shown here.")}</p> }
            .into_any()
    })
}
