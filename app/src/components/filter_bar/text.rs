//! The box in which a filter is written, and what is wrong with it and where.

use dlo_domain::filter::FilterFault;
use leptos::prelude::*;

use super::suggestions::{LIST, Suggestions};
use crate::visible::show_line;

/// What the box refers to for what is wrong.
pub(crate) const FAULT: &str = "filter-fault";

/// The box. Its suggestions are listed by `SuggestionList`.
#[component]
pub(crate) fn FilterText(
    /// What it is called in the address.
    name: &'static str,
    /// What it holds.
    text: Signal<String>,
    /// Whether that cannot be read.
    is_wrong: Signal<bool>,
    /// What is offered while somebody writes.
    suggestions: Suggestions,
    /// An example.
    placeholder: &'static str,
) -> impl IntoView {
    let is_open = move || suggestions.are_shown().then_some(LIST);
    view! {
        <input
            node_ref=suggestions.input
            class="text"
            type="text"
            name=name
            id="q"
            value=text
            prop:value=text
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            placeholder=placeholder
            aria-label="Filter"
            aria-describedby=FAULT
            aria-invalid=move || is_wrong.get().to_string()
            aria-autocomplete="list"
            aria-controls=is_open
            aria-activedescendant=move || suggestions.active_id()
            on:input=move |_| suggestions.look()
            on:blur=move |_| suggestions.close()
            on:keydown=move |event| suggestions.on_key(&event)
        />
    }
    .into_any()
}

/// What is wrong with a filter, and where; then what follows from it.
#[component]
pub(crate) fn FaultPlace(
    /// What is wrong.
    fault: FilterFault,
    /// Whether its place is one of the text above it.
    has_place: bool,
    /// What follows from it.
    children: Children,
) -> impl IntoView {
    let column = has_place.then(|| {
        view! {
            <p class="where" aria-hidden="true">
                {" ".repeat(fault.position)}
                {"^".repeat(fault.length.max(1))}
            </p>
        }
    });
    let place = has_place.then(|| format!("At character {}: ", fault.position + 1));
    view! {
        {column}
        <p class="says">
            <b>{place} {show_line(&fault.why)} "."</b>
            {children()}
        </p>
    }
    .into_any()
}
