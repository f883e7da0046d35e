//! What is this letter, what killed it, what happened since?

use dlo_domain::arrival::Arrival;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::letters::{LetterRead, read_letter, read_payload, read_related};
use crate::components::{
    Arrivals, AuditLog, Decisions, ErrorNote, ErrorPanel, LetterActions, LetterHead, LetterReplays,
    LetterRetriesView, Live, Notice, Particulars, PropertiesTable, RouteLine, Timeline, Toasts,
    Waiting, WireTable,
};
use crate::error::ApiError;
use crate::visible::{show_line, show_lines};
use crate::wording::counted;

/// A part of the page as it is to be shown, made by the server.
type MadePart = Resource<Result<String, ApiError>>;

/// One letter.
#[component]
pub(crate) fn LetterPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let arrival = Memo::new(move |_| {
        query.with(|query| {
            let number = query.get_str("arrival").and_then(|text| text.parse::<i32>().ok());
            number.unwrap_or(0)
        })
    });
    let view = Memo::new(move |_| {
        let of = |name| query.with(|query| query.get(name).unwrap_or_default());
        (of("view"), of("from").parse().unwrap_or(0))
    });
    let decisions = Decisions::new();
    let toasts = Toasts::current();
    let version = Live::current().version(move |event| match event {
        LiveEvent::Changed { letters } | LiveEvent::Exhausted { letters } => {
            letters.iter().any(|letter| letter.to_string() == id.get_untracked())
        }
        LiveEvent::Arrived { died_again, .. } => *died_again > 0,
        LiveEvent::Replay { .. } | LiveEvent::Executions => true,
        LiveEvent::Source { .. }
        | LiveEvent::Rules
        | LiveEvent::Policies
        | LiveEvent::Workers
        | LiveEvent::Topology
        | LiveEvent::Alerts
        | LiveEvent::Channels
        | LiveEvent::Missed => false,
    });
    let letter = Resource::new(
        move || (id.get(), arrival.get(), version.get(), decisions.version(), toasts.version()),
        |(id, arrival, ..)| read_letter(id, arrival),
    );
    let related: MadePart =
        Resource::new(move || (id.get(), version.get()), |(id, _)| read_related(id));
    let payload: MadePart = Resource::new(
        move || (id.get(), arrival.get(), view.get(), version.get()),
        |(id, arrival, (view, from), _)| read_payload(id, arrival, view, from),
    );
    view! {
        <Title text=move || format!("Letter {}", show_line(&crate::wording::short(&id.get()))) />
        <Notice />
        <ErrorNote error=Signal::derive(move || decisions.error()) />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match letter.await {
                    Ok(read) => {
                        view! {
                            <Read
                                read
                                arrival=arrival.get()
                                payload
                                related
                                decisions
                            />
                        }
                            .into_any()
                    }
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Read(
    read: LetterRead,
    arrival: i32,
    payload: MadePart,
    related: MadePart,
    decisions: Decisions,
) -> impl IntoView {
    let LetterRead { now, letter, told, trace, stack, shown } = read;
    let id = letter.summary.id;
    let last = letter.arrivals.last().map_or(1, |last| last.ordinal);
    let number = if arrival > 0 { arrival } else { last };
    let which = if number == last { String::new() } else { format!(", as of arrival {number}") };
    view! {
        <div class="answer">
            <LetterHead letter=letter.clone() />
            <LetterActions letter=letter.summary.clone() decisions />
        </div>
        <RouteLine letter=letter.clone() told now />
        // In the order of importance, as it stands on a telephone; a wide window has two columns.
        <div class="letter-parts">
            <div class="stack history">
                <LetterRetriesView letter=letter.clone() />
                <Timeline letter=letter.clone() />
                <LetterReplays id replays=letter.replays.clone() omitted=letter.omitted.replays />
            </div>
            <div class="stack content">
                <Transition>
                    // Another view changes this part alone: a page that is made anew loses clicks.
                    {move || Suspend::new(async move {
                        match payload.await {
                            Ok(shown) => made("payload", "payload-title", shown),
                            Err(error) => unmade(&error),
                        }
                    })}
                </Transition>
                {stack.map(|stack| made("", "trace-title", stack))}
                {shown.map(|arrival| view! { <Headers id arrival which /> })}
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
                <Particulars letter=letter.clone() trace now />
                <Transition>
                    {move || Suspend::new(async move {
                        match related.await {
                            Ok(shown) if shown.is_empty() => ().into_any(),
                            Ok(shown) => made("", "related-title", shown),
                            Err(error) => unmade(&error),
                        }
                    })}
                </Transition>
                <AuditLog entries=letter.audit omitted=letter.omitted.audit />
            </div>
        </div>
    }
    .into_any()
}

/// In the place of such a section: why it could not be made.
fn unmade(error: &ApiError) -> AnyView {
    view! { <p class="error-note">{show_lines(&error.to_string())}</p> }.into_any()
}

/// A section whose inside the server has made.
fn made(id: &'static str, title: &'static str, inside: String) -> AnyView {
    let id = (!id.is_empty()).then_some(id);
    view! { <section class="section" id=id aria-labelledby=title inner_html=inside></section> }
        .into_any()
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
