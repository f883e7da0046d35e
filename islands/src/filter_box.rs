//! The box in which a filter is written, and what could be written at its cursor, offered below it while somebody
//! types. Without a script it is a plain one.

mod suggestions;

use leptos::prelude::*;
use serde::Deserialize;

use crate::page;
use suggestions::{LIST, Suggestions};

/// The id of what says what is wrong with a filter.
pub const FAULT_ID: &str = "filter-fault";

/// What of the box is different when its page is put together anew.
#[derive(Deserialize)]
struct Written {
    text: String,
    is_wrong: bool,
}

/// The box.
#[island]
pub fn FilterBox(
    /// What it is called in the address.
    name: String,
    /// What it holds.
    text: String,
    /// Whether that cannot be read.
    is_wrong: bool,
    /// An example.
    placeholder: String,
) -> impl IntoView {
    let is_wrong = RwSignal::new(is_wrong);
    let suggestions = Suggestions::new();
    page::on_shown(move || {
        let own = suggestions.input.get_untracked();
        let now = own.and_then(|input| Some((page::properties::<Written>(&input)?, input)));
        if let Some((now, input)) = now {
            // Nobody asked for another filter: what is being written stays.
            if now.text != input.default_value() {
                input.set_default_value(&now.text);
                input.set_value(&now.text);
            }
            is_wrong.set(now.is_wrong);
            suggestions.close();
        }
    });
    let is_open = move || suggestions.are_shown().then_some(LIST);
    view! {
        <input
            node_ref=suggestions.input
            class="text"
            type="text"
            name=name
            id="q"
            // No property: what was written before the box came to life stays.
            value=text
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            placeholder=placeholder
            aria-label="Filter"
            aria-describedby=FAULT_ID
            aria-invalid=move || is_wrong.get().to_string()
            aria-autocomplete="list"
            aria-controls=is_open
            aria-activedescendant=move || suggestions.active_id()
            data-alive=page::alive()
            on:focus=move |_| suggestions.ask()
            on:input=move |_| suggestions.write()
            on:blur=move |_| suggestions.close()
            on:keydown=move |event| suggestions.on_key(&event)
        />
        {suggestions.list()}
    }
}
