//! The way of a letter: where it died, why, and where it came to us.

use chrono::{DateTime, Utc};
use dlo_domain::letter::Letter;
use leptos::prelude::*;

use crate::components::{Ago, LongText};
use crate::visible::{show_line, show_name, show_within};
use crate::wording;

/// Origin, reason, source.
#[component]
pub(super) fn RouteLine(
    /// The letter.
    letter: Letter,
    /// What is told around its failure.
    told: Vec<String>,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let summary = letter.summary;
    let claimed = summary.origin_claimed.then(|| {
        view! {
            <small class="claimed">
                "not confirmed: only the message says so. The broker’s bindings and policies do not show that "
                "dead letters of this queue come to " {show_name(&summary.source)} ", and the source does not list it."
            </small>
        }
    });
    let exchange = match summary.exchange.as_deref() {
        None => "by an unknown exchange".to_owned(),
        Some("") => "by the default exchange".to_owned(),
        Some(name) => format!("by exchange {}", show_within(name)),
    };
    let error = summary.error_message.map(|message| {
        let class = summary.error_class;
        let class = class.map(|class| format!("{}: ", show_line(&class)));
        view! { <div class="message">{class} <LongText text=message /></div> }
    });
    let told = told.into_iter().map(|line| view! { <small>{show_line(&line)}</small> });
    let which = wording::ordinal(summary.arrivals);
    view! {
        <div class="route">
            <div>
                <span class="label">"died on"</span>
                <span class="value">{show_name(summary.queue.as_deref().unwrap_or("unknown"))}</span>
                <small>
                    {exchange} {summary.routing_key.map(|key| format!(", key {}", show_within(&key)))}
                </small>
                {claimed}
                {letter.worker.map(|worker| view! { <small>"meant for " {show_name(&worker)}</small> })}
            </div>
            <Arrow />
            <div>
                <span class="label">"because"</span>
                <span class="value">{wording::reason(summary.reason)}</span>
                <small>{wording::reason_sentence(summary.reason)}</small>
                {error}
                {told.collect_view()}
            </div>
            <Arrow />
            <div>
                <span class="label">"came to"</span>
                <span class="value">{show_name(&summary.source)}</span>
                <small>
                    {which} " arrival, " <Ago at=summary.last_arrived_at now spoken=true />
                </small>
                <small>"vhost " {show_name(&letter.vhost)}</small>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Arrow() -> impl IntoView {
    view! {
        <div class="arrow">
            <svg
                width="44"
                height="16"
                viewBox="0 0 44 16"
                fill="none"
                stroke="currentColor"
                aria-hidden="true"
            >
                <path d="M0 8h42M36 2.5 42.5 8 36 13.5"></path>
            </svg>
        </div>
    }
    .into_any()
}
