//! What became of one execution, and which letters tell of it?

mod acting;
mod view;

use chrono::{DateTime, Utc};
use dlo_domain::execution::{Execution, ExecutionDetail, NamedBy};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::executions::table::{attempt, badge};
use super::frame::{Watches, shown};
use super::outcome::Outcome;
use super::said::said;
use crate::components::{Ago, Moment, Spoken};
use crate::pages::head::{PageHead, above, crumbs, here_named};
use crate::pages::some_letters::{LetterSet, SomeLetters};
use crate::request::now;
use crate::visible::{show_line, show_lines, show_name, show_within};
use crate::{links, wording};
use acting::EndExecution;
use view::{ExecutionView, Held};

/// One execution.
#[component]
pub(crate) fn ExecutionPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let read = async move { view::read(&id).await };
    view! {
        <Title text="Execution" />
        <Watches events=&["executions", "changed"] />
        <Outcome />
        {shown(read, |view| view! { <Sheet view /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Sheet(view: ExecutionView) -> impl IntoView {
    let ExecutionView { detail: ExecutionDetail { execution, result, letters }, held } = view;
    let result = result.and_then(|result| serde_json::to_string_pretty(&result).ok());
    let is_open = !execution.state.is_terminal() && !execution.is_read;
    view! {
        <Head execution=execution.clone() />
        <div class="split">
            <div class="stack">
                <Letters letters held execution=execution.id.clone() />
                {result.map(|result| view! { <Outcomes result /> })}
            </div>
            <div class="stack sooner">
                <Course course=view::course(&execution) />
                {is_open.then(|| view! { <Ending id=execution.id /> })}
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Head(execution: Execution) -> impl IntoView {
    let (now, heading, badge) = (now(), view::standing(&execution), badge(&execution));
    let attempt = attempt(&execution).map(|attempt| view! { <span>"attempt " {attempt}</span> });
    let worker = execution.worker.map(|worker| {
        view! {
            <a href=links::worker(&worker)>{format!("worker {}", show_within(&worker))}</a>
            <a href=links::executions_of(&worker)>"its other executions"</a>
        }
    });
    let by = execution
        .failed_by
        .map(|by| view! { <span>"by " <span class="id">{show_name(&by)}</span></span> });
    let error = execution.error.filter(|error| !error.is_empty());
    view! {
        <PageHead
            crumbs=crumbs([above("Executions", links::EXECUTIONS), here_named(show_name(&execution.id))])
            heading=show_line(&heading).into_any()
        >
            <p class="meta">
                {badge} <span>"since " <Ago at=execution.state_since now spoken=true /></span>
                {worker} {attempt} {by}
            </p>
            {error.map(|text| view! { <p class="stop-line"><Spoken text /></p> })}
        </PageHead>
    }
    .into_any()
}

#[component]
fn Outcomes(result: String) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="result-title">
            <header>
                <h2 id="result-title">"What came of it"</h2>
            </header>
            <pre class="body" tabindex="0" role="group" aria-label="The result">
                {show_lines(&result)}
            </pre>
        </section>
    }
    .into_any()
}

#[component]
fn Letters(letters: Vec<NamedBy>, held: Held, execution: String) -> impl IntoView {
    let now = now();
    let all = links::letters_of_execution(&execution);
    let count = i64::try_from(letters.len()).unwrap_or(i64::MAX);
    let list = letters
        .into_iter()
        .map(|by| {
            let (id, at) = (by.letter_id.to_string(), by.arrived_at);
            let href = format!("{}/{id}", links::LETTERS);
            view! {
                <li>
                    <Ago at now />
                    <span>
                        <a class="id" href=href>
                            {wording::short(&id)}
                        </a>
                        " "
                        {said(view::said_of(by))}
                    </span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="section" aria-labelledby="letters-title">
            <header>
                <h2 id="letters-title">"Its dead letters"</h2>
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
                view! { <p class="empty">"No dead letter refers to this execution."</p> }.into_any()
            } else {
                view! {
                    {(held.count > 0)
                        .then(|| {
                            let words = wording::counted(held.count, "held letter");
                            let back = links::execution(&execution);
                            view! { <SomeLetters letters=LetterSet::Matching(held.filter) words back /> }
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
fn Course(course: Vec<(&'static str, DateTime<Utc>)>) -> impl IntoView {
    let rows = course
        .into_iter()
        .map(|(word, at)| {
            view! {
                <div>
                    <dt>{word}</dt>
                    <dd>
                        <Moment at />
                    </dd>
                </div>
            }
        })
        .collect_view();
    view! {
        <section class="section" aria-labelledby="course-title">
            <header>
                <h2 id="course-title">"Course"</h2>
                <span class="note">"when it was reported here"</span>
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
