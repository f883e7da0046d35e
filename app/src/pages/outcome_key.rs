//! An outcome of a letter: its word, and its pattern in small.

use dlo_domain::replay::Outcome;
use leptos::prelude::*;

/// An outcome as people say it.
pub(super) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pending => "pending",
        Outcome::Confirmed => "confirmed",
        Outcome::Unroutable => "unroutable",
        Outcome::Refused => "refused",
        Outcome::Unknown => "unknown",
        Outcome::DiedAgain => "died again",
        Outcome::Processed => "processed",
        Outcome::Settled => "settled",
    }
}

/// The key of one outcome: the pattern of the bar in small.
#[component]
pub(super) fn OutcomeKey(
    /// Which.
    outcome: Outcome,
) -> impl IntoView {
    view! {
        <svg class="outcome key" aria-hidden="true">
            <rect class=outcome.as_str() width="12" height="12"></rect>
        </svg>
    }
    .into_any()
}
