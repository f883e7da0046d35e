//! A list of executions.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use super::{Ago, Spoken};
use crate::api::executions::ExecutionRow;
use crate::links;
use crate::visible::show_name;

/// Executions.
#[component]
pub(crate) fn ExecutionTable(
    /// What is listed.
    rows: Vec<ExecutionRow>,
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

fn row(row: ExecutionRow, now: DateTime<Utc>) -> AnyView {
    let href = links::execution(&row.id);
    let worker = (!row.worker.is_empty()).then(|| {
        view! {
            <a class="id" href=links::executions_of(&row.worker)>
                {show_name(&row.worker)}
            </a>
        }
    });
    view! {
        <tr data-row="">
            <td class="main fill">
                <div class="why">
                    <a class="id" href=href>
                        {show_name(&row.id)}
                    </a>
                    <span><Spoken text=row.error.clone() /></span>
                </div>
                <div class="sub">
                    <span>{show_name(&row.worker)}</span>
                    <Spoken text=row.error />
                </div>
            </td>
            <td class="fit">
                <span class=format!("state {}", row.state.1)>{row.state.0}</span>
            </td>
            <td class="fit num">
                <Ago at=row.since now />
            </td>
            <td class="fit mid">{worker}</td>
            <td class="fit num far">{row.attempt}</td>
        </tr>
    }
    .into_any()
}
