//! Workers, each with its silence as a bar against the line at which it is stale.

use dlo_domain::filter::FilterForm;
use dlo_domain::worker::{Condition, MISSED, Probe, Worker};
use leptos::prelude::*;

use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// The table.
#[component]
pub(crate) fn WorkerTable(
    /// What is in it.
    rows: Vec<Worker>,
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

fn row(worker: Worker) -> impl IntoView {
    let queue = worker.queue.clone().map(|queue| {
        let name = show_name(&queue);
        let form = FilterForm { queue: Some(queue), ..FilterForm::default() };
        view! {
            <a class="id" href=links::letters(&form)>
                {name}
            </a>
        }
    });
    let (load, href) = (load(&worker), links::worker(&worker.name));
    let version = || worker.version.as_deref().map(show_name);
    let away = worker.down_today_seconds;
    view! {
        <tr>
            <th scope="row">
                <a class="id" href=href.clone()>
                    {show_name(&worker.name)}
                </a>
                <div class="sub">
                    {(!load.is_empty()).then(|| view! { <span>{load.clone()}</span> })}
                    <span>{version()}</span>
                </div>
            </th>
            <td class="fit">
                <WorkerBadge condition=worker.condition />
            </td>
            <td class="fit num">{silence(&worker)}</td>
            <td class="beat-cell">
                <Beat bar=bar(&worker) condition=worker.condition />
            </td>
            <td class="fit num far">{load}</td>
            <td class="fit mid">{queue}</td>
            <td class="fit mid">
                <span class="id">{version()}</span>
            </td>
            <td class="fit mid second">{show_line(&probe(&worker))}</td>
            <td class="fit num far">{(away > 0).then(|| wording::span(away))}</td>
            <td class="fit num">{letters(&worker)}</td>
        </tr>
    }
    .into_any()
}

/// How many letters died in its queue in the last hour; leads to them. Nothing where it names none.
fn letters(worker: &Worker) -> AnyView {
    match worker.letters_last_hour {
        None => ().into_any(),
        Some(0) => view! { <span class="quiet">"0"</span> }.into_any(),
        Some(many) => {
            let href = links::letters_of_worker(&worker.name);
            view! { <a href=href>{wording::count(many)}</a> }.into_any()
        }
    }
}

/// How a worker is: colour, shape and word.
#[component]
pub(in crate::pages) fn WorkerBadge(
    /// How.
    condition: Condition,
) -> impl IntoView {
    let class = match condition {
        Condition::Stale => "sev critical",
        Condition::Draining => "state scheduled",
        Condition::Stopped => "state discarded",
        Condition::Fresh => "condition",
    };
    view! { <span class=class>{condition.as_str()}</span> }.into_any()
}

/// The silence as a bar: the dashed line is where the worker is stale.
#[component]
fn Beat(bar: u8, condition: Condition) -> impl IntoView {
    view! {
        <svg class="beat" data-condition=condition.as_str() aria-hidden="true">
            <rect class="age" y="11.5" width=format!("{bar}%") height="9"></rect>
            <line class="stale-line" x1="50%" x2="50%" y1="0" y2="32"></line>
        </svg>
    }
    .into_any()
}

/// What it has in hand, of so much: `7/16`.
pub(in crate::pages) fn load(worker: &Worker) -> String {
    match (worker.running, worker.capacity) {
        (Some(running), Some(capacity)) => format!("{running}/{capacity}"),
        (Some(running), None) => running.to_string(),
        (None, _) => String::new(),
    }
}

/// How long it has not been heard.
pub(in crate::pages) fn silence(worker: &Worker) -> String {
    match worker.silent_ms / 1_000 {
        0 => "now".to_owned(),
        seconds => wording::span(seconds),
    }
}

/// Its silence against the line at which it is stale, which stands at 50; from 0 to 100.
fn bar(worker: &Worker) -> u8 {
    let line = i64::from(worker.interval_ms) * i64::from(MISSED);
    let percent = worker.silent_ms.saturating_mul(50) / line.max(1);
    u8::try_from(percent.clamp(0, 100)).unwrap_or(100)
}

/// What its own address says; empty where it has none.
pub(in crate::pages) fn probe(worker: &Worker) -> String {
    let Some(probe) = &worker.probe else {
        return String::new();
    };
    if worker.condition == Condition::Stale {
        return "not probed, already stale".to_owned();
    }
    probe_words(probe)
}

fn probe_words(probe: &Probe) -> String {
    let answer = probe.status.zip(probe.millis);
    match (answer, &probe.fault) {
        (Some((status, millis)), _) => format!("{status} in {millis} ms"),
        (None, Some(fault)) => fault.clone(),
        (None, None) => "not yet".to_owned(),
    }
}
