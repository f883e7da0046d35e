//! What can be done with all letters that a filter matches: with the count spelled out.

use dlo_domain::filter::LetterFilter;
use dlo_domain::page::Total;
use dlo_domain::state::{Change, LetterState};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::api::letters::{DiscardLetters, HoldLetters, RestoreLetters};
use crate::links;
use crate::pages::discard_reason::discard_reason;
use crate::visible::show_line;
use crate::wording::how_many;

/// Acts on all that match.
#[component]
pub(super) fn Matching(
    /// The filter.
    filter: LetterFilter,
    /// How many letters match.
    total: Total,
    /// The states of the letters on the page.
    states: Vec<LetterState>,
    /// The page's own address, to come back to.
    back: String,
) -> impl IntoView {
    let text = filter.to_string();
    let allows = |change| {
        let allowed = LetterState::allowing(change);
        allowed.into_iter().any(|state| filter.allows_state(state))
    };
    let (replayable, restorable) = (allows(Change::Claim), allows(Change::Restore));
    if !replayable && !restorable {
        return ().into_any();
    }
    let has_scheduled = states.contains(&LetterState::Scheduled);
    let letters = how_many(total, "letter");
    let condition = if text.is_empty() {
        view! { "all that this office keeps" }.into_any()
    } else {
        view! {
            "all that match "
            <code>{show_line(&text)}</code>
        }
        .into_any()
    };
    let hidden = move || view! { <Hidden filter=text.clone() back=back.clone() /> }.into_any();
    let replaying = replayable.then(|| replaying(&filter, hidden(), &letters));
    let holding = has_scheduled.then(|| holding(hidden(), &letters));
    let restoring = restorable.then(|| restoring(hidden(), &letters));
    view! {
        <details class="matching">
            <summary>"With all " {letters} "…"</summary>
            // A link into what is folded unfolds it.
            <p class="note-line" id="matching">
                "This takes " {condition} ", on all pages, when you press the button. "
                "Letters in other states are skipped and counted."
            </p>
            <div class="actions">{replaying} {holding} {restoring}</div>
        </details>
    }
    .into_any()
}

fn replaying(filter: &LetterFilter, hidden: AnyView, letters: &str) -> AnyView {
    let text = filter.to_string();
    let look = links::with_query(links::NEW_REPLAY, [("scope", "matching"), ("q", text.as_str())]);
    view! {
        <a class="button" href=look>
            {format!("Plan a replay of {letters}…")}
        </a>
        <form method="post" action=DiscardLetters::PATH class="with-reason" data-decides="">
            {hidden}
            {discard_reason("why discard?", false)}
            <button class="button" type="submit">
                {format!("Discard {letters}")}
            </button>
        </form>
    }
    .into_any()
}

/// Takes those that are scheduled away from their policies.
fn holding(hidden: AnyView, letters: &str) -> AnyView {
    view! {
        <form method="post" action=HoldLetters::PATH data-decides="">
            {hidden}
            <button class="button" type="submit">
                {format!("Hold the scheduled of {letters}")}
            </button>
        </form>
    }
    .into_any()
}

fn restoring(hidden: AnyView, letters: &str) -> AnyView {
    view! {
        <form method="post" action=RestoreLetters::PATH data-decides="">
            {hidden}
            <button class="button" type="submit">
                {format!("Restore the discarded of {letters}")}
            </button>
        </form>
    }
    .into_any()
}

/// The fields that say which letters, and where to go back to.
#[component]
fn Hidden(filter: String, back: String) -> impl IntoView {
    view! {
        <input type="hidden" name="scope" value="matching" />
        <input type="hidden" name="filter" value=filter />
        <input type="hidden" name="back" value=back />
    }
}
