//! Which replays were there, and how did they go?

mod table;

use dlo_domain::page::Page;
use dlo_domain::replay::{Makers, Replay, UnknownMakers};
use dlo_domain::state::LetterState;
use leptos::prelude::*;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use crate::components::Pager;
use crate::desk::desk;
use crate::error::ApiError;
use crate::query::Query;
use crate::request::now;
use crate::{api, links, wording};
use table::ReplayTable;

/// Replays on one page of the list.
const PAGE: u32 = 50;

/// The list of replays.
#[component]
pub(crate) fn ReplaysPage() -> impl IntoView {
    let query = Query::of_request();
    let [by, cursor] = ["by", "cursor"].map(|name| query.get(name).unwrap_or_default());
    let read = read(by.clone(), cursor);
    view! {
        <Title text="Replays" />
        <Watches events=&["replay"] />
        {whose(&by)}
        {shown(read, |page| view! { <List page by query /> }.into_any())}
    }
    .into_any()
}

/// A page of replays, newest first; `by` says whose, as in the API; nothing says people's.
async fn read(by: String, cursor: String) -> Result<Page<Replay>, ApiError> {
    let by = match by.as_str() {
        "" => Makers::People,
        word => word.parse().map_err(|why: UnknownMakers| ApiError::invalid(why.to_string()))?,
    };
    Ok(desk().replays(by, api::cursor(&cursor)?, PAGE).await?)
}

/// One link for each kind of makers: policies make so many replays that people's are lost between them.
fn whose(by: &str) -> impl IntoView + use<> {
    let tab = |word: &'static str, text: &'static str| {
        let current = (by == word).then_some("page");
        view! {
            <a href=links::with_query(links::REPLAYS, [("by", word)]) aria-current=current>
                {text}
            </a>
        }
    };
    let of_one = by.strip_prefix("policy:").map(|policy| {
        view! {
            <a href=links::replays_of(policy) aria-current="page">
                "one policy"
            </a>
        }
    });
    view! {
        <nav class="tabs" aria-label="Replays by">
            {tab("", "people")} {tab("policies", "retry policies")} {of_one}
            {tab("handler", "dead-letter handler")} {tab("all", "all")}
        </nav>
    }
}

/// What stands where the list would, while there is nothing of it.
#[component]
fn Nothing(by: String) -> impl IntoView {
    let says = match by.as_str() {
        "" | "all" => return view! { <Beginning /> }.into_any(),
        "policies" => "No replays by retry policies.",
        "handler" => "No replays by the dead-letter handler.",
        _ => "No replays by this retry policy.",
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
                <h1>"No replays yet."</h1>
                <p class="second">
                    "A replay publishes letters again, to the queue they died in or to another. "
                    <a href=links::letters_in(
                        LetterState::Held,
                    )>"Select some held letters"</a> " and plan a replay of them: this page says what became of each."
                </p>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn List(page: Page<Replay>, by: String, query: Query) -> impl IntoView {
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
            <ReplayTable replays=page.items now=now() />
        </section>
        <Pager path=links::REPLAYS.to_owned() query next label="replays" />
    }
    .into_any()
}
