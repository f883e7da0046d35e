//! Workers, each with its silence as a bar against the line at which it is stale.

use dlo_domain::filter::FilterForm;
use leptos::prelude::*;

use crate::api::workers::WorkerRow;
use crate::links;
use crate::visible::{show_line, show_name};

/// The table.
#[component]
pub(crate) fn WorkerTable(
    /// What is in it.
    rows: Vec<WorkerRow>,
) -> impl IntoView {
    view! {
        <table class="ledger workers">
            <thead>
                <tr>
                    <th>"worker"</th>
                    <th>"state"</th>
                    <th class="num">"heartbeat"</th>
                    <th>
                        <span class="visually-hidden">"heartbeat against the stale line"</span>
                        <div class="beat-scale" aria-hidden="true">
                            <span>"0"</span>
                            <span>"stale"</span>
                            <span>"2×"</span>
                        </div>
                    </th>
                    <th class="num far">"running"</th>
                    <th class="mid">"queue"</th>
                    <th class="mid">"version"</th>
                    <th class="mid">"probe"</th>
                    <th class="num far">"away today"</th>
                    <th class="num">"letters, 1 h"</th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(row: WorkerRow) -> impl IntoView {
    let queue = (!row.queue.is_empty()).then(|| {
        let href =
            links::letters(&FilterForm { queue: Some(row.queue.clone()), ..FilterForm::default() });
        view! {
            <a class="id" href=href>
                {show_name(&row.queue)}
            </a>
        }
    });
    view! {
        <tr data-row="">
            <th scope="row">
                <a class="id" href=links::worker(&row.name)>
                    {show_name(&row.name)}
                </a>
                <div class="sub">
                    {(!row.load.is_empty()).then(|| view! { <span>{row.load.clone()}</span> })}
                    <span>{show_name(&row.version)}</span>
                </div>
            </th>
            <td class="fit">
                <WorkerBadge condition=row.condition.clone() />
            </td>
            <td class="fit num">{row.silent}</td>
            <td class="beat-cell">
                <Beat bar=row.bar condition=row.condition />
            </td>
            <td class="fit num far">{row.load}</td>
            <td class="fit mid">{queue}</td>
            <td class="fit mid">
                <span class="id">{show_name(&row.version)}</span>
            </td>
            <td class="fit mid second">{show_line(&row.probe)}</td>
            <td class="fit num far">{row.down}</td>
            <td class="fit num">
                <Letters of=row.name count=row.letters />
            </td>
        </tr>
    }
    .into_any()
}

/// How many letters died in its queue; leads to them.
#[component]
fn Letters(of: String, count: String) -> impl IntoView {
    match &*count {
        "" => ().into_any(),
        "0" => view! { <span class="quiet">"0"</span> }.into_any(),
        _ => view! { <a href=links::letters_of_worker(&of)>{count}</a> }.into_any(),
    }
}

/// How a worker is: colour, shape and word.
#[component]
pub(crate) fn WorkerBadge(
    /// The word.
    condition: String,
) -> impl IntoView {
    let class = match &*condition {
        "stale" => "sev critical",
        "draining" => "state scheduled",
        "stopped" => "state discarded",
        _ => "condition",
    };
    view! { <span class=class>{condition}</span> }.into_any()
}

/// The silence as a bar: the dashed line is where the worker is stale.
#[component]
fn Beat(bar: u8, condition: String) -> impl IntoView {
    view! {
        <svg class="beat" data-condition=condition aria-hidden="true">
            <rect class="age" y="11.5" width=format!("{bar}%") height="9"></rect>
            <line class="stale-line" x1="50%" x2="50%" y1="0" y2="32"></line>
        </svg>
    }
    .into_any()
}
