//! What can be done with letters where no list of them stands. The forms are plain ones: each answer is a
//! page.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::discard_reason;
use crate::api::letters::DiscardLetters;
use crate::links;

/// The letters.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    /// All that match a filter.
    Matching(String),
    /// These.
    These(Vec<LetterId>),
}

/// Leads to their replay, and discards them.
#[component]
pub(crate) fn SomeLetters(
    /// Which.
    letters: Which,
    /// How many, in words that a button goes on with.
    words: String,
    /// The page's own address, to come back to.
    back: String,
) -> impl IntoView {
    let (look, discard) = (format!("Plan a replay of {words}…"), format!("Discard {words}"));
    view! {
        <div class="actions padded">
            <form method="get" action=links::NEW_REPLAY>
                {fields(letters.clone(), "q")}
                <button class="button" data-key="r" type="submit">
                    {look}
                </button>
            </form>
            <Discard letters words=discard back />
        </div>
    }
    .into_any()
}

/// The form that discards letters, folded.
#[component]
pub(crate) fn Discard(
    /// Which.
    letters: Which,
    /// What its button says.
    words: String,
    /// The page's own address, to come back to.
    back: String,
) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button">"Discard…"</summary>
            <form method="post" action=DiscardLetters::PATH class="with-reason">
                {fields(letters, "filter")}
                <input type="hidden" name="back" value=back />
                {discard_reason("why?", true)}
                <button class="button" type="submit">
                    {words}
                </button>
            </form>
        </details>
    }
    .into_any()
}

fn fields(letters: Which, filter_name: &'static str) -> AnyView {
    match letters {
        Which::Matching(filter) => view! {
            <input type="hidden" name="scope" value="matching" />
            <input type="hidden" name=filter_name value=filter />
        }
        .into_any(),
        Which::These(ids) => ids
            .into_iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()
            .into_any(),
    }
}
