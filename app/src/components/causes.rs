//! What is not well beside the letters.

use dlo_domain::causes::Behind;
use dlo_domain::filter::{Field, LetterFilter};
use leptos::prelude::*;

use crate::api::office::CauseRow;
use crate::visible::show_name;
use crate::{links, wording};

/// What may be why letters die: each a number that leads to its list.
#[component]
pub(crate) fn CausesPanel(
    /// What there is.
    rows: Vec<CauseRow>,
) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="causes-title">
            <header>
                <h2 id="causes-title">"Causes"</h2>
            </header>
            <ul class="causes">{rows.into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn row(row: CauseRow) -> AnyView {
    if row.count.is_empty() {
        return view! { <li class="well">{row.says}</li> }.into_any();
    }
    let severities = row
        .severities
        .into_iter()
        .map(|(severity, count)| {
            let words = format!("{count} {severity}");
            view! { <span class=format!("sev {severity}")>{words}</span> }
        })
        .collect_view();
    view! {
        <li>
            <a rel=links::rel(&row.href) href=row.href>
                <b>{row.count}</b>
                " "
                {row.says}
            </a>
            {severities}
        </li>
    }
    .into_any()
}

/// The workers and executions behind letters, each with its letters among these. Nothing when there
/// are none.
#[component]
pub(crate) fn BehindPanel(
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
