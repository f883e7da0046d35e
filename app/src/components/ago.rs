//! A point in time: absolute for machines and on hover, its age for people.
//!
//! The age is counted from the server's time, so that the browser's first rendering is the
//! server's; after that it grows by the browser's own stopwatch, never by its clock.

use std::time::Duration;

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use crate::wording;

const TICK: Duration = Duration::from_secs(5);

/// Seconds since the page came to life.
#[derive(Clone, Copy)]
struct Ticks(RwSignal<i64>);

/// Starts the stopwatch that all ages follow.
pub(crate) fn provide_ticks() {
    let ticks = RwSignal::new(0);
    provide_context(Ticks(ticks));
    Effect::new(move |_| {
        let Some(stopwatch) = window().performance() else {
            return;
        };
        let begun = stopwatch.now();
        set_interval(
            move || {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a page is never open for 2^53 seconds"
                )]
                let seconds = ((stopwatch.now() - begun) / 1_000.0) as i64;
                ticks.set(seconds);
            },
            TICK,
        );
    });
}

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
    let ticks = expect_context::<Ticks>().0;
    let begun = ticks.get_untracked();
    let then = (now - at).num_seconds();
    let text = move || {
        let age = wording::age(then + ticks.get() - begun);
        if spoken && age != "now" { format!("{age} ago") } else { age }
    };
    view! {
        <time datetime=wording::machine(at) title=wording::absolute(at)>
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
