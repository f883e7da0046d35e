//! What can be done with the checked letters. The bar shows itself, by CSS, when one is checked.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::Decisions;
use crate::api::letters::{DiscardLetters, RestoreLetters};
use crate::api::replays::StartReplay;
use crate::wording::counted;

/// The bar. Its buttons belong to the form around it.
#[component]
pub(crate) fn BulkBar(
    /// The checked letters; empty while our script does not run.
    selected: RwSignal<Vec<LetterId>>,
    /// What can be done.
    decisions: Decisions,
    /// Whether any letter of the page can be replayed and discarded.
    can_discard: bool,
    /// Whether any letter of the page can be restored.
    can_restore: bool,
    /// Unchecks all.
    #[prop(into)]
    on_clear: Callback<()>,
) -> impl IntoView {
    let letters = move || {
        let number = selected.with(Vec::len);
        match i64::try_from(number).unwrap_or(0) {
            0 => "the checked letters".to_owned(),
            number => counted(number, "letter"),
        }
    };
    let waits = move || decisions.is_pending();
    view! {
        <div class="bulk" role="group" aria-label="The checked letters">
            <div class="what">
                <span>
                    <b>
                        {move || {
                            let letters = letters();
                            if letters.starts_with("the") {
                                "Some letters are checked".to_owned()
                            } else {
                                format!("{letters} checked")
                            }
                        }}
                    </b>
                </span>
                <a href="#matching">"Rather all that match?"</a>
            </div>
            <div class="actions">
                {can_discard
                    .then(|| {
                        view! {
                            <button
                                class="button primary"
                                type="submit"
                                formaction=StartReplay::PATH
                                formnovalidate
                                disabled=waits
                            >
                                "Replay "
                                {letters}
                                " to where "
                                {move || if selected.with(Vec::len) == 1 { "it" } else { "they" }}
                                " died"
                            </button>
                            <button
                                class="button"
                                type="submit"
                                formaction="/replays/new"
                                formmethod="get"
                                formnovalidate
                            >
                                "Elsewhere, or look first…"
                            </button>
                        }
                    })}
                {can_restore
                    .then(|| {
                        view! {
                            <button
                                class="button"
                                type="submit"
                                formaction=RestoreLetters::PATH
                                formnovalidate
                                disabled=waits
                            >
                                "Restore "
                                {letters}
                            </button>
                        }
                    })}
                {can_discard
                    .then(|| {
                        view! {
                            <span class="with-reason">
                                <input
                                    type="text"
                                    name="reason"
                                    maxlength="500"
                                    required
                                    placeholder="why discard?"
                                    aria-label="Reason for the discard"
                                />
                                <button
                                    class="button"
                                    type="submit"
                                    formaction=DiscardLetters::PATH
                                    disabled=waits
                                >
                                    "Discard "
                                    {letters}
                                </button>
                            </span>
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
