//! A few letters as examples: to be looked at, not to be acted on.

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use leptos::prelude::*;

use super::letters::told;
use crate::components::{Ago, SeverityMark};
use crate::links;
use crate::visible::show_name;

/// Letters, one a row.
#[component]
pub(super) fn LetterSamples(
    /// The letters.
    letters: Vec<LetterSummary>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let row = move |letter: LetterSummary| {
        let (severity, at) = (letter.severity, letter.last_arrived_at);
        let queue = letter.queue.clone();
        let queue = queue.unwrap_or_else(|| "unknown".to_owned());
        view! {
            <tr>
                <td class="fit far">
                    <SeverityMark severity />
                </td>
                <td class="fit num far">
                    <Ago at now />
                </td>
                <td class="fit far">
                    <span class="id">{show_name(&queue)}</span>
                </td>
                <td class="fill clip">
                    <a href=links::letter(letter.id)>{told(&letter)}</a>
                    <div class="sub">
                        <SeverityMark severity />
                        <Ago at now spoken=true />
                        <span class="id">{show_name(&queue)}</span>
                    </div>
                </td>
            </tr>
        }
    };
    view! {
        <table class="ledger">
            <thead>
                <tr>
                    <th class="far">"now"</th>
                    <th class="num far">"when"</th>
                    <th class="far">"queue"</th>
                    <th>"error"</th>
                </tr>
            </thead>
            <tbody>{letters.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
