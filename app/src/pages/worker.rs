//! How is one worker, and when was it away?

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::Said;
use crate::api::timeline::{Drawing, read_timeline};
use crate::api::workers::{DrainWorker, WorkerSheet, read_worker};
use crate::components::{
    ErrorPanel, Live, Notice, OneAxis, Waiting, WorkerBadge, said, slow_ticks, track_each,
};
use crate::links;
use crate::visible::{show_line, show_lines, show_name, show_within};

/// One worker. Its forms are plain ones: each answer is a page.
#[component]
pub(crate) fn WorkerPage() -> impl IntoView {
    let params = use_params_map();
    let name = Memo::new(move |_| params.with(|all| all.get("name").unwrap_or_default()));
    let version =
        Live::current().version(|event| matches!(event, LiveEvent::Workers | LiveEvent::Missed));
    let ticks = slow_ticks();
    let worker = Resource::new(
        move || (name.get(), version.get(), ticks.get()),
        |(name, ..)| read_worker(name),
    );
    let query = use_query_map();
    let reach = Memo::new(move |_| query.with(|query| query.get("reach").unwrap_or_default()));
    let drawing = Resource::new(
        move || (name.get(), reach.get(), version.get(), ticks.get()),
        |(name, reach, ..)| read_timeline("worker".to_owned(), name, reach),
    );
    view! {
        <Title text="Worker" />
        <Notice />
        <Transition fallback=Waiting>
            {move || {
                track_each(&[&worker, &drawing]);
                Suspend::new(async move {
                    match (worker.await, drawing.await) {
                        (Ok(sheet), Ok(drawing)) => view! { <Sheet sheet drawing /> }.into_any(),
                        (Err(error), _) | (_, Err(error)) => {
                            view! { <ErrorPanel error /> }.into_any()
                        }
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Sheet(sheet: WorkerSheet, drawing: Drawing) -> impl IntoView {
    let name = sheet.row.name.clone();
    let kind = links::with_query(links::WORKERS, [("kind", &*sheet.kind)]);
    let letters = (!sheet.row.queue.is_empty()).then(|| {
        let href = links::letters_of_worker(&name);
        view! { <a href=href>"letters that died in its queue"</a> }
    });
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::WORKERS>"Workers"</a>
                    </li>
                    <li>
                        <a class="id" href=kind>
                            {show_name(&sheet.kind)}
                        </a>
                    </li>
                </ol>
                <h1>{said(sheet.heading)}</h1>
                <p class="meta">
                    <WorkerBadge condition=sheet.row.condition />
                    {letters}
                    <a href=links::executions_of(&name)>"its executions"</a>
                    {sheet.replay.map(|(href, words)| view! { <a class="button" href=href>{show_line(&words)}</a> })}
                </p>
                {(!sheet.opinion.is_empty())
                    .then(|| view! { <p class="note-line">{show_lines(&sheet.opinion)}</p> })}
            </div>
        </div>
        <section class="section" aria-labelledby="facts-title">
            <header>
                <h2 id="facts-title">"What is known of it"</h2>
            </header>
            <dl class="slip">{sheet.facts.into_iter().map(fact).collect_view()}</dl>
            {(!sheet.metadata.is_empty())
                .then(|| {
                    view! {
                        <pre class="metadata" tabindex="0" aria-label="Metadata">
                            {show_lines(&sheet.metadata)}
                        </pre>
                    }
                })}
        </section>
        {drain(&name, sheet.can_drain, sheet.can_activate)}
        <OneAxis drawing page=(links::worker(&name), Vec::new()) />
        <Downtimes spans=sheet.downtimes />
    }
    .into_any()
}

fn fact((name, value): (String, Said)) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{said(value)}</dd>
        </div>
    }
    .into_any()
}

fn drain(name: &str, can_drain: bool, can_activate: bool) -> impl IntoView + use<> {
    let form = |drains: bool, says: String, note: &'static str| {
        view! {
            <form method="post" action=DrainWorker::PATH class="drain">
                <input type="hidden" name="name" value=name />
                <input type="hidden" name="drains" value=drains.to_string() />
                <button class="button" type="submit">
                    {says}
                </button>
                <span class="second">{note}</span>
            </form>
        }
        .into_any()
    };
    let drains = can_drain.then(|| {
        let note = "it counts as draining, whatever it says, until it stops or you take it back";
        form(true, format!("Drain {}", show_within(name)), note)
    });
    let activates = can_activate.then(|| {
        form(false, format!("Take {} back into work", show_within(name)), "it may have work again")
    });
    view! { <div class="drains">{drains}{activates}</div> }.into_any()
}

#[component]
fn Downtimes(spans: Vec<(String, String, String)>) -> impl IntoView {
    if spans.is_empty() {
        return view! { <p class="empty">"It never fell silent, as far as is remembered."</p> }
            .into_any();
    }
    let row = |(since, until, lasted): (String, String, String)| {
        view! {
            <tr>
                <td>{since}</td>
                <td>{until}</td>
                <td class="fit num">{lasted}</td>
            </tr>
        }
    };
    view! {
        <section class="section" aria-labelledby="away-title">
            <header>
                <h2 id="away-title">"When it was away"</h2>
                <span class="note">"from its last sign of life to the next, newest first"</span>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"since"</th>
                        <th>"until"</th>
                        <th class="num">"for"</th>
                    </tr>
                </thead>
                <tbody>{spans.into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .into_any()
}
