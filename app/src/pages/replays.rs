//! Which replays were there, and how did they go?

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::replays::{ReplayList, list_replays};
use crate::components::{ErrorPanel, Live, Pager, ReplayTable, Waiting};
use crate::{links, wording};

/// The list of replays.
#[component]
pub(crate) fn ReplaysPage() -> impl IntoView {
    let query = use_query_map();
    let cursor = Memo::new(move |_| query.with(|query| query.get("cursor").unwrap_or_default()));
    let version = Live::current().version(|event| matches!(event, LiveEvent::Replay { .. }));
    let replays = Resource::new(
        move || (cursor.get(), version.get()),
        |(cursor, _)| list_replays(cursor),
    );
    view! {
        <Title text="Replays" />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match replays.await {
                    Ok(list) => view! { <List list /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn List(list: ReplayList) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let ReplayList { now, page } = list;
    if page.items.is_empty() {
        return view! {
            <div class="answer">
                <div>
                    <h1>"Nothing was replayed yet."</h1>
                    <p class="second">
                        "A replay publishes letters again, to the queue they died in or to another. "
                        <a href=links::letters_in(
                            dlo_domain::state::LetterState::Held,
                        )>"Check some held letters"</a> " and press Replay: what came of each is told here."
                    </p>
                </div>
            </div>
        }
        .into_any();
    }
    let next = page.next_cursor;
    let total = wording::how_many(page.total(), "replay");
    view! {
        <h1 class="visually-hidden">"Replays"</h1>
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{total}</h2>
                <span class="note">"newest first; a replay goes on when its page is closed"</span>
            </header>
            <ReplayTable replays=page.items now />
        </section>
        <Pager path="/replays".to_owned() query next label="replays" />
    }
    .into_any()
}
