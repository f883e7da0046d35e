//! The dead-letter queues that are watched, and how each is doing.

use chrono::{DateTime, Utc};
use dlo_domain::filter::FilterForm;
use dlo_domain::source::{Source, SourceCondition};
use dlo_domain::state::LetterState;
use leptos::prelude::*;

use crate::components::Ago;
use crate::visible::{show_lines, show_name};
use crate::{links, wording};

/// A condition as people say it.
fn condition_word(condition: SourceCondition) -> &'static str {
    match condition {
        SourceCondition::Starting => "starting",
        SourceCondition::Running => "taking",
        SourceCondition::QueueMissing => "queue missing",
        SourceCondition::Refused => "refused",
        SourceCondition::BrokerAway => "broker away",
        SourceCondition::DatabaseAway => "database away",
        SourceCondition::UndecodableHead => "undecodable head",
        SourceCondition::DeliveryLimit => "not taking: letters would be lost",
        SourceCondition::Stopped => "stopped",
    }
}

/// Sources with what came from each.
#[component]
pub(super) fn SourceTable(
    /// The sources.
    sources: Vec<Source>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <table class="ledger">
            <thead>
                <tr>
                    <th>"source"</th>
                    <th class="num">"held"</th>
                    <th class="num far">"letters"</th>
                    <th class="num far">"last"</th>
                    <th>"condition"</th>
                </tr>
            </thead>
            <tbody>{sources.into_iter().map(|source| row(source, now)).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(source: Source, now: DateTime<Utc>) -> impl IntoView {
    let of = |state| {
        links::letters(&FilterForm {
            source: Some(source.name.clone()),
            state,
            ..FilterForm::default()
        })
    };
    let (held, all) = (of(Some(LetterState::Held)), of(None));
    let detail = source.condition_detail.clone();
    view! {
        <tr>
            <th scope="row">
                <a class="id" href=all.clone()>
                    {show_name(&source.name)}
                </a>
            </th>
            <td class="fit num">
                <a href=held>{wording::count(source.held)}</a>
            </td>
            <td class="fit num far">
                <a href=all>{wording::count(source.letters)}</a>
            </td>
            <td class="fit num far second">
                {source.last_arrived_at.map(|at| view! { <Ago at now /> })}
            </td>
            <td class="fit">
                <Condition condition=source.condition detail />
            </td>
        </tr>
    }
    .into_any()
}

/// The condition as a badge; what exactly is wrong stands on hover and on the sources' page.
#[component]
pub(in crate::pages) fn Condition(
    condition: SourceCondition,
    detail: Option<String>,
) -> impl IntoView {
    view! {
        <span class="condition" data-well=condition.is_well().to_string() title=detail.map(|detail| show_lines(&detail))>
            {condition_word(condition)}
        </span>
    }
    .into_any()
}
