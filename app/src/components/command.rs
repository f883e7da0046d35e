//! A command to be copied. `public/keys.js` copies it; without a script it is selected by hand.

use leptos::prelude::*;

/// The command and a button that copies it.
#[component]
pub(crate) fn Command(
    /// The command.
    text: &'static str,
) -> impl IntoView {
    view! {
        <div class="command">
            <pre tabindex="0" aria-label="Command">{text}</pre>
            <button class="button needs-script" type="button" data-copy="">
                "Copy"
            </button>
        </div>
    }
    .into_any()
}
