//! Which workers are silent?

pub(super) mod table;
mod view;

use dlo_domain::execution::Execution;
use dlo_domain::worker::KindSummary;
use leptos::prelude::*;
use leptos_meta::Title;

use super::command::ApiCommand;
use super::executions::table::ExecutionTable;
use super::frame::{Watches, shown};
use super::said::{Said, said};
use crate::query::Query;
use crate::request::now;
use crate::visible::show_name;
use crate::{links, wording};
use table::WorkerTable;
use view::WorkersView;

/// Kinds of one page.
const MOST_KINDS: usize = 500;

/// The workers.
#[component]
pub(crate) fn WorkersPage() -> impl IntoView {
    let query = Query::of_request();
    let [state, kind, cursor] =
        ["state", "kind", "cursor"].map(|name| query.get(name).unwrap_or_default());
    let asked = (state.clone(), kind.clone());
    let read = async move { view::read(&state, &kind, &cursor).await };
    let list = |view| {
        let (state, kind) = asked;
        view! { <List view state kind /> }.into_any()
    };
    view! {
        <Title text="Workers" />
        <Watches events=&["workers", "executions"] />
        {shown(read, list)}
    }
    .into_any()
}

#[component]
fn List(view: WorkersView, state: String, kind: String) -> impl IntoView {
    if view.kinds.is_empty() {
        return view! { <Nobody heading=view.heading /> }.into_any();
    }
    let total = wording::counted(view.page.estimated_total, "worker");
    let next = view.page.next_cursor.map(|next| {
        let pairs = [("state", &*state), ("kind", &*kind), ("cursor", &*next)];
        links::with_query(links::WORKERS, pairs)
    });
    let chosen = (!kind.is_empty()).then(|| {
        let all = links::with_query(links::WORKERS, [("state", &*state)]);
        view! {
            <p class="meta">
                <span>"of the kind " <span class="id">{show_name(&kind)}</span></span>
                <a href=all>"all kinds"</a>
            </p>
        }
    });
    view! {
        <div class="answer">
            <div>
                <h1>{said(view.heading)}</h1>
                {chosen}
            </div>
        </div>
        <nav class="tabs" aria-label="Which workers">
            {["", "stale", "draining", "fresh", "stopped"]
                .map(|word| {
                    let href = links::with_query(links::WORKERS, [("state", word), ("kind", &kind)]);
                    let text = if word.is_empty() { "all" } else { word };
                    let current = (word == state).then_some("page");
                    view! {
                        <a href=href aria-current=current>
                            {text}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{total}</h2>
                <span class="note">"stale after 3 missed heartbeats; draining workers are not stale"</span>
            </header>
            <WorkerTable rows=view.page.items />
            {next
                .map(|href| {
                    view! {
                        <nav class="pager" aria-label="Pages of workers">
                            <span class="end"></span>
                            <a class="button" href=href rel="next">
                                "More workers"
                            </a>
                        </nav>
                    }
                })}
        </section>
        <Stuck rows=view.stuck />
        <Kinds kinds=view.kinds state />
    }
    .into_any()
}

/// Executions that stand still, and lead to their workers.
#[component]
fn Stuck(rows: Vec<Execution>) -> impl IntoView {
    if rows.is_empty() {
        return ().into_any();
    }
    let all = links::with_query(links::EXECUTIONS, [("tab", "stuck")]);
    view! {
        <section class="section" aria-labelledby="stuck-title">
            <header>
                <h2 id="stuck-title">"Stuck executions"</h2>
                <span class="note">"waiting for longer than they may, the oldest first"</span>
                <span class="end">
                    <a href=all>"all that are stuck"</a>
                </span>
            </header>
            <ExecutionTable rows now=now() />
        </section>
    }
    .into_any()
}

/// Workers folded by what their names have in common.
#[component]
fn Kinds(kinds: Vec<KindSummary>, state: String) -> impl IntoView {
    let row = move |row: KindSummary| {
        let href = links::with_query(links::WORKERS, [("state", &*state), ("kind", &row.kind)]);
        view! {
            <tr>
                <th scope="row">
                    <a class="id" href=href>
                        {show_name(&row.kind)}
                    </a>
                </th>
                <td class="fit num">{wording::count(row.total())}</td>
                <td class="fit">
                    <span class="condition" data-well=(row.stale == 0).to_string()>
                        {conditions(&row)}
                    </span>
                </td>
            </tr>
        }
    };
    view! {
        <section class="section" aria-labelledby="kinds-title">
            <header>
                <h2 id="kinds-title">"Kinds"</h2>
                <span class="note">"names of workers without their number or random part"</span>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"kind"</th>
                        <th class="num">"workers"</th>
                        <th>"how they are"</th>
                    </tr>
                </thead>
                <tbody>{kinds.into_iter().take(MOST_KINDS).map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .into_any()
}

/// `2 stale, 5 fresh`.
fn conditions(kind: &KindSummary) -> String {
    let counts = [
        (kind.stale, "stale"),
        (kind.draining, "draining"),
        (kind.fresh, "fresh"),
        (kind.stopped, "stopped"),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let says = some.map(|(count, word)| format!("{} {word}", wording::count(*count)));
    says.collect::<Vec<_>>().join(", ")
}

/// How a worker is made to report.
#[component]
fn Nobody(heading: Said) -> impl IntoView {
    view! {
        <div class="answer">
            <div>
                <h1>{said(heading)}</h1>
                <p class="second">
                    "A worker that sends a heartbeat every 10 seconds is shown here; after three missed heartbeats it is stale. By HTTP, with a token of the role worker:"
                </p>
                <ApiCommand
                    path="workers/worker-1/heartbeat"
                    body=r#"{"running": 3, "capacity": 16, "queue": "worker.1.executions"}"#
                />
                <p class="second">
                    "Or as a message to the exchange " <span class="id">"dlo.fleet"</span>
                    " with the routing key " <span class="id">"heartbeat.worker-1"</span>
                    " and the same body, in which " <span class="id">"worker"</span> " is the name."
                </p>
            </div>
        </div>
    }
    .into_any()
}
