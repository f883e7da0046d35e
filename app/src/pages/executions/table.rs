//! A list of executions.

use chrono::{DateTime, Utc};
use dlo_domain::execution::{Execution, ExecutionState};
use leptos::prelude::*;

use crate::components::{Ago, Spoken};
use crate::links;
use crate::visible::show_name;

/// The word for executions that are stuck.
pub(in crate::pages) const STUCK: &str = "stuck";

/// Executions.
#[component]
pub(crate) fn ExecutionTable(
    /// What is listed.
    rows: Vec<Execution>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let rows = rows.into_iter().map(|one| row(one, now)).collect_view();
    view! {
        <table class="ledger executions">
            <thead>
                <tr>
                    <th>"execution"</th>
                    <th>"state"</th>
                    <th class="num">"age"</th>
                    <th class="mid">"worker"</th>
                    <th class="num far">"attempt"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn row(one: Execution, now: DateTime<Utc>) -> AnyView {
    let href = links::execution(&one.id);
    let worker = one.worker.as_ref().map(|worker| {
        view! {
            <a class="id" href=links::executions_of(worker)>
                {show_name(worker)}
            </a>
        }
    });
    let (badge, attempt) = (badge(&one), attempt(&one));
    let error = one.error.unwrap_or_default();
    view! {
        <tr>
            <td class="main fill">
                <div class="why">
                    <a class="id" href=href.clone()>
                        {show_name(&one.id)}
                    </a>
                    <span><Spoken text=error.clone() /></span>
                </div>
                <div class="sub">
                    <span>{one.worker.as_deref().map(show_name)}</span>
                    <Spoken text=error />
                </div>
            </td>
            <td class="fit">{badge}</td>
            <td class="fit num">
                <Ago at=one.state_since now />
            </td>
            <td class="fit mid">{worker}</td>
            <td class="fit num far">{attempt}</td>
        </tr>
    }
    .into_any()
}

/// Where an execution stands: a badge as those of letters that mean the same to whoever looks.
pub(in crate::pages) fn badge(execution: &Execution) -> AnyView {
    let class = match execution.state {
        _ if execution.is_stuck => "unknown",
        ExecutionState::Requested | ExecutionState::Scheduling => "held",
        ExecutionState::Scheduled => "scheduled",
        ExecutionState::Running => "claimed",
        ExecutionState::Completed => "resolved",
        ExecutionState::Failed | ExecutionState::TimedOut => "regressed",
        ExecutionState::Cancelled => "discarded",
    };
    let word = if execution.is_stuck { STUCK.to_owned() } else { word_of(execution.state) };
    view! { <span class=format!("state {class}")>{word}</span> }.into_any()
}

/// A state in a word or two.
pub(in crate::pages) fn word_of(state: ExecutionState) -> String {
    state.as_str().replace('_', " ")
}

/// Which attempt it is. `None` if there is but one.
pub(in crate::pages) fn attempt(execution: &Execution) -> Option<String> {
    let Execution { attempt, max_attempts, .. } = execution;
    (*max_attempts > 1).then(|| format!("{attempt} of {max_attempts}"))
}
