//! The fields of the filter form.

use dlo_domain::death::Reason;
use dlo_domain::filter::LetterFilter;
use dlo_domain::office::FilterChoices;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use leptos::prelude::*;
use leptos_router::components::Form;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement};

use super::Filter;
use crate::visible::show_line;
use crate::{links, wording};

const AGES: [(&str, &str); 5] = [
    ("15m", "15 minutes"),
    ("1h", "hour"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("30d", "30 days"),
];

/// A field for each thing that is filtered by most.
#[component]
pub(super) fn FilterFields(filter: Filter, choices: FilterChoices) -> impl IntoView {
    let current = Memo::new(move |_| filter.get().unwrap_or_default());
    let sources = pairs(choices.sources.iter().map(|name| (name.clone(), name.clone())));
    let reasons = pairs(Reason::ALL.map(|r| (r.to_string(), wording::reason(r).to_owned())));
    let states = pairs(LetterState::ALL.map(|s| (s.to_string(), s.to_string())));
    let severities = pairs(Severity::ALL.map(|s| (s.to_string(), s.to_string())));
    let queue = move || current.with(|filter| filter.form().0.queue.unwrap_or_default());
    view! {
        <Form method="get" action=links::LETTERS attr:class="fields">
            // What has no field of its own stays as it is.
            {move || {
                current
                    .with(|filter| {
                        links::fields(filter)
                            .into_iter()
                            .filter(|(name, _)| matches!(*name, "error_class" | "until" | "q"))
                            .map(|(name, value)| {
                                view! { <input type="hidden" name=name value=value /> }
                            })
                            .collect_view()
                    })
            }} <Choice label="source" name="source" offered=sources current />
            <label class="choice">
                <span>"queue"</span>
                <input
                    type="text"
                    name="queue"
                    list="queues"
                    value=queue
                    prop:value=queue
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="any, or orders.*"
                />
                <datalist id="queues">
                    {choices
                        .queues
                        .into_iter()
                        .map(|queue| view! { <option value=queue></option> })
                        .collect_view()}
                </datalist>
            </label> <Choice label="reason" name="reason" offered=reasons current />
            <Choice label="state" name="state" offered=states current />
            <Choice label="severity" name="severity" offered=severities current />
            <Choice
                label="died in the last"
                name="since"
                offered=pairs(AGES.map(|(value, words)| (value.to_owned(), words.to_owned())))
                current
            /> <button class="button" type="submit">
                "Apply"
            </button>
        </Form>
    }
    .into_any()
}

type Offered = Vec<(String, String)>;

fn pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Offered {
    pairs.into_iter().collect()
}

/// One field: any, or one of those offered; a change is followed at once.
#[component]
fn Choice(
    label: &'static str,
    name: &'static str,
    mut offered: Offered,
    current: Memo<LetterFilter>,
) -> impl IntoView {
    let value = move || {
        current.with(|filter| {
            let fields = links::fields(filter).into_iter();
            fields
                .filter(|(field, _)| *field == name)
                .map(|(_, value)| if value == "1d" { "24h".to_owned() } else { value })
                .next()
                .unwrap_or_default()
        })
    };
    // What the address says is always among the options, so that it is shown.
    let named = current.with_untracked(|_| untrack(value));
    if !named.is_empty() && offered.iter().all(|(value, _)| *value != named) {
        offered.push((named.clone(), named));
    }
    view! {
        <label class="choice">
            <span>{label}</span>
            <select name=name prop:value=value on:change=submit>
                <option value="">"any"</option>
                {offered
                    .into_iter()
                    .map(|(option, words)| {
                        let this = option.clone();
                        view! {
                            <option value=option selected=move || value() == this>
                                {show_line(&words)}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
        </label>
    }
    .into_any()
}

fn submit(event: web_sys::Event) {
    let form = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .and_then(|select| select.closest("form").ok().flatten())
        .and_then(|form| form.dyn_into::<HtmlFormElement>().ok());
    if let Some(form) = form {
        // A form that the browser finds invalid says so by itself.
        let _ = form.request_submit();
    }
}
