//! The filter: as text, and as the fields of a form. Both are plain GET forms, and the address
//! holds what they say.

mod fields;

use dlo_domain::filter::{FilterFault, FilterForm, LetterFilter};
use dlo_domain::office::FilterChoices;
use dlo_domain::state::LetterState;
use leptos::prelude::*;
use leptos_router::components::Form;
use leptos_router::hooks::use_query_map;

use crate::links;
use fields::FilterFields;

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
    view! {
        <div class="stack tight">
            <Views filter />
            <search class="filter">
                <Form method="get" action=links::LETTERS attr:class="field">
                    <input
                        class="text"
                        type="text"
                        name="q"
                        id="q"
                        value=text
                        prop:value=text
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        placeholder="queue:orders.* reason:expired state:held age:<1h"
                        aria-label="Filter"
                        aria-describedby="filter-fault"
                        aria-invalid=move || filter.with(Result::is_err).to_string()
                    />
                    <kbd class="needs-script">"/"</kbd>
                    <button class="button" type="submit">
                        "Filter"
                    </button>
                </Form>
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
    let typed = LetterFilter::parse(&asked).is_err();
    let column = typed.then(|| {
        view! {
            <p class="where" aria-hidden="true">
                {" ".repeat(fault.position)}
                "^"
            </p>
        }
    });
    let place = typed.then(|| format!("At character {}: ", fault.position + 1));
    view! {
        {column}
        <p class="says">
            <b>{place} {fault.why} "."</b>
            " Nothing is listed until the filter can be read. "
            <a href=links::LETTERS>"Show all letters"</a>
        </p>
    }
    .into_any()
}

/// Filters that are asked for often.
#[component]
fn Views(filter: Filter) -> impl IntoView {
    let in_state = |state| {
        LetterFilter::from(FilterForm {
            state: Some(state),
            ..FilterForm::default()
        })
    };
    let views = [
        ("all letters", LetterFilter::default()),
        ("held", in_state(LetterState::Held)),
        ("unknown outcome", in_state(LetterState::Unknown)),
        ("replayed", in_state(LetterState::Replayed)),
        ("discarded", in_state(LetterState::Discarded)),
    ];
    view! {
        <nav class="views" aria-label="Views">
            {views
                .into_iter()
                .map(|(name, view)| {
                    let href = links::letters_matching(&view);
                    let current = move || {
                        filter.with(|filter| filter.as_ref() == Ok(&view)).then_some("true")
                    };
                    view! {
                        <a href=href aria-current=current>
                            {name}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}
