//! What can be done with the selected letters. The bar shows itself, by CSS, when one is selected.

use dlo_islands::SelectedLetters;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::api::letters::{DiscardLetters, HoldLetters, RestoreLetters};
use crate::links;
use crate::pages::discard_reason::discard_reason;

/// What takes too much room on a telephone, by its id.
const REST: &str = "bulk-rest";

/// The bar. Its buttons belong to the form around it.
#[component]
pub(super) fn BulkBar(
    /// How many letters match the filter, in words.
    all: String,
    /// Whether any letter of the page can be replayed and discarded.
    can_discard: bool,
    /// Whether any letter of the page waits for a retry policy.
    can_hold: bool,
    /// Whether any letter of the page can be restored.
    can_restore: bool,
) -> impl IntoView {
    let is_first = !can_discard;
    let restoring = move || can_restore.then(|| view! { <Restoring is_first /> });
    let rest = can_discard.then(|| {
        view! {
            // On a wide window they stand in the bar.
            <button class="button rest-opener" type="button" popovertarget=REST>
                "More…"
            </button>
            <div class="rest" id=REST popover="auto">
                {can_hold.then(|| view! { <Holding /> })}
                {restoring()}
                <Discarding />
            </div>
        }
    });
    view! {
        <div class="bulk" role="group" aria-label="The selected letters">
            <div class="what">
                <b>
                    <SelectedLetters
                        none="Some letters are selected".to_owned()
                        some="{} selected".to_owned()
                    />
                </b>
                <a href="#matching">"Select all " {all}</a>
            </div>
            <div class="actions">
                {can_discard.then(|| view! { <Looking /> })} {is_first.then(&restoring)} {rest}
                <button class="button plain" type="reset">
                    "Clear"
                </button>
            </div>
        </div>
    }
    .into_any()
}

/// What a button does with the selected letters, with their number once a script counts them.
fn words(text: &'static str) -> AnyView {
    let none = text.replace("{}", "the selected letters");
    view! { <SelectedLetters none some=text.to_owned() /> }.into_any()
}

/// Leads to the plan of a replay: nothing is published before that was seen.
#[component]
fn Looking() -> impl IntoView {
    view! {
        <button
            class="button primary"
            data-key="r"
            type="submit"
            formaction=links::NEW_REPLAY
            formmethod="get"
            formnovalidate
        >
            {words("Plan a replay of {}…")}
        </button>
    }
    .into_any()
}

#[component]
fn Holding() -> impl IntoView {
    view! {
        <button class="button" type="submit" formaction=HoldLetters::PATH formnovalidate>
            {words("Hold {}: no retry")}
        </button>
    }
    .into_any()
}

#[component]
fn Restoring(is_first: bool) -> impl IntoView {
    view! {
        <button
            class="button"
            class:primary=is_first
            type="submit"
            formaction=RestoreLetters::PATH
            formnovalidate
        >
            {words("Restore {}")}
        </button>
    }
    .into_any()
}

#[component]
fn Discarding() -> impl IntoView {
    view! {
        <span class="with-reason">
            {discard_reason("why discard?", true)}
            <button class="button" type="submit" formaction=DiscardLetters::PATH>
                {words("Discard {}")}
            </button>
        </span>
    }
    .into_any()
}
