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
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (by, cursor) = (of("by"), of("cursor"));
    let version = Live::current().version(|event| matches!(event, LiveEvent::Replay { .. }));
    let replays = Resource::new(
        move || (by.get(), cursor.get(), version.get()),
        |(by, cursor, _)| list_replays(by, cursor),
    );
    view! {
        <Title text="Replays" />
        <Whose by />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match replays.await {
                    Ok(list) => view! { <List list by=by.get() /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// One link for each kind of makers: policies make so many replays that people's are lost between
/// them.
#[component]
fn Whose(by: Memo<String>) -> impl IntoView {
    let tab = move |word: &'static str, text: &'static str| {
        let current = move || by.with(|by| by == word).then_some("page");
        view! {
            <a href=links::with_query(links::REPLAYS, [("by", word)]) aria-current=current>
                {text}
            </a>
        }
    };
    let of_one = move || {
        let policy = by.with(|by| by.strip_prefix("policy:").map(str::to_owned));
        policy.map(|policy| {
            view! {
                <a href=links::replays_of(&policy) aria-current="page">
                    "of one policy"
                </a>
            }
        })
    };
    view! {
        <nav class="tabs" aria-label="Whose replays">
            {tab("", "people's")} {tab("policies", "of retry policies")} {of_one}
            {tab("all", "all")}
        </nav>
    }
    .into_any()
}

/// What stands where the list would, while there is nothing of it.
#[component]
fn Nothing(by: String) -> impl IntoView {
    let says = match by.as_str() {
        "" | "all" => return view! { <Beginning /> }.into_any(),
        "policies" => "No retry policy replayed anything.",
        _ => "This retry policy replayed nothing.",
    };
    view! {
        <h1 class="visually-hidden">"Replays"</h1>
        <p class="empty">{says}</p>
    }
    .into_any()
}

#[component]
fn Beginning() -> impl IntoView {
    view! {
        <div class="answer">
            <div>
                <h1>"Nobody replayed anything yet."</h1>
                <p class="second">
                    "A replay publishes letters again, to the queue they died in or to another. "
                    <a href=links::letters_in(
                        dlo_domain::state::LetterState::Held,
                    )>"Check some held letters"</a> " and plan a replay of them: this page says what became of each."
                </p>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn List(list: ReplayList, by: String) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let ReplayList { now, page } = list;
    if page.items.is_empty() {
        return view! { <Nothing by /> }.into_any();
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
        <Pager path=links::REPLAYS.to_owned() query next label="replays" />
    }
    .into_any()
}
