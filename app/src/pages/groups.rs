//! What failed alike, and which of it is worst?

use dlo_domain::group::GroupState;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::groups::{GroupList, list_groups};
use crate::components::{ErrorPanel, GroupTable, Live, Pager, Waiting};
use crate::visible::show_name;
use crate::{links, wording};

/// The list of groups.
#[component]
pub(crate) fn GroupsPage() -> impl IntoView {
    let query = use_query_map();
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (state, cursor) = (of("state"), of("cursor"));
    let version = Live::current().groups_version();
    // Under a pointer nothing moves: what came meanwhile is shown when it leaves.
    let is_held = RwSignal::new(false);
    let version = Memo::new(move |before: Option<&u32>| {
        let version = version.get();
        match before {
            Some(before) if is_held.get() => *before,
            _ => version,
        }
    });
    let groups = Resource::new(
        move || (state.get(), cursor.get(), version.get()),
        |(state, cursor, _)| list_groups(state, cursor),
    );
    view! {
        <Title text="Groups" />
        <States state />
        <div
            class="stack"
            on:pointerenter=move |_| is_held.set(true)
            on:pointerleave=move |_| is_held.set(false)
        >
            <Transition fallback=Waiting>
                {move || Suspend::new(async move {
                    match groups.await {
                        Ok(list) => view! { <List list state=state.get() /> }.into_any(),
                        Err(error) => view! { <ErrorPanel error /> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
    .into_any()
}

/// One link a state.
#[component]
fn States(state: Memo<String>) -> impl IntoView {
    let tab = move |word: &'static str, text: &'static str| {
        let current = move || state.with(|state| state == word).then_some("page");
        view! {
            <a href=links::with_query(links::GROUPS, [("state", word)]) aria-current=current>
                {text}
            </a>
        }
    };
    view! {
        <nav class="tabs" aria-label="States of groups">
            {tab("", "all")}
            {GroupState::ALL.map(|state| tab(state.as_str(), state.as_str())).into_iter().collect_view()}
        </nav>
    }
    .into_any()
}

#[component]
fn List(list: GroupList, state: String) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let GroupList { now, page } = list;
    if page.items.is_empty() {
        return if state.is_empty() {
            view! { <Beginning /> }.into_any()
        } else {
            view! {
                <h1 class="visually-hidden">"Groups"</h1>
                <p class="empty">"No group is " {show_name(&state)} "."</p>
            }
            .into_any()
        };
    }
    let next = page.next_cursor;
    let total = wording::how_many(page.total(), "group");
    view! {
        <h1 class="visually-hidden">"Groups"</h1>
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{total}</h2>
                <span class="note">
                    "most and worst held letters first; words that vary are marked"
                </span>
            </header>
            <GroupTable groups=page.items now />
        </section>
        <Pager
            path=links::GROUPS.to_owned()
            query
            next
            label="groups"
            words=("Previous page", "Next page")
        />
    }
    .into_any()
}

/// Says what a group is, while there is none.
#[component]
fn Beginning() -> impl IntoView {
    view! {
        <h1 class="visually-hidden">"Groups"</h1>
        <section class="section" aria-labelledby="empty-title">
            <header>
                <h2 id="empty-title">"No groups yet."</h2>
            </header>
            <p class="empty">
                "A group is one failure: letters whose errors have the same words in the same place, whatever numbers, names and ids are in them. Four thousand letters are usually three groups. Groups form as letters arrive: "
                <a href="/sources">"watch a dead-letter queue"</a> " to get the first."
            </p>
        </section>
    }
    .into_any()
}
