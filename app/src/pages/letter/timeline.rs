//! What happened to a letter, from its first death to now.

mod events;

use dlo_domain::letter::Letter;
use leptos::prelude::*;

use crate::components::{Instant, Spoken, StateBadge};
use crate::links;
use crate::visible::{show_line, show_name};
use events::{Event, Kind, events};

/// Deaths, arrivals, replays and decisions in their order.
#[component]
pub(super) fn Timeline(
    /// The letter.
    letter: Letter,
) -> impl IntoView {
    let state = letter.summary.state;
    let left_out = letter
        .arrivals
        .iter()
        .map(|arrival| i64::from(arrival.omitted.deaths) + i64::from(arrival.omitted.notes))
        .sum::<i64>();
    // Not how often it died: brokers count that by queue and reason, and each stands below.
    let note = crate::wording::counted(letter.summary.arrivals.into(), "arrival");
    view! {
        <section class="section" aria-labelledby="timeline-title">
            <header>
                <h2 id="timeline-title">"What happened"</h2>
                <span class="note">{note}</span>
            </header>
            <ol class="timeline">
                {events(&letter).into_iter().map(entry).collect_view()} <li class="pause">
                    <span class="when">"now"</span>
                    <div>
                        <StateBadge state />
                    </div>
                </li>
            </ol>
            {(left_out > 0)
                .then(|| {
                    let more = crate::wording::counted(left_out, "more death or note");
                    view! { <p class="note-line">{format!("… and {more}, left out here.")}</p> }
                })}
        </section>
    }
    .into_any()
}

fn entry(event: Event) -> impl IntoView {
    let class = match event.kind {
        Kind::Death => "death",
        Kind::Good => "ok",
        Kind::Bad => "bad",
        Kind::Plain => "",
    };
    let title = show_line(&event.title);
    let title = match event.replay {
        Some(replay) => view! { <a href=links::replay(replay)>{title}</a> }.into_any(),
        None => title.into_any(),
    };
    view! {
        <li class=class>
            <span class="when">
                <Instant at=event.at />
            </span>
            <div>
                <b>{title}</b>
                {event
                    .place
                    .map(|place| {
                        view! {
                            " "
                            <span class="id">{show_name(&place)}</span>
                        }
                    })}
                {event.detail.map(|detail| view! { <small><Spoken text=detail /></small> })}
            </div>
        </li>
    }
    .into_any()
}
