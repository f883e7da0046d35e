//! What can be done with letters where no list of them stands. The forms are plain ones: each answer is a
//! page.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::api::letters::DiscardLetters;
use crate::links;
use crate::pages::discard_reason::discard_reason;

/// Letters that something is done with.
#[derive(Debug, Clone)]
pub(super) enum LetterSet {
    /// All that match a filter.
    Matching(String),
    /// These.
    These(Vec<LetterId>),
}

/// Leads to their replay, and discards them.
#[component]
pub(super) fn SomeLetters(
    /// Which.
    letters: LetterSet,
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
pub(super) fn Discard(
    /// Which.
    letters: LetterSet,
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

fn fields(letters: LetterSet, filter_name: &'static str) -> AnyView {
    match letters {
        LetterSet::Matching(filter) => view! {
            <input type="hidden" name="scope" value="matching" />
            <input type="hidden" name=filter_name value=filter />
        }
        .into_any(),
        LetterSet::These(ids) => ids
            .into_iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()
            .into_any(),
    }
}
