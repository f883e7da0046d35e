//! The command palette: a page, a worker, group or queue, letters, or what can be done on the page at hand, found by a
//! few letters of its name. `public/scripts/palette.js` opens it, adds all but the pages, and goes where one wants to.

use leptos::prelude::*;

/// What can be gone to: its name, and its address.
const PLACES: [(&str, &str); 19] = [
    ("Overview", "/"),
    ("Letters", "/letters"),
    ("Letters that wait for a decision", "/letters?state=held"),
    ("Groups", "/groups"),
    ("Replays", "/replays"),
    ("Queues", "/queues"),
    ("Workers", "/workers"),
    ("Stale workers", "/workers?state=stale"),
    ("Executions", "/executions"),
    ("Stuck executions", "/executions?tab=stuck"),
    ("Rules", "/rules"),
    ("Retry policies", "/rules/retries"),
    ("Sources", "/sources"),
    ("Message types", "/schemas"),
    ("Alerts", "/alerts"),
    ("Past alerts", "/alerts/history"),
    ("Alert rules", "/alerts/rules"),
    ("Silences", "/alerts/silences"),
    ("Alert channels", "/alerts/channels"),
];

/// The dialog, closed.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let place = |(at, (name, path)): (usize, (&'static str, &'static str))| {
        view! {
            <li role="option" id=format!("place-{at}") data-href=path>
                {name}
            </li>
        }
    };
    view! {
        <dialog id="palette" class="palette" aria-label="Find or do">
            <input
                type="text"
                role="combobox"
                aria-label="Find or do"
                aria-expanded="true"
                aria-controls="palette-list"
                autocomplete="off"
                spellcheck="false"
                placeholder="a page, a name, an id, a filter, or what to do here"
            />
            <ul id="palette-list" role="listbox" aria-label="What was found">
                {PLACES.into_iter().enumerate().map(place).collect_view()}
            </ul>
        </dialog>
    }
    .into_any()
}
