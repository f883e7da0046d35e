//! Every time that a letter's message reached a source.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::LetterReplay;
use leptos::prelude::*;

use super::older::older;
use crate::components::Ago;
use crate::visible::show_name;
use crate::{links, wording};

/// The arrivals of a letter, newest first; a click shows one of them.
#[component]
pub(super) fn Arrivals(
    /// The letter.
    id: LetterId,
    /// Its arrivals, oldest first.
    arrivals: Vec<Arrival>,
    /// The replays of it, which may have sent another body.
    replays: Vec<LetterReplay>,
    /// How many older ones are left out.
    omitted: u32,
    /// The one whose body and headers are shown.
    shown: i32,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let comings = comings(&arrivals, &replays);
    let note = if omitted == 0 {
        summary(&comings).to_owned()
    } else {
        format!("the last {}: {}", comings.len(), summary(&comings))
    };
    view! {
        <section class="section" aria-labelledby="arrivals-title">
            <header>
                <h2 id="arrivals-title">"Arrivals"</h2>
                <span class="note">
                    {note}
                </span>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th class="num">"no."</th>
                        <th>"when"</th>
                        <th class="far">"came by"</th>
                        <th class="num">"size"</th>
                        <th>"body"</th>
                    </tr>
                </thead>
                <tbody>
                    {arrivals
                        .into_iter()
                        .zip(comings)
                        .rev()
                        .map(|(arrival, coming)| {
                            let is_shown = arrival.ordinal == shown;
                            let ordinal = arrival.ordinal.to_string();
                            let href = links::with_query(
                                &links::letter(id),
                                [("arrival", ordinal.as_str())],
                            );
                            let exchange = if arrival.exchange.is_empty() {
                                "default exchange".to_owned()
                            } else {
                                arrival.exchange
                            };
                            view! {
                                <tr class:current=is_shown>
                                    <td class="num fit">{ordinal}</td>
                                    <td class="fit">
                                        <Ago at=arrival.arrived_at now spoken=true />
                                    </td>
                                    <td class="far">
                                        <span class="id">{show_name(&exchange)} ", " {show_name(&arrival.routing_key)}</span>
                                    </td>
                                    <td class="num fit">{wording::size(arrival.size_bytes)}</td>
                                    <td class="fit">
                                        <a
                                            href=href
                                            title=format!("SHA-256 {}", arrival.body_sha256)
                                            aria-current=is_shown.then_some("true")
                                        >
                                            {if is_shown { "shown here" } else { "show" }}
                                        </a>
                                        {words(coming)
                                            .map(|words| {
                                                let href = links::arrival(id, arrival.ordinal);
                                                view! { <a class="quiet" href=href><small>{words}</small></a> }
                                            })}
                                    </td>
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
            {older(omitted, "arrival")}
        </section>
    }
    .into_any()
}

/// How the body of an arrival compares with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    /// There is none before it.
    First,
    /// It is what arrived before.
    Same,
    /// It is another one.
    Other,
    /// It is what a replay had sent in place of what arrived before.
    AsSent,
    /// It is not what a replay had sent in place of what arrived before.
    NotAsSent,
}

/// What each arrival is, oldest first. One that a replay sent changed is compared with what was sent.
fn comings(arrivals: &[Arrival], replays: &[LetterReplay]) -> Vec<Coming> {
    let mut before: Option<&Arrival> = None;
    let mut comings = Vec::with_capacity(arrivals.len());
    for arrival in arrivals {
        let by = arrival.replay_id;
        let mut sent = replays.iter().filter(|one| Some(one.replay_id) == by);
        let sent = sent.find_map(|one| one.sent.as_ref());
        comings.push(match (before, sent) {
            (None, _) => Coming::First,
            (Some(_), Some(sent)) if sent.body_sha256 == arrival.body_sha256 => Coming::AsSent,
            (Some(_), Some(_)) => Coming::NotAsSent,
            (Some(before), None) if before.body_sha256 == arrival.body_sha256 => Coming::Same,
            (Some(_), None) => Coming::Other,
        });
        before = Some(arrival);
    }
    comings
}

fn summary(comings: &[Coming]) -> &'static str {
    let has = |coming| comings.contains(&coming);
    if comings.len() <= 1 {
        "1"
    } else if has(Coming::Other) || has(Coming::NotAsSent) {
        "the body changed between them"
    } else if has(Coming::AsSent) {
        "the body was each time what was sent"
    } else {
        "the body was the same each time"
    }
}

fn words(coming: Coming) -> Option<&'static str> {
    match coming {
        Coming::First => None,
        Coming::Same => Some("the same body"),
        Coming::Other => Some("a different body"),
        Coming::AsSent => Some("as the replay sent it, changed"),
        Coming::NotAsSent => Some("not as the replay sent it"),
    }
}

#[cfg(test)]
mod tests;
