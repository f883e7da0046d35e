//! That a form says something else than the plan beside it.

use leptos::prelude::*;

/// That a field was changed, and the button that looks again. It is hidden until then: `public/scripts/plan.js` knows.
#[component]
pub(super) fn OutOfDate() -> impl IntoView {
    view! {
        <div class="stack tight" data-outdated hidden role="status">
            <p class="out-of-date">"Something changed: this plan is out of date."</p>
            <button class="button primary" type="submit">
                "Update the plan"
            </button>
        </div>
    }
    .into_any()
}
