//! What became of one execution, and which letters tell of it?

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::api::Said;
use crate::api::executions::{EndExecution, ExecutionSheet, read_execution};
use crate::components::{Ago, ErrorPanel, Live, Notice, SomeLetters, Spoken, Waiting, Which, said};
use crate::visible::{show_line, show_lines, show_name, show_within};
use crate::{links, wording};

/// One execution. Its forms are plain ones: each answer is a page.
#[component]
pub(crate) fn ExecutionPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let version =
        Live::current().version(|event| matches!(event, LiveEvent::Executions | LiveEvent::Missed));
    let execution = Resource::new(move || (id.get(), version.get()), |(id, _)| read_execution(id));
    view! {
        <Title text="Execution" />
        <Notice />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match execution.await {
                    Ok(sheet) => view! { <Sheet sheet /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Sheet(sheet: ExecutionSheet) -> impl IntoView {
    let now = sheet.now;
    let row = sheet.row;
    let worker = (!row.worker.is_empty()).then(|| {
        view! {
            <a href=links::worker(&row.worker)>{format!("worker {}", show_within(&row.worker))}</a>
            <a href=links::executions_of(&row.worker)>"its other executions"</a>
        }
    });
    let attempt =
        (!row.attempt.is_empty()).then(|| view! { <span>"attempt " {row.attempt}</span> });
    let by = (!sheet.ended_by.is_empty())
        .then(|| view! { <span>"by " <span class="id">{show_name(&sheet.ended_by)}</span></span> });
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::EXECUTIONS>"Executions"</a>
                    </li>
                    <li class="id">{show_name(&row.id)}</li>
                </ol>
                <h1>{show_line(&sheet.heading)}</h1>
                <p class="meta">
                    <span class=format!("state {}", row.state.1)>{row.state.0}</span>
                    <span>"since " <Ago at=row.since now spoken=true /></span>
                    {worker}
                    {attempt}
                    {by}
                </p>
                {(!row.error.is_empty()).then(|| view! { <p class="stop-line"><Spoken text=row.error /></p> })}
            </div>
        </div>
        <div class="split">
            <div class="stack">
                <Letters
                    letters=sheet.letters
                    waiting=sheet.waiting
                    back=links::execution(&row.id)
                    all=links::letters_of_execution(&row.id)
                    now
                />
                {(!sheet.result.is_empty())
                    .then(|| {
                        view! {
                            <section class="section" aria-labelledby="result-title">
                                <header>
                                    <h2 id="result-title">"What came of it"</h2>
                                </header>
                                <pre class="body" tabindex="0" role="group" aria-label="The result">
                                    {show_lines(&sheet.result)}
                                </pre>
                            </section>
                        }
                    })}
            </div>
            <div class="stack sooner">
                <Course course=sheet.course />
                {sheet.is_open.then(|| view! { <Ending id=row.id /> })}
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Letters(
    letters: Vec<(String, chrono::DateTime<chrono::Utc>, Said)>,
    waiting: (i64, String),
    back: String,
    all: String,
    now: chrono::DateTime<chrono::Utc>,
) -> impl IntoView {
    let (held, filter) = waiting;
    let count = i64::try_from(letters.len()).unwrap_or(i64::MAX);
    let list = letters
        .into_iter()
        .map(|(id, at, did)| {
            let href = format!("{}/{id}", links::LETTERS);
            view! {
                <li>
                    <Ago at now />
                    <span>
                        <a class="id" href=href>
                            {wording::short(&id)}
                        </a>
                        " "
                        {said(did)}
                    </span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="section" aria-labelledby="letters-title">
            <header>
                <h2 id="letters-title">"Dead letters that name it"</h2>
                <span class="note">{wording::count(count)}</span>
                {(count > 0)
                    .then(|| {
                        view! {
                            <span class="end">
                                <a href=all>"in the list of letters"</a>
                            </span>
                        }
                    })}
            </header>
            {if count == 0 {
                view! { <p class="empty">"No dead letter names this execution."</p> }.into_any()
            } else {
                view! {
                    {(held > 0)
                        .then(|| {
                            let words = wording::counted(held, "held letter");
                            view! { <SomeLetters letters=Which::Matching(filter) words back /> }
                        })}
                    <ul class="log">{list}</ul>
                }
                    .into_any()
            }}
        </section>
    }
    .into_any()
}

#[component]
fn Course(course: Vec<(String, chrono::DateTime<chrono::Utc>)>) -> impl IntoView {
    let rows = course
        .into_iter()
        .map(|(word, at)| {
            view! {
                <div>
                    <dt>{word}</dt>
                    <dd>
                        <time datetime=wording::machine(at)>{wording::absolute(at)}</time>
                    </dd>
                </div>
            }
        })
        .collect_view();
    view! {
        <section class="section" aria-labelledby="course-title">
            <header>
                <h2 id="course-title">"Course"</h2>
                <span class="note">"when it was told here"</span>
            </header>
            <dl class="slip course">{rows}</dl>
        </section>
    }
    .into_any()
}

/// Ending it by hand.
#[component]
fn Ending(id: String) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="end-title">
            <header>
                <h2 id="end-title">"End it"</h2>
                <span class="note">"the worker's next report of this attempt is refused"</span>
            </header>
            <form method="post" action=EndExecution::PATH class="source-form">
                <input type="hidden" name="id" value=id />
                <label class="field">
                    <span>"Reason"</span>
                    <input name="reason" required maxlength="1000" autocomplete="off" />
                </label>
                <p class="actions">
                    <button class="button" type="submit" name="word" value="failed">
                        "Fail it"
                    </button>
                    <button class="button" type="submit" name="word" value="cancelled">
                        "Cancel it"
                    </button>
                </p>
            </form>
        </section>
    }
    .into_any()
}
