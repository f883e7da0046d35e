//! The fields of the filter form.

use dlo_domain::death::Reason;
use dlo_domain::filter::LetterFilter;
use dlo_domain::office::FilterChoices;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use leptos::prelude::*;

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
pub(super) fn FilterFields(filter: LetterFilter, choices: FilterChoices) -> impl IntoView {
    let written = links::fields(&filter);
    let of = |name: &str| {
        let found = written.iter().find(|(field, _)| *field == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    // What has no field of its own stays as it is.
    let rest = ["error_class", "until", "q"].map(|name| {
        let value = of(name);
        (!value.is_empty()).then(|| view! { <input type="hidden" name=name value=value /> })
    });
    let sources = choices.sources.into_iter().map(Offered::named).collect();
    let reasons = Reason::ALL.map(|one| Offered::new(one.to_string(), wording::reason(one))).into();
    let states = LetterState::ALL.map(|state| Offered::named(state.to_string())).into();
    let severities = Severity::ALL.map(|severity| Offered::named(severity.to_string())).into();
    let ages = AGES.map(|(value, words)| Offered::new(value, words)).into();
    let since = if of("since") == "1d" { "24h".to_owned() } else { of("since") };
    let queues = choices.queues.into_iter().map(|queue| view! { <option value=queue></option> });
    view! {
        // Folded on a telephone, where the letters are wanted on the first screenful.
        <details class="fold">
        <summary>"Fields"</summary>
        // A browser that fills in what was chosen before it went elsewhere would have it asked for again.
        <form
            method="get"
            action=links::LETTERS
            class="fields"
            autocomplete="off"
            data-in-place=""
        >
            {rest.into_iter().collect_view()}
            <Choice label="source" name="source" offered=sources chosen=of("source") />
            <label class="choice">
                <span>"queue"</span>
                <input
                    type="text"
                    name="queue"
                    list="queues"
                    value=of("queue")
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="any, or orders.*"
                />
                <datalist id="queues">{queues.collect_view()}</datalist>
            </label>
            <Choice label="reason" name="reason" offered=reasons chosen=of("reason") />
            <Choice label="state" name="state" offered=states chosen=of("state") />
            <Choice label="severity" name="severity" offered=severities chosen=of("severity") />
            <Choice label="died in the last" name="since" offered=ages chosen=since />
            <button class="button" type="submit">
                "Apply"
            </button>
        </form>
        </details>
    }
    .into_any()
}

/// A value that can be chosen.
struct Offered {
    value: String,
    words: String,
}

impl Offered {
    fn new(value: impl Into<String>, words: impl Into<String>) -> Self {
        Self { value: value.into(), words: words.into() }
    }

    /// One that is called as it is written.
    fn named(value: String) -> Self {
        Self::new(value.clone(), value)
    }
}

/// One field: any, or one of those offered; a change is followed at once.
#[component]
fn Choice(
    label: &'static str,
    name: &'static str,
    mut offered: Vec<Offered>,
    chosen: String,
) -> impl IntoView {
    // What the address says is always among the options, so that it is shown.
    if !chosen.is_empty() && offered.iter().all(|one| one.value != chosen) {
        offered.push(Offered::named(chosen.clone()));
    }
    let option = |Offered { value, words }| {
        let is_chosen = value == chosen;
        view! {
            <option value=value selected=is_chosen>
                {show_line(&words)}
            </option>
        }
    };
    view! {
        <label class="choice">
            <span>{label}</span>
            <select name=name id=format!("filter-{name}") data-submits="">
                <option value="">"any"</option>
                {offered.into_iter().map(option).collect_view()}
            </select>
        </label>
    }
    .into_any()
}
