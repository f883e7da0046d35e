//! What is stuck, and on whom?

pub(super) mod table;
pub(super) mod view;

use leptos::prelude::*;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use super::said::said;
use crate::components::Pager;
use crate::links;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_lines};
use table::ExecutionTable;
use view::ExecutionsView;

/// The executions.
#[component]
pub(crate) fn ExecutionsPage() -> impl IntoView {
    let query = Query::of_request();
    let [tab, worker, cursor] =
        ["tab", "worker", "cursor"].map(|name| query.get(name).unwrap_or_default());
    let read = async move { view::read(&tab, worker, &cursor).await };
    view! {
        <Title text="Executions" />
        <Watches events=&["executions"] />
        {shown(read, |view| view! { <List view query /> }.into_any())}
    }
    .into_any()
}

#[component]
fn List(view: ExecutionsView, query: Query) -> impl IntoView {
    let now = now();
    let (heading, title, warning) = (view.heading(), view.title(), view.warning());
    let figures =
        view.told().into_iter().map(|figure| view! { <span>{figure}</span> }).collect_view();
    let tabs = tabs(&view);
    let of_worker = view.query.worker.is_some().then(|| {
        view! {
            <a class="end" href=links::EXECUTIONS>
                "of all workers"
            </a>
        }
    });
    let content = if view.page.items.is_empty() {
        view! { <Nothing /> }.into_any()
    } else {
        view! { <ExecutionTable rows=view.page.items now /> }.into_any()
    };
    view! {
        <div class="answer">
            <div>
                <h1>{said(heading)}</h1>
                <p class="meta">{figures}</p>
            </div>
        </div>
        {(!warning.is_empty()).then(|| view! { <p class="stop-line">{show_lines(&warning)}</p> })}
        {tabs}
        {(!view.stuck.is_empty())
            .then(|| {
                view! {
                    <section class="section" aria-labelledby="stuck-title">
                        <header>
                            <h2 id="stuck-title">"Stuck"</h2>
                            <span class="note">
                                "handed to a worker and not begun in time, the longest first; the monitor fails them"
                            </span>
                        </header>
                        <ExecutionTable rows=view.stuck now />
                    </section>
                }
            })}
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{show_line(&title)}</h2>
                {of_worker}
            </header>
            {content}
        </section>
        <Pager path=links::EXECUTIONS.to_owned() query next=view.page.next_cursor label="executions" />
    }
    .into_any()
}

/// The lists there are.
fn tabs(view: &ExecutionsView) -> impl IntoView + use<> {
    let worker = view.query.worker.as_deref().unwrap_or_default();
    let here = match view.query.state {
        _ if view.query.stuck => table::STUCK,
        Some(state) => state.as_str(),
        None => "",
    };
    let tabs = view.tabs().into_iter().map(|(word, text)| {
        let href = links::with_query(links::EXECUTIONS, [("tab", word), ("worker", worker)]);
        let current = (word == here).then_some("page");
        view! {
            <a href=href aria-current=current>
                {text}
            </a>
        }
    });
    view! {
        <nav class="tabs" aria-label="Which executions">
            {tabs.collect_view()}
        </nav>
    }
}

#[component]
fn Nothing() -> impl IntoView {
    view! {
        <p class="empty">"No execution matches."</p>
        <p class="note-line">
            "Schedulers and workers report with " <code>"POST /api/v1/executions/{id}"</code> ", such as "
            <code>r#"{"state": "scheduled", "worker": "worker-7"}"#</code> "."
        </p>
    }
    .into_any()
}
