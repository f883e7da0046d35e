//! The workers and executions behind the letters of a group.

use dlo_domain::causes::Behind;
use dlo_domain::filter::{Field, LetterFilter};
use leptos::prelude::*;

use crate::links;
use crate::visible::show_name;
use crate::wording;

/// The workers and executions behind letters, each with its letters among these. Nothing when there
/// are none.
#[component]
pub(super) fn BehindPanel(
    /// Who they are.
    behind: Behind,
    /// The letters, as a filter.
    scope: String,
) -> impl IntoView {
    let Behind { letters, workers, executions } = behind;
    if workers.is_empty() && executions.is_empty() {
        return ().into_any();
    }
    let of = |field, noun: &'static str, (name, number): (String, i64)| {
        let term = LetterFilter::of_name(field, &name).to_string();
        let theirs = links::letters_within(&scope, &term);
        let page = match field {
            Field::Worker => links::worker(&name),
            _ => links::execution(&name),
        };
        view! {
            <li>
                {noun}
                <a class="id" href=page>
                    {show_name(&name)}
                </a>
                <a href=theirs>{wording::counted(number, "letter")}</a>
            </li>
        }
        .into_any()
    };
    let workers = workers.into_iter();
    let rows: Vec<AnyView> = workers
        .map(|one| of(Field::Worker, "worker", one))
        .chain(executions.into_iter().map(|one| of(Field::Execution, "execution", one)))
        .collect();
    view! {
        <section class="section" aria-labelledby="behind-title">
            <header>
                <h2 id="behind-title">"Workers and executions behind them"</h2>
                <span class="note">
                    {format!("of the newest {}", wording::counted(letters, "letter"))}
                </span>
            </header>
            <ul class="causes">{rows}</ul>
        </section>
    }
    .into_any()
}
