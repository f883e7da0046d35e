//! What is stuck, and on whom?

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::executions::{ExecutionList, ExecutionTab, list_executions};
use crate::components::{ErrorPanel, ExecutionTable, Live, Pager, Waiting, said};
use crate::links;
use crate::visible::{show_line, show_lines};

/// The executions.
#[component]
pub(crate) fn ExecutionsPage() -> impl IntoView {
    let query = use_query_map();
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (tab, worker, cursor) = (of("tab"), of("worker"), of("cursor"));
    let version =
        Live::current().version(|event| matches!(event, LiveEvent::Executions | LiveEvent::Missed));
    let executions = Resource::new(
        move || (tab.get(), worker.get(), cursor.get(), version.get()),
        |(tab, worker, cursor, _)| list_executions(tab, worker, cursor),
    );
    view! {
        <Title text="Executions" />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match executions.await {
                    Ok(list) => {
                        view! { <List list tab=tab.get_untracked() worker=worker.get_untracked() /> }
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
fn List(list: ExecutionList, tab: String, worker: String) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let now = list.now;
    let figures =
        list.figures.into_iter().map(|figure| view! { <span>{figure}</span> }).collect_view();
    let of_worker = (!worker.is_empty()).then(|| {
        view! {
            <a class="end" href=links::EXECUTIONS>
                "of all workers"
            </a>
        }
    });
    let content = if list.rows.is_empty() {
        view! { <Nothing /> }.into_any()
    } else {
        view! { <ExecutionTable rows=list.rows now /> }.into_any()
    };
    view! {
        <div class="answer">
            <div>
                <h1>{said(list.heading)}</h1>
                <p class="meta">{figures}</p>
            </div>
        </div>
        {(!list.warning.is_empty()).then(|| view! { <p class="stop-line">{show_lines(&list.warning)}</p> })}
        <Tabs tabs=list.tabs tab worker />
        {(!list.stuck.is_empty())
            .then(|| {
                view! {
                    <section class="section" aria-labelledby="stuck-title">
                        <header>
                            <h2 id="stuck-title">"Stuck"</h2>
                            <span class="note">
                                "handed to a worker and not begun in time, the longest first; the monitor fails them"
                            </span>
                        </header>
                        <ExecutionTable rows=list.stuck now />
                    </section>
                }
            })}
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{show_line(&list.title)}</h2>
                {of_worker}
            </header>
            {content}
        </section>
        <Pager path=links::EXECUTIONS.to_owned() query next=list.next label="executions" />
    }
    .into_any()
}

#[component]
fn Tabs(tabs: Vec<ExecutionTab>, tab: String, worker: String) -> impl IntoView {
    let tabs = tabs
        .into_iter()
        .map(|ExecutionTab { word, text }| {
            let pairs = [("tab", &*word), ("worker", &*worker)];
            let href = links::with_query(links::EXECUTIONS, pairs);
            let current = (word == tab).then_some("page");
            view! {
                <a href=href aria-current=current>
                    {text}
                </a>
            }
        })
        .collect_view();
    view! {
        <nav class="tabs" aria-label="Which executions">
            {tabs}
        </nav>
    }
    .into_any()
}

#[component]
fn Nothing() -> impl IntoView {
    view! {
        <p class="empty">"No execution is like that."</p>
        <p class="note-line">
            "Schedulers and workers report with " <code>"POST /api/v1/executions/{id}"</code> ", such as "
            <code>r#"{"state": "scheduled", "worker": "worker-7"}"#</code> "."
        </p>
    }
    .into_any()
}
