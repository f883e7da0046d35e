//! What is not well beside the letters.

use leptos::prelude::*;

use crate::api::office::CauseRow;

/// What may be why letters die: each a number that leads to its list.
#[component]
pub(crate) fn CausesPanel(
    /// What there is.
    rows: Vec<CauseRow>,
) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="causes-title">
            <header>
                <h2 id="causes-title">"Causes"</h2>
            </header>
            <ul class="causes">{rows.into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn row(row: CauseRow) -> AnyView {
    if row.count.is_empty() {
        return view! { <li class="well">{row.says}</li> }.into_any();
    }
    let severities = row
        .severities
        .into_iter()
        .map(|(severity, count)| {
            let words = format!("{count} {severity}");
            view! { <span class=format!("sev {severity}")>{words}</span> }
        })
        .collect_view();
    view! {
        <li>
            <a href=row.href>
                <b>{row.count}</b>
                " "
                {row.says}
            </a>
            {severities}
        </li>
    }
    .into_any()
}
