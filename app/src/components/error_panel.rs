//! What went wrong, what was kept, and what to do next.

use leptos::prelude::*;

use super::Spoken;
use crate::error::ApiError;
use crate::wording::sentence;

/// In the place of a page's content.
#[component]
pub(crate) fn ErrorPanel(
    /// What went wrong.
    error: ApiError,
) -> impl IntoView {
    view! {
        <div class="answer" role="alert">
            <div>
                <h1>{error.heading()}</h1>
                <p class="second"><Spoken text=sentence(&error.to_string()) /></p>
                <p class="second">
                    "Go to the " <a href="/letters">"letters"</a> ", to the "
                    <a href="/">"overview"</a> ", or load this page again."
                </p>
            </div>
        </div>
    }
    .into_any()
}
