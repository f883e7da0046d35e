//! What can be done with all letters that a filter matches: with the count spelled out.

use dlo_domain::filter::LetterFilter;
use dlo_domain::page::Total;
use dlo_domain::state::{Change, LetterState};
use leptos::form::ActionForm;
use leptos::prelude::*;

use super::{Decisions, discard_reason};
use crate::links;
use crate::visible::show_line;
use crate::wording::how_many;

/// Acts on all that match.
#[component]
pub(crate) fn Matching(
    /// The filter.
    filter: LetterFilter,
    /// How many letters match.
    total: Total,
    /// Whether any letter of the page waits for a retry policy.
    has_scheduled: bool,
    /// What can be done.
    decisions: Decisions,
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
    let look = links::with_query(links::NEW_REPLAY, [("scope", "matching"), ("q", text.as_str())]);
    let waits = move || decisions.is_pending();
    let hidden = move || view! { <Hidden filter=text.clone() back=back.clone() /> };
    let to_discard = replayable.then(&hidden);
    let to_hold = has_scheduled.then(&hidden);
    let to_restore = restorable.then(&hidden);
    let (look_text, discard_text) = (letters.clone(), letters.clone());
    let (hold_text, restore_text) = (letters.clone(), letters.clone());
    view! {
        <details class="matching">
            <summary>"With all " {letters} "…"</summary>
            // A link into what is folded unfolds it, where the browser follows it itself.
            <p class="note-line" id="matching">
                "This takes " {condition} ", on all pages, when you press the button. "
                "Letters in other states are left out and counted."
            </p>
            <div class="actions">
                {to_discard
                    .map(|hidden| {
                        view! {
                            <a class="button" href=look>
                                "Plan a replay of " {look_text} "…"
                            </a>
                            <ActionForm action=decisions.discard attr:class="with-reason">
                                {hidden}
                                {discard_reason("why discard?", false)}
                                <button class="button" type="submit" disabled=waits>
                                    "Discard " {discard_text}
                                </button>
                            </ActionForm>
                        }
                    })}
                {to_hold.map(|hidden| holding(decisions, hidden.into_any(), hold_text))}
                {to_restore
                    .map(|hidden| {
                        view! {
                            <ActionForm action=decisions.restore>
                                {hidden}
                                <button class="button" type="submit" disabled=waits>
                                    "Restore the discarded of " {restore_text}
                                </button>
                            </ActionForm>
                        }
                    })}
            </div>
        </details>
    }
    .into_any()
}

/// Takes those that are scheduled away from their policies.
fn holding(decisions: Decisions, hidden: AnyView, letters: String) -> AnyView {
    view! {
        <ActionForm action=decisions.hold>
            {hidden}
            <button class="button" type="submit" disabled=move || decisions.is_pending()>
                "Hold the scheduled of "
                {letters}
            </button>
        </ActionForm>
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
