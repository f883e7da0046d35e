//! What can be done with a row of a list that people order themselves: switch it on and off, move it, remove it.

use leptos::prelude::*;

/// Whether a row counts. The word says it, the shape says it again.
#[component]
pub(super) fn Switch(
    /// Where it is sent.
    path: &'static str,
    /// The id of the row.
    id: String,
    /// What the row is called.
    name: String,
    /// Whether it counts now.
    is_on: bool,
) -> impl IntoView {
    view! {
        <form method="post" action=path>
            <input type="hidden" name="id" value=id.clone() />
            <input type="hidden" name="enabled" value=(!is_on).to_string() />
            <button
                class="toggle"
                type="submit"
                role="switch"
                id=format!("on-{id}")
                aria-checked=is_on.to_string()
                aria-label=name
            >
                <span aria-hidden="true">{if is_on { "on" } else { "off" }}</span>
            </button>
        </form>
    }
    .into_any()
}

/// One place up, one place down.
#[component]
pub(super) fn Steps(
    /// Where it is sent.
    path: &'static str,
    /// The id of the row.
    id: String,
    /// What the row is called.
    name: String,
    /// Whether it cannot go up.
    is_first: bool,
    /// Whether it cannot go down.
    is_last: bool,
) -> impl IntoView {
    let button = |to: &'static str, sign: &'static str, is_end: bool| {
        view! {
            <button
                class="button"
                type="submit"
                name="to"
                value=to
                id=format!("{to}-{id}")
                aria-label=format!("Move {name} {to}")
                disabled=is_end
            >
                {sign}
            </button>
        }
    };
    view! {
        <form method="post" action=path>
            <input type="hidden" name="id" value=id.clone() />
            <span class="steps">{button("up", "↑", is_first)} {button("down", "↓", is_last)}</span>
        </form>
    }
    .into_any()
}

/// Asks once more, and says what follows.
#[component]
pub(super) fn Remove(
    /// Where it is sent.
    path: &'static str,
    /// The id of the row.
    id: String,
    /// What the row is called.
    name: String,
    /// What kind of thing it is.
    noun: &'static str,
    /// What follows.
    says: &'static str,
) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button" aria-label=format!("Delete {name}")>
                "Delete…"
            </summary>
            <form method="post" action=path class="remove-rule">
                <input type="hidden" name="id" value=id />
                <p class="second">{says}</p>
                <button class="button" type="submit">
                    {format!("Delete this {noun}")}
                </button>
            </form>
        </details>
    }
    .into_any()
}
