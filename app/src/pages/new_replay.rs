//! What will happen if I press this?

use dlo_domain::ids::LetterId;
use dlo_domain::replay::Replay;
use leptos::form::ActionForm;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use super::replay::{HISTORY, LeftOutList};
use crate::api::replays::preview_replay;
use crate::components::{Decisions, Destinations, ErrorNote, ErrorPanel, Waiting, target_text};
use crate::wording;

/// What the address asks to have replayed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Asked {
    ids: Vec<LetterId>,
    filter: String,
    scope: String,
    queue: String,
}

impl Asked {
    fn of(query: &ParamsMap) -> Self {
        let ids = query.get_all("ids[]").unwrap_or_default();
        Self {
            ids: ids.iter().filter_map(|id| id.parse().ok()).collect(),
            filter: query.get("q").unwrap_or_default(),
            scope: query.get("scope").unwrap_or_default(),
            queue: query.get("queue").unwrap_or_default(),
        }
    }
}

/// A dry run, and the button that makes it real.
#[component]
pub(crate) fn NewReplayPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| query.with(Asked::of));
    let decisions = Decisions::new();
    let preview = Resource::new(
        move || asked.get(),
        |asked| preview_replay(asked.ids, asked.filter, asked.scope, asked.queue),
    );
    view! {
        <Title text="New replay" />
        <ErrorNote error=Signal::derive(move || decisions.error()) />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match preview.await {
                    Ok(preview) => {
                        view! { <Preview preview asked=asked.get() decisions /> }.into_any()
                    }
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Preview(preview: Replay, asked: Asked, decisions: Decisions) -> impl IntoView {
    let total = preview.total;
    let letters = wording::counted(total, "letter");
    let target = target_text(&preview.target, total);
    let button = format!("Replay {letters} to {target}");
    let (kept, queue) = (asked.clone(), asked.queue.clone());
    let which = if asked.scope == "matching" && !asked.filter.is_empty() {
        Some(asked.filter.clone())
    } else {
        None
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href="/replays">"Replays"</a>
                    </li>
                    <li>"New"</li>
                </ol>
                <h1>
                    {if total == 0 {
                        "None of these letters can be replayed now.".to_owned()
                    } else {
                        format!("This would publish {letters} again, to {target}.")
                    }}
                </h1>
                <p class="meta">
                    {which
                        .map(|filter| {
                            view! {
                                <span>"all that match " <code>{filter}</code></span>
                            }
                        })} <span>"nothing has been done yet"</span>
                </p>
            </div>
            {(total > 0)
                .then(|| {
                    view! {
                        <ActionForm action=decisions.replay attr:class="actions">
                            <Hidden asked=kept filter_name="filter" />
                            <input type="hidden" name="queue" value=queue />
                            <button
                                class="button primary"
                                type="submit"
                                disabled=move || decisions.is_pending()
                            >
                                {button}
                            </button>
                        </ActionForm>
                    }
                })}
        </div>
        <div class="split">
            <div class="stack">
                <Destinations destinations=preview.destinations />
                <LeftOutList left_out=preview.left_out />
            </div>
            <div class="stack">
                <Where asked />
                <Terms />
            </div>
        </div>
    }
    .into_any()
}

/// The fields that name the letters. An address calls the filter `q`, a form `filter`.
#[component]
fn Hidden(asked: Asked, filter_name: &'static str) -> impl IntoView {
    view! {
        {asked
            .ids
            .iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()}
        <input type="hidden" name=filter_name value=asked.filter />
        <input type="hidden" name="scope" value=asked.scope />
    }
    .into_any()
}

/// Chooses another target; the dry run follows.
#[component]
fn Where(asked: Asked) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="target-title">
            <header>
                <h2 id="target-title">"To another queue"</h2>
            </header>
            <form class="stack tight padded" method="get" action="/replays/new">
                <Hidden asked=asked.clone() filter_name="q" />
                <label class="choice">
                    <span>"queue; empty for the ones they died in"</span>
                    <input
                        type="text"
                        name="queue"
                        value=asked.queue
                        maxlength="255"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </label>
                <button class="button" type="submit">
                    "Look again"
                </button>
            </form>
        </section>
    }
    .into_any()
}

#[component]
fn Terms() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="terms-title">
            <header>
                <h2 id="terms-title">"What is sent"</h2>
            </header>
            <dl class="slip">
                <div class="all">
                    <dt>"body"</dt>
                    <dd>"the original bytes"</dd>
                </div>
                <div class="all">
                    <dt>"taken off"</dt>
                    <dd class="id">
                        {HISTORY}
                        ", CC, BCC, expiration, user-id, reply-to when it cannot be answered"
                    </dd>
                </div>
                <div class="all">
                    <dt>"put on"</dt>
                    <dd class="id">"x-dlo-letter, x-dlo-replay, x-dlo-attempt"</dd>
                </div>
                <div class="all">
                    <dt>"cannot be undone"</dt>
                    <dd>"what the broker has confirmed cannot be called back"</dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}
