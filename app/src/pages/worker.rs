//! How is one worker, and when was it away?

mod acting;
pub(super) mod view;

use dlo_domain::worker::{Condition, Downtime, Worker, WorkerReport};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::{Watches, shown};
use super::one_axis::OneAxis;
use super::outcome::Outcome;
use super::said::{Link, fact, said};
use super::workers::table::WorkerBadge;
use crate::components::Spoken;
use crate::links;
use crate::pages::head::{PageHead, above, crumbs, named};
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_lines, show_within};
use acting::DrainWorker;
use view::WorkerView;

/// One worker.
#[component]
pub(crate) fn WorkerPage() -> impl IntoView {
    let name = use_params_map().with_untracked(|path| path.get("name").unwrap_or_default());
    let reach = Query::of_request().get("reach").unwrap_or_default();
    let read = async move { view::read(&name, &reach).await };
    view! {
        <Title text="Worker" />
        <Watches events=&["workers", "executions"] />
        <Outcome />
        {shown(read, |view| view! { <Sheet view /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Sheet(view: WorkerView) -> impl IntoView {
    let (heading, facts, opinion, replay) =
        (view.heading(), view.facts(), view.opinion(), view.replay());
    let WorkerView { report: WorkerReport { worker, metadata, downtimes, .. }, drawing, .. } = view;
    let metadata =
        (!metadata.is_empty()).then(|| serde_json::to_string_pretty(&metadata).unwrap_or_default());
    let name = worker.name.clone();
    let executions = links::executions_of(&name);
    let kind = links::with_query(links::WORKERS, [("kind", &*worker.kind)]);
    let letters = worker.queue.is_some().then(|| {
        let href = links::letters_of_worker(&name);
        view! { <a href=href>"letters that died in its queue"</a> }
    });
    view! {
        <PageHead
            crumbs=crumbs([above("Workers", links::WORKERS), named(&worker.kind, kind)])
            heading=said(heading)
        >
            <p class="meta">
                <WorkerBadge condition=worker.condition />
                {letters}
                <a href=executions>"its executions"</a>
                {replay.map(|Link { href, words }| view! { <a class="button" href=href>{show_line(&words)}</a> })}
            </p>
            {opinion.map(|opinion| view! { <p class="note-line">{opinion}</p> })}
        </PageHead>
        <section class="section" aria-labelledby="facts-title">
            <header>
                <h2 id="facts-title">"What is known of it"</h2>
            </header>
            <dl class="slip">{facts.into_iter().map(fact).collect_view()}</dl>
            {metadata
                .map(|metadata| {
                    view! {
                        <pre class="metadata" tabindex="0" aria-label="Metadata">
                            {show_lines(&metadata)}
                        </pre>
                    }
                })}
        </section>
        {drain(&worker)}
        <OneAxis drawing page=(links::worker(&name), Vec::new()) />
        <Downtimes spans=downtimes />
    }
    .into_any()
}

fn drain(worker: &Worker) -> impl IntoView + use<> {
    let (name, is_drained) = (&*worker.name, worker.drained_by.is_some());
    let can_drain = !is_drained && worker.condition != Condition::Stopped;
    let can_activate = worker.condition == Condition::Draining
        || worker.condition == Condition::Stale && is_drained;
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
        let note = "it stays draining, whatever it reports, until it stops or you take it back";
        form(true, format!("Drain {}", show_within(name)), note)
    });
    let activates = can_activate.then(|| {
        form(false, format!("Take {} back into work", show_within(name)), "it may have work again")
    });
    view! { <div class="drains">{drains}{activates}</div> }.into_any()
}

#[component]
fn Downtimes(spans: Vec<Downtime>) -> impl IntoView {
    if spans.is_empty() {
        return view! { <p class="empty">"No silences on record."</p> }.into_any();
    }
    let now = now();
    let row = |away: Downtime| {
        let (since, until, lasted) = view::downtime(away, now);
        view! {
            <tr>
                <td><Spoken text=since /></td>
                <td><Spoken text=until /></td>
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
