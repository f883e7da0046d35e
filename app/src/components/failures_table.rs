//! What fails most.

use chrono::{DateTime, Utc};
use dlo_domain::filter::{FilterForm, Moment};
use dlo_domain::overview::{FailureRow, Span};
use dlo_domain::state::LetterState;
use leptos::prelude::*;

use super::{Ago, SeverityMark};
use crate::{links, wording};

/// Failures by queue, reason and error class, the most frequent first.
#[component]
pub(crate) fn FailuresTable(
    /// The failures.
    failures: Vec<FailureRow>,
    /// Within this span.
    span: Span,
    /// When they were counted.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <table class="ledger failures">
            <thead>
                <tr>
                    <th class="far">"severity"</th>
                    <th>"what fails the same way"</th>
                    <th class="far">"on"</th>
                    <th class="num" aria-sort="descending">
                        "letters"
                    </th>
                    <th class="num far">"held"</th>
                    <th class="num far">"last"</th>
                </tr>
            </thead>
            <tbody>
                {failures.into_iter().map(|failure| row(failure, span, now)).collect_view()}
            </tbody>
        </table>
    }
    .into_any()
}

fn row(failure: FailureRow, span: Span, now: DateTime<Utc>) -> impl IntoView {
    let filter = FilterForm {
        queue: failure.queue.clone(),
        reason: Some(failure.reason),
        error_class: failure.error_class.clone(),
        since: Some(Moment::Ago(span.seconds())),
        ..FilterForm::default()
    };
    let held = links::letters(&FilterForm {
        state: Some(LetterState::Held),
        ..filter.clone()
    });
    let all = links::letters(&filter);
    let queue = failure.queue.unwrap_or_else(|| "not told".to_owned());
    let reason = wording::reason(failure.reason);
    let what = match (failure.error_class, failure.sample) {
        (Some(class), sample) => view! {
            <b title=class.clone()>{wording::short_class(&class).to_owned()}</b>
            {sample.map(|sample| format!(": {sample}"))}
        }
        .into_any(),
        (None, Some(sample)) => sample.into_any(),
        (None, None) => view! {
            <b>{reason}</b>
            ", no error reported"
        }
        .into_any(),
    };
    view! {
        <tr data-row="">
            <td class="fit far">
                <SeverityMark severity=failure.severity />
            </td>
            <td class="fill clip">
                <a class="template" href=all.clone()>
                    {what}
                </a>
                <div class="sub">
                    <SeverityMark severity=failure.severity />
                    <span class="id">{queue.clone()}</span>
                    <span>{reason}</span>
                </div>
            </td>
            <td class="fit far">
                <span class="id">{queue}</span>
            </td>
            <td class="fit num">
                <a href=all>{wording::count(failure.letters)}</a>
            </td>
            <td class="fit num far">
                <a href=held>{wording::count(failure.held)}</a>
            </td>
            <td class="fit num far second">
                <Ago at=failure.last_arrived_at now />
            </td>
        </tr>
    }
    .into_any()
}
