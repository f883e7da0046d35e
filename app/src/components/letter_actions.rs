//! What can be done with one letter. Each button says what, how many and where to.

use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::state::{Change, LetterState};
use leptos::form::ActionForm;
use leptos::prelude::*;

use super::{Decisions, disabled_while, discard_reason};
use crate::links;
use crate::visible::show_name;

/// The actions that the letter's state allows.
#[component]
pub(crate) fn LetterActions(
    /// The letter.
    letter: LetterSummary,
    /// What can be done.
    decisions: Decisions,
) -> impl IntoView {
    let id = letter.id;
    let allows = |change| letter.state.after(change).is_ok();
    let waits = Signal::derive(move || decisions.is_pending());
    view! {
        <div class="actions">
            {allows(Change::DeclarePublished).then(|| view! { <Verdict id decisions waits /> })}
            {allows(Change::Claim)
                .then(|| view! { <Replaying id queue=letter.queue.clone() /> })}
            {allows(Change::Discard).then(|| view! { <Discarding id decisions waits /> })}
            {allows(Change::Restore)
                .then(|| {
                    view! {
                        <ActionForm action=decisions.restore>
                            <This id />
                            <button class="button primary" type="submit" disabled=disabled_while(waits)>
                                "Restore 1 letter: hold it again"
                            </button>
                        </ActionForm>
                    }
                })}
            {(letter.state == LetterState::Claimed)
                .then(|| view! { <p class="second">"A replay has it: wait for its outcome."</p> })}
        </div>
    }
    .into_any()
}

/// The hidden fields that name the letter and the way back.
#[component]
fn This(id: LetterId) -> impl IntoView {
    view! {
        <input type="hidden" name="ids[]" value=id.to_string() />
        <input type="hidden" name="back" value=links::letter(id) />
    }
    .into_any()
}

/// The ways to a plan: nothing is published before that was seen.
#[component]
fn Replaying(id: LetterId, queue: Option<String>) -> impl IntoView {
    view! {
        {queue
            .map(|queue| {
                view! {
                    <a class="button primary" data-key="r" href=links::replay_letter(id)>
                        <span>"Plan a replay to " {show_name(&queue)} "…"</span>
                    </a>
                }
            })}
        <a class="button" href=links::edit(id)>
            "Edit…"
        </a>
        <details class="more">
            <summary class="button">"Replay elsewhere…"</summary>
            <form method="get" action=links::NEW_REPLAY class="with-reason">
                <input type="hidden" name="ids[]" value=id.to_string() />
                <input type="hidden" name="mode" value="queue" />
                <input
                    type="text"
                    name="queue"
                    maxlength="255"
                    required
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="queue"
                    aria-label="Queue to replay to"
                />
                <button class="button" type="submit">
                    "Plan a replay to this queue…"
                </button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Discarding(id: LetterId, decisions: Decisions, waits: Signal<bool>) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button">"Discard…"</summary>
            <ActionForm action=decisions.discard attr:class="with-reason">
                <This id />
                {discard_reason("why?", true)}
                <button class="button" type="submit" disabled=disabled_while(waits)>
                    "Discard 1 letter"
                </button>
            </ActionForm>
        </details>
    }
    .into_any()
}

#[component]
fn Verdict(id: LetterId, decisions: Decisions, waits: Signal<bool>) -> impl IntoView {
    view! {
        <ActionForm action=decisions.decide attr:class="verdict">
            <input type="hidden" name="id" value=id.to_string() />
            <p class="second">
                "The connection ended before the broker answered, so nobody here knows whether the "
                "broker took it. It is not sent again by itself: that could do its work twice. "
                "Look whether its queue or its receiver has it, then say so."
            </p>
            <button
                class="button"
                type="submit"
                name="verdict"
                value="published"
                disabled=disabled_while(waits)
            >
                "It was published: count it as replayed"
            </button>
            <button
                class="button"
                type="submit"
                name="verdict"
                value="not_published"
                disabled=disabled_while(waits)
            >
                "It was not published: hold it again"
            </button>
        </ActionForm>
    }
    .into_any()
}
