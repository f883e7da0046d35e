//! What has this arrival that an earlier one of the same letter had not?

mod side_by_side;

use dlo_domain::comparing::{ArrivalChanges, ValueChange};
use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::shown;
use crate::components::Instant;
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::head::{PageHead, crumbs_of_letter};
use crate::query::Query;
use crate::visible::show_line;
use crate::wording::counted;
use crate::{api, links};
use side_by_side::SideBySide;

/// An arrival, compared with the one before it or with the one that the address names.
#[component]
pub(crate) fn ArrivalPage() -> impl IntoView {
    let (params, query) = (use_params_map().get_untracked(), Query::of_request());
    let (id, ordinal) = (params.get("id"), params.get("ordinal").unwrap_or_default());
    let since = query.get("since");
    let desk = desk();
    let read = async move {
        let id: LetterId = api::id(&id.unwrap_or_default(), "letter")?;
        let ordinal = api::id(&ordinal, "arrival")?;
        let since = since.map(|since| api::id(&since, "arrival")).transpose()?;
        Ok::<_, ApiError>((id, desk.compare_arrivals(id, ordinal, since).await?))
    };
    view! {
        <Title text="What differs between arrivals" />
        {shown(read, |(id, changes)| view! { <Changes id changes /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Changes(id: LetterId, changes: ArrivalChanges) -> impl IntoView {
    let heading = heading(&changes);
    let others = others(id, &changes);
    let (since_at, arrived_at) = (changes.since_at, changes.arrived_at);
    let headers = changes.headers.clone();
    let names = names(&changes);
    view! {
        <PageHead crumbs=crumbs_of_letter(id, format!("Arrival {}", changes.ordinal)) heading=heading.into_any()>
            <p class="meta">
                <span>"arrival " {changes.since} ", " <Instant at=since_at /></span>
                <span>"arrival " {changes.ordinal} ", " <Instant at=arrived_at /></span>
                {others}
            </p>
        </PageHead>
        <section class="section" aria-labelledby="body-title">
            <header>
                <h2 id="body-title">"Body"</h2>
            </header>
            <Body changes />
        </section>
        <section class="section" aria-labelledby="headers-title">
            <header>
                <h2 id="headers-title">"Properties and headers"</h2>
                <span class="note">"without the history that brokers write"</span>
            </header>
            {if headers.lines.is_empty() {
                view! { <p class="note-line">"They are the same."</p> }.into_any()
            } else {
                view! {
                    <SideBySide
                        diff=headers
                        label="What differs in properties and headers"
                        names
                    />
                }
                    .into_any()
            }}
        </section>
    }
    .into_any()
}

/// What stands on the left, and on the right.
fn names(changes: &ArrivalChanges) -> [String; 2] {
    [changes.since, changes.ordinal].map(|ordinal| format!("arrival {ordinal}"))
}

fn heading(changes: &ArrivalChanges) -> String {
    let ArrivalChanges { since, ordinal, .. } = changes;
    let same_headers = changes.headers.lines.is_empty();
    let body = match &changes.values {
        _ if changes.same_body && same_headers => {
            return format!("Arrival {ordinal} is the same message as arrival {since}.");
        }
        _ if changes.same_body => "The body is the same".to_owned(),
        Some(values) if values.is_empty() => "No value of the body differs".to_owned(),
        Some(values) => {
            let differ = if values.len() == 1 { "differs" } else { "differ" };
            let values = i64::try_from(values.len()).unwrap_or(i64::MAX);
            let least = if changes.cut { "At least " } else { "" };
            format!("{least}{} of the body {differ}", counted(values, "value"))
        }
        None => "The body differs".to_owned(),
    };
    let headers = if same_headers { "" } else { ", and properties or headers differ" };
    format!("{body}{headers}.")
}

/// Links to the same arrival beside others.
fn others(id: LetterId, changes: &ArrivalChanges) -> Option<AnyView> {
    let link = |since: i32, words: &'static str| {
        let address = links::arrival(id, changes.ordinal);
        let number = since.to_string();
        let href = links::with_query(&address, [("since", number.as_str())]);
        view! { <span><a href=href>{words}</a></span> }.into_any()
    };
    match changes.since {
        _ if changes.ordinal <= 2 => None,
        1 => Some(link(changes.ordinal - 1, "compare with the one before")),
        _ => Some(link(1, "compare with the first")),
    }
}

#[component]
fn Body(changes: ArrivalChanges) -> impl IntoView {
    let note = |text: &'static str| view! { <p class="note-line">{text}</p> }.into_any();
    if changes.same_body {
        return note("It is the same, byte by byte.");
    }
    let names = names(&changes);
    match (changes.values, changes.text) {
        (Some(values), _) if values.is_empty() => {
            note("No value differs: only their formatting or packing.")
        }
        (Some(values), _) => {
            let cut = changes.cut.then(|| note("There are more than are shown here."));
            view! {
                <Values values names />
                {cut}
            }
            .into_any()
        }
        (None, Some(diff)) => {
            view! { <SideBySide diff label="What differs in the body" names /> }.into_any()
        }
        (None, None) => note("Nothing of it could be read."),
    }
}

#[component]
fn Values(values: Vec<ValueChange>, names: [String; 2]) -> impl IntoView {
    let none = |text: &'static str| view! { <span class="quiet">{text}</span> }.into_any();
    let before = |value: Option<String>| match value {
        Some(value) => view! { <del class="id">{show_line(&value)}</del> }.into_any(),
        None => none("was not there"),
    };
    let now = |value: Option<String>| match value {
        Some(value) => view! { <ins class="id">{show_line(&value)}</ins> }.into_any(),
        None => none("is gone"),
    };
    let row = |one: ValueChange| {
        let path = if one.path.is_empty() { "the whole body".to_owned() } else { one.path };
        view! {
            <tr>
                <th class="id">{show_line(&path)}</th>
                <td>{before(one.before)}</td>
                <td>{now(one.after)}</td>
            </tr>
        }
    };
    view! {
        <table class="ledger values">
            <thead>
                <tr>
                    <th>"value"</th>
                    {names.map(|name| view! { <th>{name}</th> })}
                </tr>
            </thead>
            <tbody>{values.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
