//! The sentence that answers the page's question.

use dlo_domain::causes::{Causes, SilentWorker};
use dlo_domain::filter::{FilterForm, Moment};
use dlo_domain::overview::{Overview, Span};
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use leptos::prelude::*;

use crate::components::Ago;
use crate::visible::show_name;
use crate::{links, wording};

/// What died, behind whom, and what waits; each number leads to its letters.
#[component]
pub(super) fn Answer(
    /// The figures.
    overview: Overview,
    /// What may be why letters die.
    causes: Causes,
) -> impl IntoView {
    let deaths: i64 = overview.deaths.iter().flat_map(|bar| bar.counts).sum();
    let when = match overview.span {
        Span::Hour => "hour",
        Span::Day => "24 hours",
        Span::Week => "7 days",
    };
    let since = links::letters(&FilterForm {
        since: Some(Moment::Ago(overview.span.seconds())),
        ..FilterForm::default()
    });
    let waiting = overview.waiting_by_severity();
    let waits = (overview.held - overview.put_away.letters()).max(0);
    let others = match overview.put_away.filter() {
        none if none.is_empty() => none,
        some => format!("-{some}"),
    };
    let held = move |severity: &str| {
        let pairs = [("state", "held"), ("severity", severity), ("q", &others)];
        links::with_query(links::LETTERS, pairs)
    };
    let worst: Vec<_> = waiting
        .into_iter()
        .filter(|(severity, letters)| *letters > 0 && *severity <= Severity::High)
        .collect();
    let died = if deaths == 0 {
        view! { "Nothing has died in the last " {when} ". " }.into_any()
    } else {
        view! {
            <a href=since>{wording::count(deaths)}</a>
            {format!(" {} in the last {when}. ", wording::plural(deaths, "death"))}
        }
        .into_any()
    };
    let waiting = if waits == 0 {
        "No letter waits for a decision.".into_any()
    } else {
        view! {
            <a href=held("")>{wording::count(waits)}</a>
            {if waits == 1 { " letter waits" } else { " letters wait" }}
            " for a decision"
            {worst
                .into_iter()
                .map(|(severity, letters)| {
                    view! {
                        ", "
                        <a href=held(severity.as_str())>{wording::count(letters)}</a>
                        " "
                        {severity.as_str()}
                    }
                })
                .collect_view()}
            "."
        }
        .into_any()
    };
    let put_away = put_away(&overview, waits > 0);
    let unknown = (overview.unknown > 0).then(|| {
        view! {
            " Of "
            <a href=links::letters_in(LetterState::Unknown)>{wording::count(overview.unknown)}</a>
            " a person must say whether they were published."
        }
    });
    let silent = causes.worst_worker.clone().map(|worst| view! { <Silent worst causes /> });
    view! { <h1>{died} {silent} {waiting} {put_away} {unknown}</h1> }
}

/// The silent worker behind which the most letters died, and since when it is silent.
#[component]
fn Silent(worst: SilentWorker, causes: Causes) -> impl IntoView {
    let SilentWorker { name, since, letters, letters_are_least } = worst;
    let others = causes.stale_workers - 1;
    let others = (others > 0).then(|| {
        let href = links::with_query(links::WORKERS, [("state", "stale")]);
        let verb = if others == 1 { " is" } else { " are" };
        view! {
            <a href=href>{wording::counted(others, "more worker")}</a>
            {verb}
            " silent. "
        }
    });
    let died = (letters > 0).then(|| {
        let plus = if letters_are_least { "+" } else { "" };
        let (number, noun) = (wording::count(letters), wording::plural(letters, "letter"));
        view! {
            <a href=links::died_behind(&name, since)>{format!("{number}{plus}")}</a>
            {format!(" {noun} died behind ")}
        }
    });
    let (comma, is) =
        if letters > 0 { (",", " silent for ") } else { ("", " has been silent for ") };
    view! {
        {died}
        <span class="unbroken">
            <a href=links::worker(&name)>{show_name(&name)}</a>
            {comma}
        </span>
        {is}
        <Ago at=since now=causes.at />
        ". "
        {others}
    }
}

/// Held letters that the list of groups leaves off.
fn put_away(overview: &Overview, is_rest: bool) -> Option<AnyView> {
    let letters = overview.put_away.letters().min(overview.held);
    let more = if is_rest { " more" } else { "" };
    let verb = if letters == 1 { "waits" } else { "wait" };
    let filter = overview.put_away.filter();
    let href = links::with_query(links::LETTERS, [("state", "held"), ("q", &filter)]);
    (letters > 0).then(|| {
        view! {
            " "
            <a href=href>{wording::count(letters)}</a>
            {format!("{more} {verb} in groups that are muted or resolved.")}
        }
        .into_any()
    })
}
