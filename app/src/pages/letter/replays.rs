//! The replays that a letter was part of.

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{LetterReplay, Outcome};
use leptos::prelude::*;

use super::older::older;
use crate::components::{Instant, Spoken};
use crate::links;
use crate::pages::outcome_key::{OutcomeKey, outcome_word};
use crate::visible::show_name;

/// The replays of a letter, newest first.
#[component]
pub(super) fn LetterReplays(
    /// The replays.
    replays: Vec<LetterReplay>,
    /// How many older ones are left out.
    omitted: u32,
    /// The letter.
    id: LetterId,
) -> impl IntoView {
    if replays.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="section" aria-labelledby="letter-replays-title">
            <header>
                <h2 id="letter-replays-title">"Replays of it"</h2>
                <span class="note">{replays.len()}</span>
            </header>
            <ul class="log">
                {replays
                    .into_iter()
                    .map(|replay| {
                        view! {
                            <li>
                                <Instant at=replay.at.unwrap_or(replay.planned_at) />
                                <span>
                                    <OutcomeKey outcome=replay.outcome />
                                    <a href=links::replay(
                                        replay.replay_id,
                                    )>{what_came(replay.attempt, replay.outcome, replay.queue)}</a>
                                    {(replay.outcome == Outcome::Unknown)
                                        .then(|| {
                                            view! {
                                                ", "
                                                <a href=links::search(replay.replay_id)>
                                                    "look for it there…"
                                                </a>
                                            }
                                        })}
                                    {replay
                                        .sent
                                        .map(|_| {
                                            view! {
                                                ", "
                                                <a href=links::sent(id, replay.replay_id)>
                                                    "sent changed"
                                                </a>
                                            }
                                        })}
                                    {replay
                                        .detail
                                        .map(|detail| view! { <small class="quiet"><Spoken text=detail /></small> })}
                                </span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
            {older(omitted, "replay")}
        </section>
    }
    .into_any()
}

/// Which try it was, where it went, and what came of it; nothing was tried where nothing was published.
fn what_came(attempt: i32, outcome: Outcome, queue: Option<String>) -> AnyView {
    let outcome = outcome_word(outcome);
    let to = queue.map(|queue| view! { " to " <span class="id">{show_name(&queue)}</span> });
    if attempt == 0 {
        return view! { {outcome} {to} }.into_any();
    }
    let attempt = crate::wording::ordinal(attempt);
    view! { {attempt} " try" {to} ": " {outcome} }.into_any()
}
