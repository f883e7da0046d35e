//! A stack trace: what the application's own code did, with what libraries did between folded.

use dlo_domain::grouping::{TracePart, TracePartKind, trace_parts};
use leptos::prelude::*;

use crate::visible::show_lines;
use crate::wording::counted;

/// A trace that has more lines starts closed.
const MOST_OPEN: usize = 12;

/// Frames of libraries that are folded, and not fewer.
const LEAST_FOLDED: usize = 2;

/// A section about it.
#[component]
pub(super) fn StackTrace(
    /// The trace.
    trace: String,
    /// How many bytes of its end are left out.
    omitted_bytes: u32,
) -> impl IntoView {
    let parts = trace_parts(&trace);
    let is_mixed = parts.iter().any(|part| part.kind == TracePartKind::InApp)
        && parts.iter().any(|part| matches!(part.kind, TracePartKind::Library(_)));
    let lines = trace.lines().count();
    let is_open = !is_mixed && lines <= MOST_OPEN;
    let folds = is_mixed.then(|| {
        view! {
            <div class="body trace" tabindex="0" role="group" aria-label="Stack trace, without libraries">
                {parts.into_iter().map(part).collect_view()}
            </div>
        }
    });
    let more = (omitted_bytes > 0).then(|| {
        let more = counted(omitted_bytes.into(), "more byte");
        view! { <p class="note-line">{format!("… and {more}. The header has all of it.")}</p> }
    });
    view! {
        <section class="section" aria-labelledby="trace-title">
        <header>
            <h2 id="trace-title">"Stack trace"</h2>
            <span class="note">{counted(i64::try_from(lines).unwrap_or(i64::MAX), "line")}</span>
        </header>
        {folds}
        <details class="data" open=is_open>
            <summary>"As received"</summary>
            <pre class="body" tabindex="0" aria-label="Stack trace">
                {show_lines(&trace)}
            </pre>
        </details>
        {more}
        </section>
    }
    .into_any()
}

/// How many frames of a part are folded.
fn folded(part: &TracePart) -> Option<usize> {
    match part.kind {
        TracePartKind::Library(frames) if frames >= LEAST_FOLDED => Some(frames),
        _ => None,
    }
}

fn part(part: TracePart) -> AnyView {
    let text = show_lines(&part.lines.join("\n"));
    let Some(frames) = folded(&part) else {
        let is_own = part.kind == TracePartKind::InApp;
        return view! { <div class:own=is_own>{text}</div> }.into_any();
    };
    let frames = counted(i64::try_from(frames).unwrap_or(i64::MAX), "frame");
    view! {
        <details>
            <summary>{frames} " of libraries"</summary>
            <div>{text}</div>
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use leptos::prelude::*;

    use super::StackTrace;

    fn stack_trace(trace: &str, omitted_bytes: u32) -> String {
        view! { <StackTrace trace=trace.to_owned() omitted_bytes /> }.into_any().to_html()
    }

    const TRACE: &str = "java.io.IOException: <gone>\n\tat java.io.A.a(A.java:1)\n\tat java.io.B.b(B.java:2)\n\
        \tat com.acme.Stock.reserve(Stock.java:77)";

    #[test]
    fn frames_of_libraries_are_folded_and_the_whole_is_there_as_it_was_told() {
        let html = stack_trace(TRACE, 0);
        assert!(
            html.contains("2 frames<!> of libraries") || html.contains("2 frames of libraries"),
            "{html}"
        );
        assert!(html.contains("class=\"own\""), "{html}");
        assert_eq!(html.matches("&lt;gone&gt;").count(), 2, "{html}");
        assert!(!html.contains("more byte"));
        assert!(stack_trace(TRACE, 7).contains("7 more bytes"));
    }

    #[test]
    fn nothing_is_mixed_where_no_frame_is_the_applications() {
        let foreign = TRACE.replace("com.acme", "java.util");
        let html = stack_trace(&foreign, 0);
        assert!(!html.contains("of libraries") && html.contains("<details open"), "{html}");
    }
}
