//! The list of letters as a form: rows are checked, and a button says what becomes of them.

use chrono::{DateTime, Utc};
use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Total;
use dlo_domain::state::{Change, LetterState};
use leptos::html;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use wasm_bindgen::JsCast;
use web_sys::{HtmlFormElement, HtmlInputElement};

use super::{BulkBar, Decisions, LetterRow};
use crate::api::letters::HoldLetters;
use crate::wording;

const BOXES: &str = "tbody input[type=checkbox]";

/// The letters of one page and the bar that acts on the checked ones.
#[component]
pub(crate) fn LetterTable(
    /// The letters.
    letters: Vec<LetterSummary>,
    /// How many match the filter.
    total: Total,
    /// When they were read.
    now: DateTime<Utc>,
    /// What can be done with them.
    decisions: Decisions,
    /// The page's own address, to come back to.
    back: String,
) -> impl IntoView {
    let form = NodeRef::<html::Form>::new();
    let selected = RwSignal::new(Vec::<LetterId>::new());
    let any = |change| {
        let allowing = LetterState::allowing(change);
        letters.iter().any(|letter| allowing.contains(&letter.state))
    };
    let (can_discard, can_restore) = (any(Change::Discard), any(Change::Restore));
    let can_hold = any(Change::Unschedule);
    let all = wording::how_many(total, "letter");
    let label = format!("Select the {} letters on this page", letters.len());
    // What is checked is asked of the form itself: a box may be checked before this code runs.
    let look = move || {
        if let Some(form) = form.get_untracked() {
            selected.set(checked(&form));
        }
    };
    Effect::new(move |_| look());
    let check_all = move |event: web_sys::Event| {
        let all: HtmlInputElement = event_target(&event);
        if let Some(form) = form.get_untracked() {
            boxes(&form).for_each(|one| one.set_checked(all.checked()));
        }
    };
    let clear = move |()| {
        if let Some(form) = form.get_untracked() {
            form.reset();
        }
        look();
    };
    view! {
        <form
            class="letters-form"
            method="post"
            // Every button names another place; the first one, which does nothing, has the Enter key.
            action=HoldLetters::PATH
            autocomplete="off"
            node_ref=form
            on:change=move |_| look()
            on:submit=move |event| decisions.carry_out(&event)
        >
            // Enter in a field of this form must not press the first button that comes along.
            <button type="submit" disabled hidden></button>
            <input type="hidden" name="back" value=back />
            <table class="ledger letters">
                {head(label, check_all)}
                <tbody>
                    <For
                        each=move || letters.clone()
                        key=|letter| (letter.id, letter.state, letter.arrivals, letter.severity)
                        let(letter)
                    >
                        <LetterRow letter now />
                    </For>
                </tbody>
            </table>
            <BulkBar selected all decisions can_discard can_hold can_restore on_clear=clear />
        </form>
    }
    .into_any()
}

/// The names of the columns, and the box that checks all.
fn head(label: String, check_all: impl FnMut(web_sys::Event) + 'static) -> impl IntoView {
    view! {
        <thead>
            <tr>
                <td class="pick">
                    <input
                        class="needs-script"
                        type="checkbox"
                        aria-label=label
                        on:change=check_all
                    />
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
}

fn boxes(form: &HtmlFormElement) -> impl Iterator<Item = HtmlInputElement> + use<> {
    let found = form.query_selector_all(BOXES).ok();
    let count = found.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| found.as_ref()?.get(index)?.dyn_into().ok())
}

fn checked(form: &HtmlFormElement) -> Vec<LetterId> {
    boxes(form)
        .filter(HtmlInputElement::checked)
        .filter_map(|one| one.value().parse().ok())
        .collect()
}
