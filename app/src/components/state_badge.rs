//! The state of a letter as a labelled badge; the border says again what the colour says.

use dlo_domain::state::LetterState;
use leptos::prelude::*;

/// The state of a letter.
#[component]
pub(crate) fn StateBadge(
    /// Which.
    state: LetterState,
) -> impl IntoView {
    view! { <span class=format!("state {state}")>{state.as_str()}</span> }
}
