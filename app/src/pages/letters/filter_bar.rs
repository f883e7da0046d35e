//! The filter: as text, and as the fields of a form. Both are plain GET forms, and the address holds what they say.

use dlo_domain::audit::Actor;
use dlo_domain::filter::{FilterFault, LetterFilter};
use dlo_domain::office::FilterChoices;
use dlo_domain::view::View;
use dlo_islands::FilterBox;
use leptos::prelude::*;

use super::fields::FilterFields;
use super::views::Views;
use crate::desk::desk;
use crate::links;
use crate::pages::filter_fault::FaultPlace;
use crate::query::Query;
use crate::reads::begun;

/// What an address says about letters.
pub(super) type Filter = Result<LetterFilter, FilterFault>;

/// The bar over the list of letters.
#[component]
pub(super) fn FilterBar(
    /// The filter that the address names.
    filter: Filter,
    /// The address.
    query: Query,
) -> impl IntoView {
    let choices = begun(async { desk().filter_choices().await });
    let views = begun(async { desk().views(&Actor::local_operator()).await });
    let content = Suspend::new(async move {
        // Without what is offered, and without views, one can still filter.
        let choices = choices.await.unwrap_or_default();
        let views = views.await.unwrap_or_default();
        view! { <Bar filter query choices views /> }
    });
    view! { <Suspense>{content}</Suspense> }.into_any()
}

#[component]
fn Bar(filter: Filter, query: Query, choices: FilterChoices, views: Vec<View>) -> impl IntoView {
    let asked = query.get("q").unwrap_or_default();
    let text = filter.as_ref().map_or_else(|_| asked.clone(), ToString::to_string);
    let fault = filter.clone().err();
    // A field of the form has no column; only what was typed as text has.
    let has_place = LetterFilter::parse(&asked).is_err();
    view! {
        <div class="stack tight">
            <Views filter=filter.clone() views />
            <search class="filter">
                <form method="get" action=links::LETTERS class="field" data-in-place="">
                    <FilterBox
                        name="q".to_owned()
                        text
                        is_wrong=fault.is_some()
                        placeholder="queue:orders.* reason:expired state:held age:<1h".to_owned()
                    />
                    <kbd class="needs-script">"/"</kbd>
                    <button class="button" type="submit">
                        "Filter"
                    </button>
                </form>
                <FaultPlace fault has_place>
                    " The filter was not applied. "
                    <a href=links::LETTERS>"Show all letters"</a>
                </FaultPlace>
                <FilterFields filter=filter.unwrap_or_default() choices />
            </search>
        </div>
    }
    .into_any()
}
