//! The filter: as text, and as the fields of a form. Both are plain GET forms, and the address
//! holds what they say.

mod fields;
mod suggestions;
mod text;
mod views;

use dlo_domain::filter::{FilterFault, LetterFilter};
use dlo_domain::office::FilterChoices;
use leptos::prelude::*;
use leptos_router::components::Form;
use leptos_router::hooks::use_query_map;

use crate::links;
use fields::FilterFields;
pub(crate) use suggestions::{SuggestionList, Suggestions};
pub(crate) use text::{FaultPlace, FilterText};
use views::Views;

/// What an address says about letters.
pub(crate) type Filter = Memo<Result<LetterFilter, FilterFault>>;

/// The bar over the list of letters.
#[component]
pub(crate) fn FilterBar(
    /// The filter that the address names.
    filter: Filter,
    /// What the fields offer.
    choices: Resource<FilterChoices>,
) -> impl IntoView {
    let query = use_query_map();
    let asked = move || query.with(|query| query.get("q").unwrap_or_default());
    let text = move || match filter.get() {
        Ok(filter) => filter.to_string(),
        Err(_) => asked(),
    };
    let suggestions = Suggestions::new(choices);
    view! {
        <div class="stack tight">
            <Views filter />
            <search class="filter">
                <Form
                    method="get"
                    action=links::LETTERS
                    attr:class="field"
                    on:submit=move |_| suggestions.close()
                >
                    <FilterText
                        name="q"
                        text=Signal::derive(text)
                        is_wrong=Signal::derive(move || filter.with(Result::is_err))
                        suggestions
                        placeholder="queue:orders.* reason:expired state:held age:<1h"
                    />
                    <kbd class="needs-script">"/"</kbd>
                    <button class="button" type="submit">
                        "Filter"
                    </button>
                </Form>
                <SuggestionList suggestions />
                <div id="filter-fault" role="alert">
                    {move || {
                        filter.get().err().map(|fault| view! { <Fault fault asked=asked() /> })
                    }}
                </div>
                <Transition>
                    {move || Suspend::new(async move {
                        let choices = choices.await;
                        view! { <FilterFields filter choices /> }
                    })}
                </Transition>
            </search>
        </div>
    }
    .into_any()
}

/// What is wrong with the filter, and where.
#[component]
fn Fault(fault: FilterFault, asked: String) -> impl IntoView {
    // A field of the form has no column; only what was typed as text has.
    let has_place = LetterFilter::parse(&asked).is_err();
    view! {
        <FaultPlace fault has_place>
            " Nothing is listed until the filter can be read. "
            <a href=links::LETTERS>"Show all letters"</a>
        </FaultPlace>
    }
    .into_any()
}
