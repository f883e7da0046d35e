//! What differs between two bodies, line by line.

use crate::visible::show_lines;
use dlo_domain::changing::{Diff, DiffLine, DiffMark};
use leptos::prelude::*;

/// The lines that differ, each with a sign before it.
#[component]
pub(super) fn BodyDiff(
    /// What differs.
    diff: Diff,
    /// What it is, for people who hear it.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    if diff.lines.is_empty() {
        let says = if diff.cut {
            "Not compared: one of them is larger than 1 MiB, packed or unpacked."
        } else {
            "No line differs: only whitespace, line endings or packing."
        };
        return view! { <p class="note-line">{says}</p> }.into_any();
    }
    view! {
        <pre class="body diff" tabindex="0" role="group" aria-label=label>
            {diff.lines.into_iter().map(line).collect_view()}
        </pre>
        {diff.cut.then(|| view! { <p class="note-line">"There is more than is shown here."</p> })}
    }
    .into_any()
}

fn line(DiffLine { mark, text }: DiffLine) -> AnyView {
    let text = show_lines(&text);
    match mark {
        DiffMark::Same => view! { <span>"  " {text} "\n"</span> }.into_any(),
        DiffMark::Added => view! { <ins>"+ " {text} "\n"</ins> }.into_any(),
        DiffMark::Removed => view! { <del>"- " {text} "\n"</del> }.into_any(),
        DiffMark::Skipped => view! { <span class="skipped">"  ⋯\n"</span> }.into_any(),
    }
}
