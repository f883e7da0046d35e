//! The letters of a replay and what came of each.

use dlo_domain::replay::ReplayItem;
use leptos::prelude::*;

use crate::components::{Instant, Spoken};
use crate::pages::outcome_key::{OutcomeKey, outcome_word};
use crate::visible::{show_lines, show_name};
use crate::{links, wording};

/// Letters in the order of publishing.
#[component]
pub(super) fn ReplayItems(
    /// The letters.
    items: Vec<ReplayItem>,
) -> impl IntoView {
    view! {
        <table class="ledger">
            <thead>
                <tr>
                    <th class="num far">"when"</th>
                    <th>"outcome"</th>
                    <th class="far">"to"</th>
                    <th>"note"</th>
                    <th class="far">"letter"</th>
                </tr>
            </thead>
            <tbody>{items.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(item: ReplayItem) -> impl IntoView {
    let href = links::letter(item.letter_id);
    let queue = item.queue.unwrap_or_default();
    let is_plain = item.detail.is_none();
    let detail = item.detail.unwrap_or_else(|| "open the letter".to_owned());
    view! {
        <tr>
            <td class="fit num far second">{item.at.map(|at| view! { <Instant at /> })}</td>
            <td class="fit">
                <span class="with-key">
                    <OutcomeKey outcome=item.outcome />
                    {outcome_word(item.outcome)}
                </span>
            </td>
            <td class="fit far">
                <span class="id">{show_name(&queue)}</span>
            </td>
            <td class="fill clip">
                <a href=href.clone() title=show_lines(&detail) class:quiet=is_plain>
                    <Spoken text=detail.clone() />
                </a>
                <div class="sub">
                    <span class="id">{show_name(&queue)}</span>
                </div>
            </td>
            <td class="fit far">
                <a class="id" href=href>
                    {wording::short(&item.letter_id)}
                </a>
            </td>
        </tr>
    }
    .into_any()
}
