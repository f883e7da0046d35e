//! Arrivals in each of the last 24 hours: a line's worth in a list, a chart on a group's page.

use std::fmt::Write as _;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use dlo_domain::overview::DeathBar;
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use super::deaths_chart::{Frame, label_at};
use crate::wording;

/// The drawing's own measures: bars of 3, a gap of 1.
const STEP: i64 = 4;
const HEIGHT: i64 = 20;

/// The hours as a small drawing.
#[component]
pub(super) fn Sparkline(
    /// Arrivals in each hour, the oldest first.
    hours: Vec<i64>,
) -> impl IntoView {
    let width = STEP * i64::try_from(hours.len()).unwrap_or(0);
    view! {
        <svg
            class="spark"
            role="img"
            aria-label=in_words(&hours)
            width=width
            height=HEIGHT
            viewBox=format!("0 0 {width} {HEIGHT}")
            shape-rendering="crispEdges"
        >
            <path class="ground" d=format!("M0 {HEIGHT}v-1h{width}v1z")></path>
            <path d=bars(&hours)></path>
        </svg>
    }
    .into_any()
}

/// One path of all bars. An hour with anything is seen.
fn bars(hours: &[i64]) -> String {
    let most = hours.iter().copied().max().unwrap_or(0).max(1);
    let mut path = String::new();
    for (place, count) in (0..).zip(hours) {
        if *count > 0 {
            let height = (count * HEIGHT / most).max(2);
            let (x, y, wide) = (place * STEP, HEIGHT - height, STEP - 1);
            write!(path, "M{x} {y}h{wide}v{height}h-{wide}z").expect("a String takes every write");
        }
    }
    path
}

/// The hours in one sentence.
fn in_words(hours: &[i64]) -> String {
    let sum: i64 = hours.iter().sum();
    match hours.iter().copied().max() {
        None | Some(0) => "no arrival in the last 24 hours".to_owned(),
        Some(most) => format!(
            "{} in the last 24 hours, at most {} in one",
            wording::counted(sum, "arrival"),
            wording::count(most)
        ),
    }
}

/// The hours as a chart, with a table beside it.
#[component]
pub(super) fn HoursChart(
    /// Arrivals in each hour, the oldest first; the last is the hour that runs.
    hours: Vec<i64>,
    /// The colour that the bars have.
    severity: Severity,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let label = format!("{}. The table below has the figures.", in_words(&hours));
    let bars = death_bars(&hours, severity, now);
    let labels = label_at(&bars)
        .into_iter()
        .map(|(x, anchor, at)| {
            view! {
                <text x=x y="170" text-anchor=anchor data-at=wording::machine(at)>
                    {wording::hour(at)}
                </text>
            }
        })
        .collect_view();
    view! {
        <figure class="deaths">
            <Frame bars=bars.clone() unit="an hour" role="img" label>
                {labels}
            </Frame>
            <HoursTable bars />
        </figure>
    }
    .into_any()
}

fn death_bars(hours: &[i64], severity: Severity, now: DateTime<Utc>) -> Vec<DeathBar> {
    let this_hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
    let back = (0..i64::try_from(hours.len()).unwrap_or(0)).rev();
    back.zip(hours)
        .map(|(back, count)| DeathBar {
            from: this_hour - TimeDelta::hours(back),
            counts: Severity::ALL.map(|one| if one == severity { *count } else { 0 }),
        })
        .collect()
}

#[component]
fn HoursTable(bars: Vec<DeathBar>) -> impl IntoView {
    view! {
        <details class="data">
            <summary>"The same as a table"</summary>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"hour from"</th>
                        <th class="num">"arrivals"</th>
                    </tr>
                </thead>
                <tbody>
                    {bars
                        .into_iter()
                        .map(|bar| {
                            let at = bar.from;
                            view! {
                                <tr>
                                    <th scope="row">
                                        <time
                                            datetime=wording::machine(at)
                                            title=wording::absolute(at)
                                        >
                                            {wording::hour(at)}
                                        </time>
                                    </th>
                                    <td class="num">
                                        {wording::count(bar.counts.iter().sum())}
                                    </td>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_arrival_beside_thousands_is_seen() {
        assert_eq!(bars(&[1, 0, 5_000]), "M0 18h3v2h-3zM8 0h3v20h-3z");
        assert_eq!(bars(&[0; 24]), "");
    }

    #[test]
    fn the_hours_can_be_read_aloud() {
        assert_eq!(in_words(&[0; 24]), "no arrival in the last 24 hours");
        assert_eq!(
            in_words(&[1, 1_200]),
            "1,201 arrivals in the last 24 hours, at most 1,200 in one"
        );
    }

    #[test]
    fn the_last_bar_is_the_hour_that_runs() {
        let now = DateTime::from_timestamp(100 * 3_600 + 7, 0).expect("a time");
        let bars = death_bars(&[3, 4], Severity::High, now);
        assert_eq!(bars[1].from.timestamp(), 100 * 3_600);
        assert_eq!(bars[0].from.timestamp(), 99 * 3_600);
        assert_eq!(bars[1].counts, [0, 4, 0, 0]);
    }
}
