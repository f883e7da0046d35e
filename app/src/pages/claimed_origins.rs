//! Letters of which only the message says where they died.

use dlo_domain::replay::{ClaimedOrigin, ClaimedOrigins};
use leptos::prelude::*;

use crate::visible::{show_line, show_name};
use crate::wording;

/// Queues that are named one by one.
const MOST_NAMED: usize = 10;

/// Of what claimed origins are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimedOf {
    /// A replay that is only tried.
    DryRun,
    /// A replay that was made.
    Replay,
    /// The newest letters of a group that are held.
    Group,
}

/// The letters of a replay or a group whose origin is claimed: how many, where they claim to come from, and what
/// to do about it.
#[component]
pub(super) fn ClaimedOriginsNote(
    /// What is told of them.
    claimed: Option<ClaimedOrigins>,
    /// Of what.
    of: ClaimedOf,
) -> impl IntoView {
    let Some(claimed) = claimed else {
        return ().into_any();
    };
    let letters = wording::counted(claimed.letters, "letter");
    let what_now = match (claimed.included, of) {
        (true, _) => "They are included, as chosen below.",
        (false, ClaimedOf::DryRun) => {
            "They are left out. Look at the queues below: if the messages belong there, check \
             “take letters that only claim their origin” and look again."
        }
        (false, ClaimedOf::Replay) => "They were left out.",
        (false, ClaimedOf::Group) => {
            "Retry policies do not send them there, and a replay leaves them out unless you say otherwise."
        }
    };
    let others = claimed.origins.len().saturating_sub(MOST_NAMED);
    let others = (others > 0).then(|| format!("and {others} more"));
    view! {
        <section class="section" aria-labelledby="claimed-title">
            <header>
                <h2 id="claimed-title">"Origin not confirmed: " {letters}</h2>
                <span class="note">"only the message itself says where it died"</span>
            </header>
            <p class="note-line">
                "The broker’s bindings and policies do not show that dead letters of these queues come to "
                "this source, and the source does not list them. Anybody who can publish to the source "
                "can write such a message. " {what_now}
            </p>
            <ul class="left-out">
                {claimed.origins.into_iter().take(MOST_NAMED).map(line).collect_view()}
                {others.map(|others| view! { <li><span></span><span>{others}</span></li> })}
            </ul>
        </section>
    }
    .into_any()
}

fn line(origin: ClaimedOrigin) -> impl IntoView {
    let place = match (origin.queue, origin.exchange) {
        (Some(queue), _) => queue,
        (None, Some(exchange)) => {
            let name =
                if exchange.is_empty() { "the default exchange".to_owned() } else { exchange };
            match origin.routing_key {
                Some(key) => format!("{name}, key {key}"),
                None => name,
            }
        }
        (None, None) => "no queue named".to_owned(),
    };
    view! {
        <li>
            <b>{wording::count(origin.letters)}</b>
            <span>
                <bdi class="id">{show_line(&place)}</bdi>
                <small>" from the source " {show_name(&origin.source)}</small>
            </span>
        </li>
    }
}
