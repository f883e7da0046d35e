//! What can be done with the checked letters. The bar shows itself, by CSS, when one is checked.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Decisions, discard_reason};
use crate::api::letters::{DiscardLetters, HoldLetters, RestoreLetters};
use crate::links;
use crate::wording::counted;

/// What takes too much room on a telephone, by its id.
const REST: &str = "bulk-rest";

/// The bar. Its buttons belong to the form around it.
#[component]
pub(crate) fn BulkBar(
    /// The checked letters; empty while our script does not run.
    selected: RwSignal<Vec<LetterId>>,
    /// How many letters match the filter, in words.
    all: String,
    /// What can be done.
    decisions: Decisions,
    /// Whether any letter of the page can be replayed and discarded.
    can_discard: bool,
    /// Whether any letter of the page waits for a retry policy.
    can_hold: bool,
    /// Whether any letter of the page can be restored.
    can_restore: bool,
    /// Unchecks all.
    #[prop(into)]
    on_clear: Callback<()>,
) -> impl IntoView {
    let is_first = !can_discard;
    let restoring =
        move || can_restore.then(|| view! { <Restoring selected decisions is_first /> });
    view! {
        <div class="bulk" role="group" aria-label="The checked letters">
            <div class="what">
                <b>
                    {move || {
                        match selected.with(Vec::len) {
                            0 => "Some letters are checked".to_owned(),
                            _ => format!("{} checked", letters(selected)),
                        }
                    }}
                </b>
                <a href="#matching" rel="external">"Select all " {all}</a>
            </div>
            <div class="actions">
                {can_discard.then(|| view! { <Looking selected /> })}
                {is_first.then(&restoring)}
                {can_discard
                    .then(|| {
                        view! {
                            // On a wide window they stand in the bar.
                            <button class="button rest-opener" type="button" popovertarget=REST>
                                "More…"
                            </button>
                            <div class="rest" id=REST popover="auto">
                                {can_hold.then(|| view! { <Holding selected decisions /> })}
                                {restoring()}
                                <Discarding selected decisions />
                            </div>
                        }
                    })}
                <button class="button plain" type="reset" on:click=move |_| on_clear.run(())>
                    "Clear"
                </button>
            </div>
        </div>
    }
    .into_any()
}

type Selected = RwSignal<Vec<LetterId>>;

/// The checked letters with their number, once a script counts them.
fn letters(selected: Selected) -> String {
    match i64::try_from(selected.with(Vec::len)).unwrap_or(0) {
        0 => "the checked letters".to_owned(),
        number => counted(number, "letter"),
    }
}

/// Leads to the plan of a replay: nothing is published before that was seen.
#[component]
fn Looking(selected: Selected) -> impl IntoView {
    view! {
        <button
            class="button primary"
            data-key="r"
            type="submit"
            formaction=links::NEW_REPLAY
            formmethod="get"
            formnovalidate
        >
            "Plan a replay of "
            {move || letters(selected)}
            "…"
        </button>
    }
}

#[component]
fn Holding(selected: Selected, decisions: Decisions) -> impl IntoView {
    view! {
        <button
            class="button"
            type="submit"
            formaction=HoldLetters::PATH
            formnovalidate
            disabled=move || decisions.is_pending()
        >
            "Hold "
            {move || letters(selected)}
            ": no retry"
        </button>
    }
}

#[component]
fn Restoring(selected: Selected, decisions: Decisions, is_first: bool) -> impl IntoView {
    view! {
        <button
            class="button"
            class:primary=is_first
            type="submit"
            formaction=RestoreLetters::PATH
            formnovalidate
            disabled=move || decisions.is_pending()
        >
            "Restore "
            {move || letters(selected)}
        </button>
    }
}

#[component]
fn Discarding(selected: Selected, decisions: Decisions) -> impl IntoView {
    view! {
        <span class="with-reason">
            {discard_reason("why discard?", true)}
            <button
                class="button"
                type="submit"
                formaction=DiscardLetters::PATH
                disabled=move || decisions.is_pending()
            >
                "Discard "
                {move || letters(selected)}
            </button>
        </span>
    }
}
