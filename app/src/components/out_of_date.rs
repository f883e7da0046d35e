//! That a form says something else than the plan beside it.

use leptos::prelude::*;

/// That a field was changed, and the button that looks again: only our script knows.
#[component]
pub(crate) fn OutOfDate(
    /// Whether one was.
    is_edited: RwSignal<bool>,
) -> impl IntoView {
    view! {
        {move || {
            is_edited
                .try_get()
                .unwrap_or_default()
                .then(|| {
                    view! {
                        <p class="out-of-date" role="status">
                            "You changed something: this plan is out of date."
                        </p>
                        <button class="button primary" type="submit">
                            "Look at the changed plan"
                        </button>
                    }
                })
        }}
    }
    .into_any()
}
