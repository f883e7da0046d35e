//! A point in time: absolute for machines and on hover, its age for people. `public/scripts/times.js` tells it in
//! the reader's own zone.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use crate::wording;

/// How long ago something was: `12 s`, or `12 s ago` in a sentence.
#[component]
pub(crate) fn Ago(
    /// The time.
    at: DateTime<Utc>,
    /// The server's time when it was read.
    now: DateTime<Utc>,
    /// Whether it stands in a sentence.
    #[prop(optional)]
    spoken: bool,
) -> impl IntoView {
    let age = wording::age((now - at).num_seconds());
    let text = if spoken && age != "now" { format!("{age} ago") } else { age };
    let kind = if spoken { "spoken" } else { "" };
    view! {
        <time datetime=wording::machine(at) title=wording::absolute(at) data-age=kind>
            {text}
        </time>
    }
    .into_any()
}

/// A time of day in UTC, with its date on hover.
#[component]
pub(crate) fn Instant(
    /// The time.
    at: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <time datetime=wording::machine(at) title=wording::absolute(at)>
            {wording::clock(at)}
        </time>
    }
    .into_any()
}

/// A day and a time of it, in UTC.
#[component]
pub(crate) fn Moment(
    /// The time.
    at: DateTime<Utc>,
    /// As a sentence tells it; else to the second.
    #[prop(optional)]
    told: Option<String>,
) -> impl IntoView {
    let told = told.unwrap_or_else(|| wording::absolute(at));
    view! { <time datetime=wording::machine(at)>{told}</time> }.into_any()
}
