//! Which failure is worst?

mod table;

use dlo_domain::group::{GroupState, GroupSummary, NotAGroupState};
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
use table::GroupTable;

/// Groups on one page of the list.
const PAGE: u32 = 50;

/// The list of groups. Under a pointer nothing moves: what came meanwhile is shown when it leaves.
#[component]
pub(crate) fn GroupsPage() -> impl IntoView {
    let query = Query::of_request();
    let [state, cursor] = ["state", "cursor"].map(|name| query.get(name).unwrap_or_default());
    let tabs = states(&state);
    let read = read(state.clone(), cursor);
    view! {
        <Title text="Groups" />
        <Watches events=&["arrived", "changed", "replay"] />
        {tabs}
        <div class="stack steady">{shown(read, |page| view! { <List page state query /> }.into_any())}</div>
    }
    .into_any()
}

/// A page of groups, those with the most and worst letters that wait first; in one state unless `state` is empty.
async fn read(state: String, cursor: String) -> Result<Page<GroupSummary>, ApiError> {
    let state = match state.as_str() {
        "" => None,
        word => {
            Some(word.parse().map_err(|why: NotAGroupState| ApiError::invalid(why.to_string()))?)
        }
    };
    Ok(desk().groups(state, api::cursor(&cursor)?, PAGE).await?)
}

/// One link a state.
fn states(state: &str) -> impl IntoView + use<> {
    let tab = |word: &'static str, text: &'static str| {
        let current = (state == word).then_some("page");
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
}

#[component]
fn List(page: Page<GroupSummary>, state: String, query: Query) -> impl IntoView {
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
            <GroupTable groups=page.items now=now() />
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
