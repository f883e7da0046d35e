//! The list of letters as a form: rows are checked, and a button says what becomes of them.

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Total;
use dlo_domain::state::{Change, LetterState};
use dlo_islands::SelectAll;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::bulk_bar::BulkBar;
use super::row::LetterRow;
use crate::api::letters::HoldLetters;
use crate::wording;

/// The letters of one page and the bar that acts on the checked ones.
#[component]
pub(super) fn LetterTable(
    /// The letters.
    letters: Vec<LetterSummary>,
    /// How many match the filter.
    total: Total,
    /// When they were read.
    now: DateTime<Utc>,
    /// The page's own address, to come back to.
    back: String,
) -> impl IntoView {
    let any = |change| {
        let allowing = LetterState::allowing(change);
        letters.iter().any(|letter| allowing.contains(&letter.state))
    };
    let (can_discard, can_restore) = (any(Change::Discard), any(Change::Restore));
    let can_hold = any(Change::Unschedule);
    let all = wording::how_many(total, "letter");
    let label = format!("Select the {} letters on this page", letters.len());
    let rows = letters.into_iter().map(|letter| view! { <LetterRow letter now /> });
    view! {
        <form
            class="letters-form"
            method="post"
            // Every button names another place; the first one, which does nothing, has the Enter key.
            action=HoldLetters::PATH
            autocomplete="off"
            data-decides=""
        >
            // Enter in a field of this form must not press the first button that comes along.
            <button type="submit" disabled hidden></button>
            <input type="hidden" name="back" value=back />
            <table class="ledger letters">
                <Head label />
                <tbody>{rows.collect_view()}</tbody>
            </table>
            <BulkBar all can_discard can_hold can_restore />
        </form>
    }
    .into_any()
}

/// The names of the columns, and the box that selects all.
#[component]
fn Head(label: String) -> impl IntoView {
    view! {
        <thead>
            <tr>
                <td class="pick">
                    <SelectAll label />
                </td>
                <th class="far">"severity"</th>
                <th class="num far" aria-sort="descending">
                    "died"
                </th>
                <th class="far">"origin"</th>
                <th class="mid">"reason"</th>
                <th>"error"</th>
                <th class="mid">"group"</th>
                <th class="far">"state"</th>
                <th class="num far">"arrivals"</th>
            </tr>
        </thead>
    }
    .into_any()
}
