//! The list of replays.

use chrono::{DateTime, Utc};
use dlo_domain::replay::{Outcome, Replay, Target};
use leptos::prelude::*;

use super::{Ago, ReplayBadge};
use crate::visible::{show_name, show_within};
use crate::{links, wording};

/// Where so many letters go, as people say it.
pub(crate) fn target_text(target: &Target, letters: i64) -> String {
    match target {
        Target::OriginQueue if letters == 1 => "the queue it died in".to_owned(),
        Target::OriginQueue => "the queues they died in".to_owned(),
        Target::OriginExchange if letters == 1 => "the exchange it was published to".to_owned(),
        Target::OriginExchange => "the exchanges they were published to".to_owned(),
        Target::Queue { queue } => show_within(queue),
        Target::Exchange { exchange, routing_key } => {
            format!("exchange {} with key {}", show_within(exchange), show_within(routing_key))
        }
        Target::Worker { worker } => format!("worker {}", show_within(worker)),
    }
}

/// Replays, newest first.
#[component]
pub(crate) fn ReplayTable(
    /// The replays.
    replays: Vec<Replay>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <table class="ledger">
            <thead>
                <tr>
                    <th class="num" aria-sort="descending">
                        "asked"
                    </th>
                    <th>"replay"</th>
                    <th class="far">"by"</th>
                    <th class="num">"went well"</th>
                    <th class="num far">"did not"</th>
                    <th class="num mid">"unknown"</th>
                    <th class="num mid">"pending"</th>
                    <th>"state"</th>
                </tr>
            </thead>
            <tbody>{replays.into_iter().map(|replay| row(replay, now)).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(replay: Replay, now: DateTime<Utc>) -> impl IntoView {
    let of = |outcomes: &[Outcome]| -> i64 {
        outcomes.iter().map(|outcome| replay.outcomes.of(*outcome)).sum()
    };
    let well = of(&[Outcome::Confirmed, Outcome::Processed, Outcome::Settled]);
    let not = of(&[Outcome::DiedAgain, Outcome::Refused, Outcome::Unroutable]);
    let what = format!(
        "{} to {}",
        wording::counted(replay.total, "letter"),
        target_text(&replay.target, replay.total)
    );
    let name = match replay.id {
        Some(id) => view! { <a href=links::replay(id)>{what}</a> }.into_any(),
        None => what.into_any(),
    };
    let by = show_name(&replay.created_by);
    view! {
        <tr data-row="">
            <td class="fit num">
                <Ago at=replay.created_at now />
            </td>
            <td class="main">
                {name}
                <div class="sub">
                    <span>{show_name(&replay.created_by)}</span>
                    {(not > 0).then(|| format!("{} did not go well", wording::count(not)))}
                </div>
            </td>
            <td class="fit far second">{by}</td>
            <td class="fit num">{wording::count(well)}</td>
            <td class="fit num far">{wording::count(not)}</td>
            <td class="fit num mid">{wording::count(replay.outcomes.unknown)}</td>
            <td class="fit num mid">{wording::count(replay.outcomes.pending)}</td>
            <td class="fit">
                <ReplayBadge state=replay.state />
            </td>
        </tr>
    }
    .into_any()
}
