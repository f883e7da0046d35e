//! What a schema says of a body: what is wrong, and where. It refuses nothing.

use crate::visible::{show_line, show_lines};
use dlo_domain::json_schema::{SchemaCheck, SchemaFault};
use leptos::prelude::*;

/// A line when the body fits, else each fault with its place.
#[component]
pub(super) fn SchemaNote(
    /// What it says.
    check: SchemaCheck,
    /// Which body is meant, as `What is sent`.
    #[prop(into)]
    what: String,
) -> impl IntoView {
    let SchemaCheck { schema, faults, more } = check;
    let schema = show_line(&schema);
    if faults.is_empty() {
        let says = format!("{what} fits the schema {schema}.");
        return view! { <p class="note-line">{says}</p> }.into_any();
    }
    let says = format!("{what} does not fit the schema {schema}:");
    view! {
        <div class="stack tight padded">
            <p class="error-note">{says}</p>
            <ul class="faults">{faults.into_iter().map(fault).collect_view()}</ul>
            {more.then(|| view! { <p class="note-line">"There is more than is shown here."</p> })}
        </div>
    }
    .into_any()
}

fn fault(SchemaFault { place, why }: SchemaFault) -> AnyView {
    let place = if place.is_empty() { "the whole body".to_owned() } else { place };
    view! {
        <li>
            <code>{show_line(&place)}</code>
            ": "
            {show_lines(&why)}
        </li>
    }
    .into_any()
}
