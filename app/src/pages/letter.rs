//! What is this letter, what killed it, what happened since?

mod acting;
mod actions;
mod arrivals;
mod audit;
mod head;
mod older;
mod particulars;
mod payload;
mod properties;
mod related;
mod replays;
mod retries;
mod route;
mod stack_trace;
mod timeline;
mod wire_table;

use dlo_domain::arrival::Arrival;
use dlo_domain::budget::ShownBudget;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::{ARRIVALS_BUDGET, Letter};
use dlo_domain::relations::RelatedLetters;
use futures_util::future::join3;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use crate::api;
use crate::desk::desk;
use crate::error::ApiError;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_lines};
use crate::wording::{self, counted};
use actions::LetterActions;
use arrivals::Arrivals;
use audit::AuditLog;
use head::LetterHead;
use particulars::Particulars;
use properties::PropertiesTable;
use related::RelatedLettersView;
use replays::LetterReplays;
use retries::LetterRetriesView;
use route::RouteLine;
use stack_trace::StackTrace;
use timeline::Timeline;
use wire_table::WireTable;

/// What the page shows.
struct LetterView {
    /// The letter.
    letter: Letter,
    /// The number of the arrival whose body and headers are shown.
    number: i32,
    /// That arrival, as far as a page has room for it; `None` if there is none of this number.
    arrival: Option<Arrival>,
    /// Its body, as it is shown.
    payload: Result<AnyView, ApiError>,
    /// The letters that have something in common with it.
    related: Result<Vec<RelatedLetters>, ApiError>,
}

/// One letter.
#[component]
pub(crate) fn LetterPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let query = Query::of_request();
    let title = format!("Letter {}", show_line(&wording::short(&id)));
    view! {
        <Title text=title />
        <Watches events=&["changed", "exhausted", "arrived", "replay", "executions"] />
        <Outcome />
        {shown(read(id, query), |view| view! { <Shown view /> }.into_any())}
    }
    .into_any()
}

/// A letter with one of its arrivals, the last one unless the address names another.
async fn read(id: String, query: Query) -> Result<LetterView, ApiError> {
    let id: LetterId = api::id(&id, "letter")?;
    let number = |name| query.get_str(name).and_then(|text| text.parse().ok()).unwrap_or(0);
    let (asked, from) = (number("arrival"), number("from"));
    let (letter, payload, related) = join3(
        desk().letter(id),
        payload::payload(id, asked, query.get_str("view").unwrap_or_default(), from.into()),
        desk().related_letters(id),
    )
    .await;
    let letter = letter?;
    let last = letter.arrivals.last().map_or(1, |last| last.ordinal);
    let number = if asked > 0 { asked } else { last };
    let arrival = arrival(&letter, number, last).await?;
    Ok(LetterView { letter, number, arrival, payload, related: related.map_err(ApiError::from) })
}

/// One arrival of a letter: as the letter has it, or read by itself where newer ones took the room in the letter.
async fn arrival(letter: &Letter, number: i32, last: i32) -> Result<Option<Arrival>, ApiError> {
    let known = letter.arrivals.iter().find(|one| one.ordinal == number);
    if let Some(known) = known.filter(|known| number == last || known.omitted.is_nothing()) {
        return Ok(Some(known.clone()));
    }
    if !(1..=last).contains(&number) {
        return Ok(None);
    }
    let mut arrival = desk().arrival(letter.summary.id, number).await?;
    arrival.cut_to(&mut ShownBudget::new(ARRIVALS_BUDGET));
    Ok(Some(arrival))
}

#[component]
fn Shown(view: LetterView) -> impl IntoView {
    let LetterView { letter, number, arrival, payload, related } = view;
    let now = now();
    let id = letter.summary.id;
    let last = letter.arrivals.last().map_or(1, |last| last.ordinal);
    let which = if number == last { String::new() } else { format!(", as of arrival {number}") };
    let stack = letter.stack_trace.clone().map(|trace| {
        view! { <StackTrace trace omitted_bytes=letter.omitted.stack_trace_bytes /> }
    });
    view! {
        <div class="answer">
            <LetterHead letter=letter.clone() />
            <LetterActions letter=letter.summary.clone() />
        </div>
        <RouteLine letter=letter.clone() told=letter.told() now />
        // In the order of importance, as it stands on a telephone; a wide window has two columns.
        <div class="letter-parts">
            <div class="stack history">
                <LetterRetriesView letter=letter.clone() />
                <Timeline letter=letter.clone() />
                <LetterReplays id replays=letter.replays.clone() omitted=letter.omitted.replays />
            </div>
            <div class="stack content">
                {payload.unwrap_or_else(|error| unread(&error))}
                {stack}
                {arrival.map(|arrival| view! { <Headers id arrival which /> })}
            </div>
            <div class="stack">
                <Arrivals
                    id
                    arrivals=letter.arrivals.clone()
                    replays=letter.replays.clone()
                    omitted=letter.omitted.arrivals
                    shown=number
                    now
                />
                <Particulars letter=letter.clone() trace=letter.circumstances.traceparent.clone() now />
                <RelatedLettersView related />
                <AuditLog entries=letter.audit omitted=letter.omitted.audit />
            </div>
        </div>
    }
    .into_any()
}

/// In the place of a part of the page: why it could not be read.
fn unread(error: &ApiError) -> AnyView {
    view! { <p class="error-note">{show_lines(&error.to_string())}</p> }.into_any()
}

/// The headers and properties of an arrival.
#[component]
fn Headers(id: LetterId, arrival: Arrival, which: String) -> impl IntoView {
    let omitted = i64::from(arrival.omitted.headers);
    let more = (omitted > 0).then(|| {
        let address = format!("GET /api/v1/letters/{id}/arrivals/{}", arrival.ordinal);
        view! {
            <p class="note-line">
                {format!("… and {} that are left out or cut here. ", counted(omitted, "more value"))}
                <code>{address}</code> " has all of them."
            </p>
        }
    });
    view! {
        <section class="section" aria-labelledby="headers-title">
            <header>
                <h2 id="headers-title">"Headers"</h2>
                <span class="note">{arrival.headers.0.len()} {which}</span>
            </header>
            <WireTable table=arrival.headers />
            {more}
        </section>
        <PropertiesTable properties=arrival.properties />
    }
    .into_any()
}
