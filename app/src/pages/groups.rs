//! Which failure is worst?

mod merging;
mod table;

use dlo_domain::group::{GroupState, GroupSummary, NotAGroupState};
use dlo_domain::ids::GroupId;
use dlo_domain::page::Page;
use leptos::prelude::*;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use crate::components::Pager;
use crate::desk::desk;
use crate::error::ApiError;
use crate::query::Query;
use crate::request::now;
use crate::visible::show_name;
use crate::{api, links, wording};
use merging::Merging;
use table::GroupTable;

/// Groups on one page of the list.
const PAGE: u32 = 50;

/// What the page shows.
struct GroupsView {
    /// The groups.
    page: Page<GroupSummary>,
    /// The group that is merged into one of them.
    merging: Option<GroupSummary>,
}

/// The list of groups. Under a pointer nothing moves: what came meanwhile is shown when it leaves.
#[component]
pub(crate) fn GroupsPage() -> impl IntoView {
    let query = Query::of_request();
    let [state, cursor, merge] =
        ["state", "cursor", "merge"].map(|name| query.get(name).unwrap_or_default());
    let tabs = states(&state, &merge);
    let read = read(state.clone(), cursor, merge);
    view! {
        <Title text="Groups" />
        <Watches events=&["arrived", "changed", "replay"] />
        {tabs}
        <div class="stack steady">{shown(read, |view| view! { <Shown view state query /> }.into_any())}</div>
    }
    .into_any()
}

/// A page of groups, those with the most and worst letters that wait first; in one state unless `state` is empty.
async fn read(state: String, cursor: String, merge: String) -> Result<GroupsView, ApiError> {
    let state = match state.as_str() {
        "" => None,
        word => {
            Some(word.parse().map_err(|why: NotAGroupState| ApiError::invalid(why.to_string()))?)
        }
    };
    let page = desk().groups(state, api::cursor(&cursor)?, PAGE).await?;
    if merge.is_empty() {
        return Ok(GroupsView { page, merging: None });
    }
    let merging = desk().group(api::id::<GroupId>(&merge, "group")?).await?;
    Ok(GroupsView { page, merging: Some(merging.summary) })
}

/// One link a state.
fn states(state: &str, merge: &str) -> impl IntoView + use<> {
    let tab = |word: &'static str, text: &'static str| {
        let current = (state == word).then_some("page");
        view! {
            <a
                href=links::with_query(links::GROUPS, [("state", word), ("merge", merge)])
                aria-current=current
            >
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
}

#[component]
fn Shown(view: GroupsView, state: String, query: Query) -> impl IntoView {
    let GroupsView { page, merging } = view;
    let into = merging.as_ref().map(|group| group.id);
    view! {
        {merging.map(|group| view! { <Merging group /> })}
        <List page state query merging=into />
    }
    .into_any()
}

#[component]
fn List(
    page: Page<GroupSummary>,
    state: String,
    query: Query,
    merging: Option<GroupId>,
) -> impl IntoView {
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
            <GroupTable groups=page.items now=now() merging />
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
