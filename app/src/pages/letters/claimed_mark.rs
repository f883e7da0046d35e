//! That only a letter itself says where it died.

use dlo_domain::letter::LetterSummary;
use leptos::prelude::*;

/// A word beside the queue that a letter names, where only the letter says so.
#[component]
pub(super) fn ClaimedMark(
    /// The letter.
    letter: LetterSummary,
) -> impl IntoView {
    letter.origin_claimed.then(|| {
        view! {
            <small class="claimed" title="Unconfirmed: only the message itself says that it died \
                there.">
                "not confirmed"
            </small>
        }
    })
}
