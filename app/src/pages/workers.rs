//! Which workers are silent?

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::Said;
use crate::api::executions::ExecutionRow;
use crate::api::workers::{KindRow, WorkerList, list_workers};
use crate::components::{
    ApiCommand, ErrorPanel, ExecutionTable, Live, Waiting, WorkerTable, said, slow_ticks,
};
use crate::links;
use crate::visible::show_name;

/// The workers. Their ages are read anew every ten seconds.
#[component]
pub(crate) fn WorkersPage() -> impl IntoView {
    let query = use_query_map();
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (state, kind, cursor) = (of("state"), of("kind"), of("cursor"));
    let version =
        Live::current().version(|event| matches!(event, LiveEvent::Workers | LiveEvent::Missed));
    let ticks = slow_ticks();
    let workers = Resource::new(
        move || (state.get(), kind.get(), cursor.get(), version.get(), ticks.get()),
        |(state, kind, cursor, ..)| list_workers(state, kind, cursor),
    );
    view! {
        <Title text="Workers" />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match workers.await {
                    Ok(list) => {
                        view! { <List list state=state.get_untracked() kind=kind.get_untracked() /> }
                            .into_any()
                    }
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn List(list: WorkerList, state: String, kind: String) -> impl IntoView {
    if list.is_empty {
        return view! { <Nobody heading=list.heading /> }.into_any();
    }
    let next = (!list.next.is_empty()).then(|| {
        let pairs = [("state", &*state), ("kind", &*kind), ("cursor", &*list.next)];
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
                <h1>{said(list.heading)}</h1>
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
                <h2 id="list-title">{list.total}</h2>
                <span class="note">{list.note}</span>
            </header>
            <WorkerTable rows=list.rows />
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
        <Stuck rows=list.stuck now=list.now />
        <Kinds kinds=list.kinds state />
    }
    .into_any()
}

/// Executions that stand still, and lead to their workers.
#[component]
fn Stuck(rows: Vec<ExecutionRow>, now: DateTime<Utc>) -> impl IntoView {
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
            <ExecutionTable rows now />
        </section>
    }
    .into_any()
}

/// Workers folded by what their names have in common.
#[component]
fn Kinds(kinds: Vec<KindRow>, state: String) -> impl IntoView {
    let row = move |row: KindRow| {
        let href = links::with_query(links::WORKERS, [("state", &*state), ("kind", &row.kind)]);
        view! {
            <tr>
                <th scope="row">
                    <a class="id" href=href>
                        {show_name(&row.kind)}
                    </a>
                </th>
                <td class="fit num">{row.total}</td>
                <td class="fit">
                    <span class="condition" data-well=(!row.is_ill).to_string()>
                        {row.says}
                    </span>
                </td>
            </tr>
        }
    };
    view! {
        <section class="section" aria-labelledby="kinds-title">
            <header>
                <h2 id="kinds-title">"Kinds"</h2>
                <span class="note">"names without what tells workers of a kind apart"</span>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"kind"</th>
                        <th class="num">"workers"</th>
                        <th>"how they are"</th>
                    </tr>
                </thead>
                <tbody>{kinds.into_iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
    .into_any()
}

/// How a worker is made to report.
#[component]
fn Nobody(heading: Said) -> impl IntoView {
    view! {
        <div class="answer">
            <div>
                <h1>{said(heading)}</h1>
                <p class="second">
                    "A worker that says every 10 seconds that it lives is shown here, and held for stale after three missed heartbeats. By HTTP, with a token of the role worker:"
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
