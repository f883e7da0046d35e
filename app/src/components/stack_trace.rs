//! A stack trace from a header.

use crate::visible::show_lines;
use crate::wording::counted;
use leptos::prelude::*;

/// The trace; long ones start closed.
#[component]
pub(crate) fn StackTrace(
    /// The trace.
    trace: String,
    /// How many bytes of its end are left out.
    omitted_bytes: u32,
) -> impl IntoView {
    let lines = trace.lines().count();
    view! {
        <section class="section" aria-labelledby="trace-title">
            <header>
                <h2 id="trace-title">"Stack trace"</h2>
                <span class="note">{counted(i64::try_from(lines).unwrap_or(i64::MAX), "line")}</span>
            </header>
            <details class="data" open=lines <= 12>
                <summary>"As it is told"</summary>
                <pre class="body" tabindex="0" aria-label="Stack trace">{show_lines(&trace)}</pre>
            </details>
            {(omitted_bytes > 0)
                .then(|| {
                    let more = crate::wording::counted(omitted_bytes.into(), "more byte");
                    view! { <p class="note-line">{format!("… and {more}. The header has all of it.")}</p> }
                })}
        </section>
    }
    .into_any()
}
