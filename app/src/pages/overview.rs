//! What is dying, and why, right now?

mod answer;
mod beginning;
mod causes;
mod groups;
pub(super) mod sources;

use dlo_domain::breakdown::Breakdown;
use dlo_domain::causes::Causes;
use dlo_domain::filter::{FilterForm, Moment};
use dlo_domain::overview::{Left, Overview, Span};
use dlo_domain::severity::Severity;
use dlo_domain::timeline::About;
use leptos::prelude::*;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::breakdown::BreakdownTable;
use crate::pages::deaths_chart::DeathsChart;
use crate::pages::one_axis::OneAxis;
use crate::pages::timeline::{self, Drawing};
use crate::query::Query;
use crate::reads::begun;
use crate::{links, wording};
use answer::Answer;
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
    let query = Query::of_request();
    let span = Span::from_word(query.get_str("span").unwrap_or_default());
    let reach = query.get("reach").unwrap_or_default();
    let read = async move {
        let causes = begun(async { desk().causes().await });
        let drawing = begun(async move { timeline::drawn(&About::Everything, &reach).await });
        Ok::<_, ApiError>(OverviewView {
            overview: desk().overview(span).await?,
            causes: causes.await?,
            drawing: drawing.await?,
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
                <Answer overview=overview.clone() causes=causes.clone() />
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
                // Where nothing stands out it would say nothing.
                {waiting.sentence.is_some().then(|| in_common(waiting))}
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
