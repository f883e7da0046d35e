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
                                    )>
                                        {try_of(replay.attempt)}
                                        {outcome_word(replay.outcome)}
                                    </a>
                                    {replay
                                        .queue
                                        .map(|queue| {
                                            view! {
                                                " to "
                                                <span class="id">{show_name(&queue)}</span>
                                            }
                                        })}
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

/// Which try it was, before what came of it; nothing where nothing was published.
fn try_of(attempt: i32) -> String {
    if attempt == 0 {
        return String::new();
    }
    format!("{} try: ", crate::wording::ordinal(attempt))
}
