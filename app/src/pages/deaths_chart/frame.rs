//! What every chart of bars over time has: two lines of a scale, the bars, the line they stand on.

use dlo_domain::overview::DeathBar;
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use super::geometry::{BASE, MIDDLE, Scale, TOP, paths};
use crate::wording;

/// Bars, stacked by severity, over their scale. The children stand on top of it, and label it.
#[component]
pub(crate) fn Frame(
    /// The bars, the oldest first.
    bars: Vec<DeathBar>,
    /// What a bar counts in: `an hour`.
    unit: &'static str,
    /// `img`, or `group` when something in it can be followed.
    role: &'static str,
    /// The chart in one sentence.
    label: String,
    children: Children,
) -> impl IntoView {
    let scale = Scale::of(&bars);
    let areas = paths(&bars, scale.top)
        .into_iter()
        .zip(Severity::ALL)
        .map(|(path, severity)| view! { <path class=severity.as_str() d=path></path> })
        .collect_view();
    view! {
        <svg class="chart" height="176" role=role aria-label=label>
            <line class="grid" x1="0" x2="100%" y1=TOP y2=TOP></line>
            <line class="grid" x1="0" x2="100%" y1=MIDDLE y2=MIDDLE></line>
            <text x="0" y=TOP - 4>
                {format!("{} {unit}", wording::count(scale.top))}
            </text>
            <text x="0" y=MIDDLE - 4>
                {wording::count(scale.top / 2)}
            </text>
            <svg
                x="0"
                y=TOP
                width="100%"
                height=BASE - TOP
                viewBox="0 0 600 100"
                preserveAspectRatio="none"
                shape-rendering="crispEdges"
            >
                {areas}
            </svg>
            <line class="axis" x1="0" x2="100%" y1=BASE y2=BASE></line>
            {children()}
        </svg>
    }
    .into_any()
}
