//! Puts what is known of a letter into one order.
//!
//! The broker tells a death to the second and by its own clock, we take an arrival to the
//! millisecond by ours. So a death stands right before the arrival that told it, whatever the
//! clocks say, unless it is clearly older. Of several deaths for one reason in one queue the broker tells when the
//! first was, and how many there were: they stand where the first of them does.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::death::Death;
use dlo_domain::ids::ReplayId;
use dlo_domain::letter::Letter;
use dlo_domain::replay::{LetterReplay, Outcome};

use crate::pages::outcome_key::outcome_word;
use crate::visible::show_within;
use crate::wording;

/// What an event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It died.
    Death,
    /// It went well.
    Good,
    /// It did not.
    Bad,
    /// Neither.
    Plain,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// When, as it is shown.
    pub(super) at: DateTime<Utc>,
    /// What it means.
    pub(super) kind: Kind,
    /// What.
    pub(super) title: String,
    /// Where: a queue or a source.
    pub(super) place: Option<String>,
    /// More of it.
    pub(super) detail: Option<String>,
    /// The replay behind it.
    pub(super) replay: Option<ReplayId>,
}

/// What is shown of a death that is older than its arrival by more than this stands by itself.
const SAME_MOMENT: TimeDelta = TimeDelta::seconds(2);

/// Everything that happened, oldest first.
pub(super) fn events(letter: &Letter) -> Vec<Event> {
    let mut found: Vec<(DateTime<Utc>, u8, Event)> = Vec::new();
    for arrival in &letter.arrivals {
        for death in arrival.deaths.iter().rev() {
            let told = death.time.unwrap_or(arrival.arrived_at);
            let is_old = arrival.arrived_at - told > SAME_MOMENT && arrival.replay_id.is_none();
            let place = if is_old { told } else { arrival.arrived_at };
            found.push((place, 1, of_death(death, told, letter)));
        }
        found.push((arrival.arrived_at, 2, of_arrival(arrival, letter)));
    }
    for replay in &letter.replays {
        found.extend(of_replay(replay));
    }
    for entry in letter.audit.iter().filter(|entry| is_decision(&entry.action)) {
        let event = Event {
            at: entry.at,
            kind: Kind::Plain,
            title: format!("{}: {}", entry.actor, decision(&entry.action)),
            place: None,
            detail: entry.detail.clone(),
            replay: None,
        };
        found.push((entry.at, 3, event));
    }
    // Those that stand before one arrival are in the order of their own times.
    found.sort_by_key(|(at, rank, event)| (*at, *rank, event.at));
    found.into_iter().map(|(_, _, event)| event).collect()
}

fn of_death(death: &Death, at: DateTime<Utc>, letter: &Letter) -> Event {
    let times = death.count.filter(|count| *count > 1);
    let first = if death.time.is_some() { "; this was the first" } else { "" };
    let how_often = times.map(|count| format!("{count} times there, as the broker counts{first}"));
    let ttl = death.original_expiration.as_ref().map(|ttl| format!("its TTL was {ttl} ms"));
    let parts: Vec<String> = how_often.into_iter().chain(ttl).collect();
    let again = letter.arrivals.first().is_some_and(|first| at > first.arrived_at);
    Event {
        at,
        kind: Kind::Death,
        title: format!(
            "Died{}: {} on",
            if again { " again" } else { "" },
            wording::reason(death.reason)
        ),
        place: Some(if death.queue.is_empty() {
            "an unknown queue".to_owned()
        } else {
            death.queue.clone()
        }),
        detail: (!parts.is_empty()).then(|| parts.join(", ")),
        replay: None,
    }
}

fn of_arrival(arrival: &Arrival, letter: &Letter) -> Event {
    let came_back =
        arrival.replay_id.map(|_| "known by x-dlo-letter: it came back from a replay".to_owned());
    // Where the last of several stands by the time of the first, something else seems to be the last.
    let last =
        arrival.deaths.first().filter(|last| last.count > Some(1) && arrival.deaths.len() > 1);
    let last = last.map(|last| format!("its last death was on `{}`", show_within(&last.queue)));
    let notes = last.into_iter().chain(came_back).chain(arrival.notes.iter().cloned());
    let detail: Vec<String> = notes.collect();
    Event {
        at: arrival.arrived_at,
        kind: Kind::Plain,
        title: format!("{} arrival at", wording::ordinal(arrival.ordinal)),
        place: Some(letter.summary.source.clone()),
        detail: (!detail.is_empty()).then(|| detail.join(". ")),
        replay: None,
    }
}

fn of_replay(replay: &LetterReplay) -> Vec<(DateTime<Utc>, u8, Event)> {
    let planned = Event {
        at: replay.planned_at,
        kind: Kind::Plain,
        title: match replay.attempt {
            0 => "A replay planned".to_owned(),
            attempt => format!("{} replay planned", wording::ordinal(attempt)),
        },
        place: None,
        detail: None,
        replay: Some(replay.replay_id),
    };
    let mut events = vec![(replay.planned_at, 0, planned)];
    // That it died again is told by the arrival.
    if let Some(at) = replay.at
        && !matches!(replay.outcome, Outcome::Pending | Outcome::DiedAgain)
    {
        let kind = match replay.outcome {
            Outcome::Confirmed | Outcome::Processed | Outcome::Settled => Kind::Good,
            _ => Kind::Bad,
        };
        let came_of_it = Event {
            at,
            kind,
            title: format!("Replay: {}", outcome_word(replay.outcome)),
            place: replay.queue.clone(),
            detail: replay.detail.clone(),
            replay: Some(replay.replay_id),
        };
        events.push((at, 0, came_of_it));
    }
    events
}

fn is_decision(action: &str) -> bool {
    ["letter.discard", "letter.restore", "letter.decide", "letter.processed"]
        .iter()
        .any(|known| action.starts_with(known))
}

fn decision(action: &str) -> &str {
    match action {
        "letter.discard" => "discarded",
        "letter.restore" => "restored",
        "letter.processed" => "processed",
        other => other.strip_prefix("letter.").unwrap_or(other),
    }
}

#[cfg(test)]
mod tests;
