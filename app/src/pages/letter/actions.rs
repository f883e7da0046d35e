//! What can be done with one letter. Each button says what, how many and where to.

use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::state::{Change, LetterState};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::DecideUnknown;
use crate::api::letters::{DiscardLetters, RestoreLetters};
use crate::links;
use crate::pages::discard_reason::discard_reason;
use crate::visible::show_name;

/// The actions that the letter's state allows.
#[component]
pub(super) fn LetterActions(
    /// The letter.
    letter: LetterSummary,
) -> impl IntoView {
    let id = letter.id;
    let allows = |change| letter.state.after(change).is_ok();
    view! {
        <div class="actions">
            {allows(Change::DeclarePublished).then(|| view! { <Verdict id /> })}
            {allows(Change::Claim)
                .then(|| view! { <Replaying id queue=letter.queue.clone() /> })}
            {allows(Change::Discard).then(|| view! { <Discarding id /> })}
            {allows(Change::Restore)
                .then(|| {
                    view! {
                        <form method="post" action=RestoreLetters::PATH>
                            <This id />
                            <button class="button primary" type="submit">
                                "Restore 1 letter: hold it again"
                            </button>
                        </form>
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
fn Discarding(id: LetterId) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button">"Discard…"</summary>
            <form method="post" action=DiscardLetters::PATH class="with-reason">
                <This id />
                {discard_reason("why?", true)}
                <button class="button" type="submit">
                    "Discard 1 letter"
                </button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Verdict(id: LetterId) -> impl IntoView {
    view! {
        <form method="post" action=DecideUnknown::PATH class="verdict">
            <input type="hidden" name="id" value=id.to_string() />
            <p class="second">
                "The connection ended before the broker answered, so it is not known whether the "
                "broker took it. It is not sent again automatically: that could do its work twice. "
                "Check whether its queue or its receiver has it, then choose."
            </p>
            <button
                class="button"
                type="submit"
                name="verdict"
                value="published"

            >
                "It was published: count it as replayed"
            </button>
            <button
                class="button"
                type="submit"
                name="verdict"
                value="not_published"

            >
                "It was not published: hold it again"
            </button>
        </form>
    }
    .into_any()
}
