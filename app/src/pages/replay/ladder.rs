//! The canary ladder of a replay: which step it is on, and what it waits for.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::replay::{Canary, Climb, Replay, ReplayState};
use leptos::prelude::*;

use crate::components::Spoken;
use crate::wording;

/// Where a step of the ladder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Done,
    Now,
    Later,
}

/// The ladder, if the replay has one.
#[component]
pub(super) fn Ladder(
    /// The replay.
    replay: Replay,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let (Some(canary), Some(climb)) = (replay.canary.clone(), replay.climb) else {
        return ().into_any();
    };
    let is_over = replay.state == ReplayState::Finished;
    let waits = matches!(replay.state, ReplayState::Paused | ReplayState::Cancelled);
    let rest = replay.outcomes.pending + climb.tried;
    let words: Vec<String> = canary.steps.iter().map(ToString::to_string).collect();
    let note = format!(
        "{}, all; stops by itself above {} %",
        words.join(", "),
        canary.stop_above_percent()
    );
    let published =
        format!("{} of {} since it began", wording::count(climb.tried), wording::count(rest));
    // A step that reaches all of them is the last one.
    let before_all = canary.steps.iter().take_while(|most| i64::from(**most) < rest);
    let steps = (0..=before_all.count()).map(|step| {
        let place = place(step, climb, is_over);
        view! { <Step step place canary=canary.clone() climb rest waits now /> }
    });
    view! {
        <section class="section" aria-labelledby="ladder-title">
            <header>
                <h2 id="ladder-title">"Canary"</h2>
                <span class="note">{note}</span>
                <span class="end">{published}</span>
            </header>
            <ol class="ladder">{steps.collect_view()}</ol>
        </section>
    }
    .into_any()
}

fn place(step: usize, climb: Climb, is_over: bool) -> Place {
    let now = usize::try_from(climb.step).unwrap_or(usize::MAX);
    match step.cmp(&now) {
        std::cmp::Ordering::Less => Place::Done,
        _ if is_over => Place::Done,
        std::cmp::Ordering::Equal => Place::Now,
        std::cmp::Ordering::Greater => Place::Later,
    }
}

#[component]
fn Step(
    step: usize,
    place: Place,
    canary: Canary,
    climb: Climb,
    rest: i64,
    waits: bool,
    now: DateTime<Utc>,
) -> impl IntoView {
    let most = canary.most_at(step).filter(|most| *most < rest);
    let name = match most {
        Some(most) => wording::counted(most, "letter"),
        None => format!("all {}", wording::count(rest)),
    };
    let (class, current) = match place {
        Place::Done => ("done", None),
        Place::Now => ("now", Some("step")),
        Place::Later => ("", None),
    };
    let note = match place {
        Place::Done if step < usize::try_from(climb.step).unwrap_or(usize::MAX) => {
            "went well".to_owned()
        }
        Place::Done => "published".to_owned(),
        Place::Later => format!("after {} s of watching", canary.watch_seconds),
        Place::Now if waits => "stopped here".to_owned(),
        Place::Now => watching(&canary, climb, now),
    };
    let out = most.unwrap_or(rest).max(1);
    let width = format!("{}%", (climb.tried * 100 / out).clamp(0, 100));
    let bar = (place == Place::Now).then(|| {
        view! {
            <svg class="bar" aria-hidden="true">
                <rect class="all" width="100%" height="4"></rect>
                <rect class="part" width=width height="4"></rect>
            </svg>
        }
    });
    let returned = (place == Place::Now).then(|| {
        let wrong = wording::count(climb.wrong);
        view! { <small>{wrong} " of " {wording::count(climb.tried)} " went wrong"</small> }
    });
    view! {
        <li class=class aria-current=current>
            {bar}
            <b>{name}</b>
            <small><Spoken text=note /></small>
            {returned}
        </li>
    }
    .into_any()
}

/// What the step under way waits for.
fn watching(canary: &Canary, climb: Climb, now: DateTime<Utc>) -> String {
    let Some(since) = climb.watched_since else {
        return "publishing".to_owned();
    };
    let until = since + TimeDelta::seconds(canary.watch_seconds.into());
    let left = (until - now).num_seconds().max(0);
    format!("watched until {}, {left} s more", wording::absolute(until))
}
