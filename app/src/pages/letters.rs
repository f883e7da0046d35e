//! Which letters?

mod bulk_bar;
mod claimed_mark;
mod fields;
mod filter_bar;
mod limits;
mod matching;
mod row;
mod table;
mod views;

use chrono::{DateTime, Utc};
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Page;
use dlo_islands::{ArrivalsPill, ToastPlace};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::frame::{Islands, Watches, shown};
use super::outcome::Outcome;
use crate::api::letters::RestoreLetters;
use crate::components::{Instant, Pager, kept};
use crate::desk::desk;
use crate::error::ApiError;
use crate::query::Query;
use crate::request::now;
use crate::{api, links, wording};
use filter_bar::FilterBar;
use limits::{Limits, SearchLimits};
use matching::Matching;
pub(super) use row::told;
use table::LetterTable;

/// Letters on one page of the list.
const PAGE: u32 = 50;

/// What the page lists.
struct LetterList {
    /// When it was read.
    now: DateTime<Utc>,
    /// The letters.
    page: Page<LetterSummary>,
    /// When the newest letter that matches had arrived, on whichever page it stands; the beginning of time when none
    /// matches.
    newest: DateTime<Utc>,
}

/// The list of letters under its filter.
#[component]
pub(crate) fn LettersPage() -> impl IntoView {
    let query = Query::of_request();
    let filter = links::filter_of(&query);
    let list = filter.as_ref().ok().map(|filter| {
        let (filter, cursor) = (filter.clone(), query.get("cursor").unwrap_or_default());
        let (read, query) = (read(filter.clone(), cursor), query.clone());
        shown(read, move |list| view! { <List list filter query /> }.into_any())
    });
    view! {
        <Title text="Letters" />
        // Letters that come, or change, are told by a pill: the list stays as it is read.
        <Watches events=&[] />
        <h1 class="visually-hidden">"Letters"</h1>
        <Outcome />
        <FilterBar filter query />
        {list}
        <ToastPlace restore=RestoreLetters::PATH.to_owned() />
        // Behind what is read.
        <Islands />
    }
    .into_any()
}

async fn read(filter: LetterFilter, cursor: String) -> Result<LetterList, ApiError> {
    let (desk, after) = (desk(), api::cursor(&cursor)?);
    let page = desk.letters(&filter, after, PAGE).await?;
    let first = match after {
        None => page.items.first().cloned(),
        Some(_) => desk.letters(&filter, None, 1).await?.items.pop(),
    };
    let newest = first.map_or(DateTime::UNIX_EPOCH, |letter| letter.last_arrived_at);
    Ok(LetterList { now: now(), page, newest })
}

#[component]
fn List(list: LetterList, filter: LetterFilter, query: Query) -> impl IntoView {
    let LetterList { now, page, newest } = list;
    let total = page.total();
    let letters = page.items.iter().map(|letter| letter.id).collect();
    let back = links::with_query(links::LETTERS, kept(&query).pairs());
    let limits = Limits::of(&page);
    let (next, text) = (page.next_cursor, filter.to_string());
    let told_limits = view! { <SearchLimits limits filter=filter.clone() /> };
    let body = if page.items.is_empty() {
        let is_filtered = !filter.is_empty();
        view! { {(!limits.are_met()).then(|| view! { <Nothing is_filtered /> })} }.into_any()
    } else {
        let states: Vec<_> = page.items.iter().map(|letter| letter.state).collect();
        view! {
            <LetterTable letters=page.items total now back=back.clone() />
            <Matching filter total states back />
        }
        .into_any()
    };
    view! {
        // It never moves under the pointer: it is read again when somebody asks for it.
        <div data-kept="" data-now=wording::machine(now)>
            <section class="section" aria-labelledby="list-title">
                <header>
                    <h2 id="list-title">{wording::how_many(total, "letter")}</h2>
                    <span class="note">"last death first, as of " <Instant at=now /></span>
                    <Hints />
                </header>
                <ArrivalsPill read_at=now filter=text newest shown=letters />
                {body}
                {told_limits}
            </section>
            <Pager path=links::LETTERS.to_owned() query next label="letters" />
        </div>
    }
    .into_any()
}

/// The keys of a list.
#[component]
fn Hints() -> impl IntoView {
    view! {
        <span class="end hints needs-script">
            <span class="second">
                <kbd>"j"</kbd>
                " "
                <kbd>"k"</kbd>
                " move"
            </span>
            <span class="second">
                <kbd>"x"</kbd>
                " select"
            </span>
            <span class="second">
                <kbd>"Enter"</kbd>
                " open"
            </span>
        </span>
    }
    .into_any()
}

#[component]
fn Nothing(is_filtered: bool) -> impl IntoView {
    if is_filtered {
        view! {
            <p class="empty">
                "No letter matches this filter. " <a href=links::LETTERS>"Show all letters"</a>
            </p>
        }
        .into_any()
    } else {
        view! {
            <p class="empty">
                "No letter has come yet. Letters come from sources: "
                <a href="/sources">"see which queues are watched, and add one"</a> "."
            </p>
        }
        .into_any()
    }
}
