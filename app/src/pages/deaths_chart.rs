//! Deaths over time, stacked by severity: drawn on the server, with a table beside it.

mod frame;
pub(super) mod geometry;
mod marks;

use dlo_domain::overview::{DeathBar, Overview, ReplayMark, Span};
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::{links, wording};
pub(super) use frame::Frame;
pub(super) use geometry::label_at;
use geometry::{BASE, place, share, table_rows};
pub(super) use geometry::{Scale, height_of};
use marks::{Label, Room};

/// The chart of a span.
#[component]
pub(super) fn DeathsChart(
    /// The figures.
    overview: Overview,
) -> impl IntoView {
    let span = overview.span;
    let bars = overview.deaths;
    let bar_name = match span {
        Span::Hour => "a minute",
        Span::Day => "in 15 minutes",
        Span::Week => "in 2 hours",
    };
    let labels = (marks(&bars, &overview.replays, span), axis(&bars, span));
    view! {
        <figure class="deaths">
            <Frame bars=bars.clone() unit=bar_name role="group" label=summary(&bars, bar_name)>
                {labels}
            </Frame>
            <Table bars span />
        </figure>
    }
    .into_any()
}

/// The chart in one sentence.
fn summary(bars: &[DeathBar], bar_name: &str) -> String {
    let total: i64 = bars.iter().map(geometry::sum).sum();
    let most = bars.iter().map(geometry::sum).max().unwrap_or(0);
    format!(
        "{} stacked by severity, at most {} {bar_name}. The table below has the figures.",
        wording::counted(total, "death"),
        wording::count(most)
    )
}

fn marks(bars: &[DeathBar], replays: &[ReplayMark], span: Span) -> impl IntoView + use<> {
    let Some(first) = bars.first() else {
        return ().into_any();
    };
    let placed: Vec<_> = replays
        .iter()
        .map(|mark| {
            let passed = (mark.at - first.from).num_seconds();
            (place(passed, span.seconds()), *mark)
        })
        .collect();
    let wide = marks::labels(&placed, Room::Wide);
    let narrow = marks::labels(&placed, Room::Narrow);
    placed
        .into_iter()
        .zip(wide.into_iter().zip(narrow))
        .map(|((place, mark), labels)| mark_view(&share(place, 10_000), &mark, labels))
        .collect_view()
        .into_any()
}

/// A line; one that carries a label leads to its replay. The others begin below the labels.
fn mark_view(
    x: &str,
    mark: &ReplayMark,
    (wide, narrow): (Option<Label>, Option<Label>),
) -> AnyView {
    let is_plain = wide.is_none() && narrow.is_none();
    let top = if is_plain { "18" } else { "4" };
    let line = view! { <line class="mark" x1=x.to_owned() x2=x.to_owned() y1=top y2=BASE></line> };
    if is_plain {
        return line.into_any();
    }
    // A link is called what is seen of it; where one of the windows shows no label, as in the other.
    let called = match (&wide, &narrow) {
        (Some(one), None) | (None, Some(one)) => Some(one.text.clone()),
        _ => None,
    };
    let text = |label: Option<Label>, class: &'static str| {
        label.map(|Label { text, is_left }| {
            view! {
                <text
                    class=class
                    x=x.to_owned()
                    dx=if is_left { "-5" } else { "5" }
                    y="12"
                    text-anchor=if is_left { "end" } else { "start" }
                >
                    {text}
                </text>
            }
        })
    };
    view! {
        <a href=links::replay(mark.id) aria-label=called>
            {line}
            {text(wide, "mark-text wide")}
            {text(narrow, "mark-text narrow")}
        </a>
    }
    .into_any()
}

fn axis(bars: &[DeathBar], span: Span) -> impl IntoView + use<> {
    label_at(bars)
        .into_iter()
        .map(|(x, anchor, at)| {
            let text = match span {
                Span::Hour | Span::Day => wording::hour(at),
                Span::Week => wording::day(at),
            };
            view! {
                <text x=x y="170" text-anchor=anchor data-at=wording::machine(at)>
                    {text}
                </text>
            }
        })
        .collect_view()
}

#[component]
fn Table(bars: Vec<DeathBar>, span: Span) -> impl IntoView {
    let rows = table_rows(&bars);
    let from = match span {
        Span::Hour => "ten minutes from",
        Span::Day => "four hours from",
        Span::Week => "28 hours from",
    };
    view! {
        <details class="data">
            <summary>"The same as a table"</summary>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>{from}</th>
                        {Severity::ALL
                            .into_iter()
                            .map(|severity| view! { <th class="num">{severity.as_str()}</th> })
                            .collect_view()}
                    </tr>
                </thead>
                <tbody>
                    {rows
                        .into_iter()
                        .map(|(at, counts)| {
                            view! {
                                <tr>
                                    <th scope="row">
                                        <time
                                            datetime=wording::machine(at)
                                            title=wording::absolute(at)
                                        >
                                            {match span {
                                                Span::Hour => wording::hour(at),
                                                _ => {
                                                    format!("{} {}", wording::day(at), wording::hour(at))
                                                }
                                            }}
                                        </time>
                                    </th>
                                    {counts
                                        .into_iter()
                                        .map(|count| {
                                            view! { <td class="num">{wording::count(count)}</td> }
                                        })
                                        .collect_view()}
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </details>
    }
    .into_any()
}
