//! No such page.

use leptos::prelude::*;
use leptos_meta::Title;

/// Says so, and where to go.
#[component]
pub(super) fn NotFoundPage() -> impl IntoView {
    crate::request::answer_with(404);
    view! {
        <Title text="Not found" />
        <div class="answer not-found">
            <div>
                <h1>"Return to sender: there is no page at this address."</h1>
                <p class="second">
                    "Nothing was lost. A letter keeps its address for as long as it is kept."
                </p>
            </div>
            <div class="actions">
                <a class="button primary" href="/">
                    "Overview"
                </a>
                <a class="button" href="/letters">
                    "Letters"
                </a>
            </div>
        </div>
    }
    .into_any()
}
