//! What stands in the place of a page that is being read: nothing at first, then its outline.

use leptos::prelude::*;

/// Lines of grey; style shows them after a moment only.
#[component]
pub(crate) fn Waiting() -> impl IntoView {
    view! {
        <div class="waiting" aria-busy="true">
            <span class="visually-hidden">"Reading"</span>
        </div>
    }
}
