//! A stack trace from a header.

use leptos::prelude::*;

/// The trace; long ones start closed.
#[component]
pub(crate) fn StackTrace(
    /// The trace.
    trace: String,
) -> impl IntoView {
    let lines = trace.lines().count();
    view! {
        <section class="section" aria-labelledby="trace-title">
            <header>
                <h2 id="trace-title">"Stack trace"</h2>
                <span class="note">{lines} " lines"</span>
            </header>
            <details class="data" open=lines <= 12>
                <summary>"As the header has it"</summary>
                <pre class="body" tabindex="0" aria-label="Stack trace">{trace}</pre>
            </details>
        </section>
    }
    .into_any()
}
