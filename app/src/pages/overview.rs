//! What is dying, and why, right now?

mod beginning;
mod causes;
mod groups;
pub(super) mod sources;

use dlo_domain::breakdown::Breakdown;
use dlo_domain::causes::Causes;
use dlo_domain::filter::{FilterForm, Moment};
use dlo_domain::overview::{Left, Overview, Span};
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use dlo_domain::timeline::About;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::frame::{Watches, shown};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::breakdown::BreakdownTable;
use crate::pages::deaths_chart::DeathsChart;
use crate::pages::one_axis::OneAxis;
use crate::pages::timeline::{self, Drawing};
use crate::{links, wording};
use beginning::Beginning;
use causes::CausesPanel;
use groups::WorstGroups;
use sources::SourceTable;

/// All that happens and that figures of this page tell of.
const EVENTS: &[&str] = &[
    "arrived",
    "changed",
    "replay",
    "exhausted",
    "policies",
    "rules",
    "topology",
    "workers",
    "executions",
];

/// What the page shows.
struct OverviewView {
    /// The figures.
    overview: Overview,
    /// What may be why letters die.
    causes: Causes,
    /// Silences, depths and deaths, drawn.
    drawing: Drawing,
}

/// The first page.
#[component]
pub(crate) fn OverviewPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let span = Span::from_word(query.get_str("span").unwrap_or_default());
    let reach = query.get("reach").unwrap_or_default();
    let read = async move {
        let desk = desk();
        Ok::<_, ApiError>(OverviewView {
            overview: desk.overview(span).await?,
            causes: desk.causes().await?,
            drawing: timeline::drawn(&About::Everything, &reach).await?,
        })
    };
    view! {
        <Title text="Overview" />
        <Watches events=EVENTS />
        {shown(read, |view| {
            if is_new(&view.overview) {
                view! { <Beginning overview=view.overview /> }.into_any()
            } else {
                view! { <Figures view /> }.into_any()
            }
        })}
    }
    .into_any()
}

/// Whether no letter has ever come.
fn is_new(overview: &Overview) -> bool {
    overview.sources.iter().all(|source| source.letters == 0) && overview.held == 0
}

#[component]
fn Figures(view: OverviewView) -> impl IntoView {
    let OverviewView { overview, causes, drawing } = view;
    let (span, now) = (overview.span, overview.at);
    let bar_name = match span {
        Span::Hour => "Deaths per minute",
        Span::Day => "Deaths per 15 minutes",
        Span::Week => "Deaths per 2 hours",
    };
    let (groups, left) = (overview.groups.clone(), overview.groups_left);
    let waiting = overview.waiting.clone();
    let sources = overview.sources.clone();
    let page = ("/".to_owned(), vec![("span", span.as_str().to_owned())]);
    view! {
        <div class="answer">
            <div>
                <Answer overview=overview.clone() />
            </div>
        </div>
        <section class="section" aria-labelledby="deaths-title">
            <header>
                <h2 id="deaths-title">{bar_name}</h2>
                <span class="end">
                    <Legend overview=overview.clone() />
                    <Spans span />
                </span>
            </header>
            <DeathsChart overview />
        </section>
        <div class="split aside beside">
            <section class="section" aria-labelledby="groups-title">
                <header>
                    <h2 id="groups-title">"Groups by impact"</h2>
                    <span class="note">{chosen(groups.len(), left)}</span>
                    <span class="end">
                        <a href=links::GROUPS>"all groups"</a>
                    </span>
                </header>
                {if groups.is_empty() {
                    view! {
                        <p class="empty">"No group waits, and none grew in this span."</p>
                    }
                        .into_any()
                } else {
                    view! { <WorstGroups groups now /> }.into_any()
                }}
            </section>
            <div class="stack">
                <CausesPanel causes />
                {(!drawing.is_plain).then(|| view! { <OneAxis drawing page /> })}
                {(waiting.letters > 0).then(|| in_common(waiting))}
            </div>
            <section class="section" aria-labelledby="sources-title">
                <header>
                    <h2 id="sources-title">"Sources"</h2>
                    <span class="end">
                        <a href="/sources">"all, and add one"</a>
                    </span>
                </header>
                <SourceTable sources now />
            </section>
        </div>
    }
    .into_any()
}

fn in_common(waiting: Breakdown) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="common-title">
            <header>
                <h2 id="common-title">"What waits has in common"</h2>
            </header>
            <BreakdownTable breakdown=waiting scope=links::WAITING.to_owned() brief=true />
        </section>
    }
}

/// How many groups are shown, and which are not.
fn chosen(shown: usize, left: Left) -> String {
    let shown = i64::try_from(shown).unwrap_or(i64::MAX);
    let mut parts = Vec::new();
    if shown < left.groups {
        parts.push(format!("the worst {shown} of {}", wording::count(left.groups)));
    }
    for (count, word) in [(left.muted, "muted"), (left.resolved, "resolved")] {
        if count > 0 {
            parts.push(format!("{} {word}", wording::count(count)));
        }
    }
    match (&parts[..], left.muted + left.resolved) {
        ([], _) => "what waits, and what died in this span".to_owned(),
        (_, 0) => parts.join(", "),
        _ => format!("{} left off", parts.join(", ")),
    }
}

/// The sentence that answers the page's question; each number leads to its letters.
#[component]
fn Answer(overview: Overview) -> impl IntoView {
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
            " a person must say whether the replay happened."
        }
    });
    view! { <h1>{died} {waiting} {put_away} {unknown}</h1> }
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

/// Deaths of the span by severity.
#[component]
fn Legend(overview: Overview) -> impl IntoView {
    let since = Some(Moment::Ago(overview.span.seconds()));
    view! {
        <span class="legend">
            {Severity::ALL
                .into_iter()
                .enumerate()
                .map(|(index, severity)| {
                    let deaths: i64 = overview.deaths.iter().map(|bar| bar.counts[index]).sum();
                    let href = links::letters(
                        &FilterForm {
                            severity: Some(severity),
                            since,
                            ..FilterForm::default()
                        },
                    );
                    view! {
                        <a class=format!("sev {severity}") href=href>
                            {severity.as_str()}
                            <b>{wording::count(deaths)}</b>
                        </a>
                    }
                })
                .collect_view()}
        </span>
    }
    .into_any()
}

#[component]
fn Spans(span: Span) -> impl IntoView {
    view! {
        <nav class="switch" aria-label="Span">
            {Span::ALL
                .into_iter()
                .map(|this| {
                    let href = links::with_query("/", [("span", this.as_str())]);
                    view! {
                        <a href=href aria-current=(this == span).then_some("true")>
                            {this.as_str()}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}
