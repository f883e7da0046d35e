//! The list of replays.

use chrono::{DateTime, Utc};
use dlo_domain::replay::{Outcome, Replay};
use leptos::prelude::*;

use crate::components::Ago;
use crate::pages::replay_badge::ReplayBadge;
use crate::pages::target_text::target_text;
use crate::visible::show_name;
use crate::{links, wording};

/// Replays, newest first.
#[component]
pub(super) fn ReplayTable(
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
        <tr>
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
