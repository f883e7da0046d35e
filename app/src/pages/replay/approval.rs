//! A replay that waits for a second person: who may decide, and how.

use dlo_domain::audit::Actor;
use dlo_domain::changing::Approval as Word;
use dlo_domain::replay::{Replay, ReplayState};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::DecideReplay;
use crate::visible::{show_lines, show_within};
use crate::wording;

/// What is to be decided on a replay, or was.
#[component]
pub(super) fn Approval(
    /// The replay.
    replay: Replay,
) -> impl IntoView {
    let Some(word) = replay.approval.clone() else {
        return ().into_any();
    };
    if replay.state != ReplayState::AwaitingApproval {
        return view! { <Decided word /> }.into_any();
    }
    let body = if replay.created_by == Actor::local_operator().0 {
        view! { <ByAnother replay /> }.into_any()
    } else {
        view! { <Deciding replay /> }.into_any()
    };
    view! {
        <section class="section" aria-labelledby="approval-title">
            <header>
                <h2 id="approval-title">"Waits for a second person"</h2>
            </header>
            {body}
        </section>
    }
    .into_any()
}

/// It was asked for at these pages, so somebody else has to decide, elsewhere.
#[component]
fn ByAnother(replay: Replay) -> impl IntoView {
    let by = show_within(&replay.created_by);
    let id = replay.id.map(|id| id.to_string()).unwrap_or_default();
    let path = format!("/api/v1/replays/{id}/approve");
    view! {
        <p class="note-line">
            {format!(
                "The {by} requested it, and these pages act as the {by}, so it cannot be approved \
                 here. Another person approves it with a token of another name and the role \
                 operator:",
            )}
        </p>
        <pre class="body" tabindex="0" role="group" aria-label="How another person approves">
            {format!("curl -X POST -H \"Authorization: Bearer $DLO_TOKEN\" $DLO_ADDRESS{path}")}
        </pre>
    }
    .into_any()
}

#[component]
fn Deciding(replay: Replay) -> impl IntoView {
    let id = replay.id.map(|id| id.to_string()).unwrap_or_default();
    let of_refusal = id.clone();
    let letters = wording::counted(replay.total, "letter");
    let approve = format!("Approve: publish {letters}");
    let reject = format!("Reject: hold {letters} again");
    view! {
        <p class="note-line">
            {format!(
                "{} requested it. Check what would be sent; nothing was published yet.",
                show_within(&replay.created_by),
            )}
        </p>
        <div class="actions">
            <form method="post" action=DecideReplay::PATH>
                <input type="hidden" name="id" value=id />
                <button
                    class="button primary"
                    type="submit"
                    name="verdict"
                    value="approve"
                >
                    {approve}
                </button>
            </form>
            <form method="post" action=DecideReplay::PATH class="with-reason">
                <input type="hidden" name="id" value=of_refusal />
                <input
                    type="text"
                    name="reason"
                    maxlength="500"
                    required
                    placeholder="why not?"
                    aria-label="Reason for the refusal"
                />
                <button
                    class="button"
                    type="submit"
                    name="verdict"
                    value="reject"
                >
                    {reject}
                </button>
            </form>
        </div>
    }
    .into_any()
}

#[component]
fn Decided(word: Word) -> impl IntoView {
    let Some(by) = word.by else {
        return ().into_any();
    };
    let says = match word.refused_because {
        Some(why) => format!("{by} refused it: {why}"),
        None => format!("{by} approved it."),
    };
    view! { <p class="note-line">{show_lines(&says)}</p> }.into_any()
}
