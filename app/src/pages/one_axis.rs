//! Silences, depths and deaths on one axis of time: which came first is seen at a glance.

use chrono::{DateTime, Utc};
use dlo_domain::timeline::Reach;
use leptos::prelude::*;

use super::timeline::{Drawing, Lane, Shape, Stretch, Table};
use crate::components::Spoken;
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// Height of a row in pixels, by what is drawn in it.
const BARS: &str = "48";
const LINE: &str = "32";
const BANDS: &str = "14";

/// The rows over one axis, with a table beside them.
#[component]
pub(super) fn OneAxis(
    /// What is drawn.
    drawing: Drawing,
    /// The page's own address, and what of its query is kept.
    page: (String, Vec<(&'static str, String)>),
) -> impl IntoView {
    let Drawing { reach, says, lanes, hours, table, .. } = drawing;
    let places: Vec<i64> = hours.iter().map(|(place, _)| *place).collect();
    let rows = lanes.into_iter().map(|lane| row(lane, &places));
    view! {
        <section class="section" aria-labelledby="axis-title">
            <header>
                <h2 id="axis-title">"Silence, queues and deaths"</h2>
                <span class="end">
                    <Reaches reach page />
                </span>
            </header>
            <p class="note-line"><Spoken text=says /></p>
            <figure class="one-axis">
                <ul>{rows.collect_view()}</ul>
                {axis(hours)}
            </figure>
            <Figures table />
        </section>
    }
    .into_any()
}

#[component]
fn Reaches(reach: String, page: (String, Vec<(&'static str, String)>)) -> impl IntoView {
    view! {
        <nav class="switch" aria-label="Reach of the axis">
            {Reach::ALL
                .into_iter()
                .map(|this| {
                    let kept = page.1.iter().map(|(name, value)| (*name, value.as_str()));
                    let href = links::with_query(&page.0, kept.chain([("reach", this.as_str())]));
                    view! {
                        <a href=href aria-current=(this.as_str() == reach).then_some("true")>
                            {this.as_str()}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}

fn row(lane: Lane, hours: &[i64]) -> AnyView {
    let Lane { name, href, says, shape } = lane;
    let name = if href.is_empty() {
        view! { <b>{show_name(&name)}</b> }.into_any()
    } else {
        view! {
            <a class="id" href=href>
                {show_name(&name)}
            </a>
        }
        .into_any()
    };
    let height = match shape {
        Shape::Bars(_) => BARS,
        Shape::Line(_) => LINE,
        Shape::Bands(_) => BANDS,
    };
    let lines = hours
        .iter()
        .map(|place| {
            let x = percent(*place);
            view! { <line class="grid" x1=x.clone() x2=x y1="0" y2="100%"></line> }
        })
        .collect_view();
    // What is drawn is said beside it, and in the table.
    view! {
        <li>
            <p>{name} " " <span><Spoken text=says /></span></p>
            <svg class="chart" height=height aria-hidden="true">
                {lines}
                {drawn(shape)}
                <line class="axis" x1="0" x2="100%" y1="100%" y2="100%"></line>
            </svg>
        </li>
    }
    .into_any()
}

fn drawn(shape: Shape) -> AnyView {
    let path = |class: &'static str, path: String| {
        view! {
            <svg width="100%" height="100%" viewBox="0 0 720 100" preserveAspectRatio="none">
                <path class=class d=path></path>
            </svg>
        }
        .into_any()
    };
    match shape {
        Shape::Bars(bars) => path("died", bars),
        Shape::Line(steps) => path("depth", steps),
        Shape::Bands(bands) => bands.into_iter().map(band).collect_view().into_any(),
    }
}

/// A silence fills the row, a drain is an outline, a stop is a line: without colours they differ too. An alert is
/// as high as a drain, and filled.
fn band(band: Stretch) -> AnyView {
    let (y, height) = match band.away.as_str() {
        "silent" => ("0", "100%"),
        "stopped" => ("42%", "16%"),
        _ => ("20%", "60%"),
    };
    view! {
        <rect
            class=format!("away {}", band.away)
            x=percent(band.from)
            width=percent(band.width)
            y=y
            height=height
        >
            <title>{show_line(&band.says)}</title>
        </rect>
    }
    .into_any()
}

/// Hundredths of a percent as SVG takes them.
fn percent(hundredths: i64) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

fn axis(hours: Vec<(i64, DateTime<Utc>)>) -> impl IntoView {
    let labels = hours
        .into_iter()
        .map(|(place, at)| {
            view! {
                <text x=percent(place) y="12" text-anchor="middle" data-at=wording::machine(at)>
                    {wording::hour(at)}
                </text>
            }
        })
        .collect_view();
    view! {
        <svg class="chart" height="16" aria-hidden="true">
            {labels}
            <text x="100%" y="12" text-anchor="end">
                "now"
            </text>
        </svg>
    }
    .into_any()
}

#[component]
fn Figures(table: Table) -> impl IntoView {
    let Table { heads, rows, bands } = table;
    let heads = heads.into_iter().enumerate().map(|(column, head)| {
        view! {
            <th scope="col" class:num=column != 0>
                {show_line(&head)}
            </th>
        }
    });
    let rows = rows.into_iter().map(|(from, cells)| {
        let cells = cells.into_iter().map(|cell| view! { <td class="num">{cell}</td> });
        view! {
            <tr>
                <th scope="row">
                    <time datetime=wording::machine(from) title=wording::absolute(from)>
                        {wording::hour(from)}
                    </time>
                </th>
                {cells.collect_view()}
            </tr>
        }
    });
    let bands = bands.into_iter().map(|text| view! { <li><Spoken text /></li> });
    view! {
        <details class="data">
            <summary>"The same as a table"</summary>
            <table class="ledger">
                <thead>
                    <tr>{heads.collect_view()}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
            <ul class="spans">{bands.collect_view()}</ul>
        </details>
    }
    .into_any()
}
