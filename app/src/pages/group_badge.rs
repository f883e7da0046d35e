//! Where a group stands, as a labelled badge.

use dlo_domain::group::GroupState;
use leptos::prelude::*;

/// Where a group stands: a dot, a word, and an edge of its own.
#[component]
pub(super) fn GroupBadge(
    /// Where.
    state: GroupState,
) -> impl IntoView {
    view! { <span class=format!("state dotted {state}")>{state.as_str()}</span> }
}
