//! Letters before their judge: what conditions are asked of is what is stored of a letter, so that
//! a rule means the same letters as the same filter in the list.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use dlo_domain::extract::Extract;
use dlo_domain::filter::Facts;
use dlo_domain::ids::LetterId;
use dlo_domain::judge::{Judge, UNNAMED};
use dlo_domain::reading::Reading;
use dlo_domain::state::LetterState;

use super::incoming::storable;

/// Who judges the letters of a source.
#[derive(Debug, Clone, Copy)]
pub struct Court<'a> {
    /// By which rules.
    pub judge: &'a Judge,
    /// The source's name.
    pub source: &'a str,
}

/// What there is of a letter beside what its last arrival says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Particulars<'a> {
    pub(super) id: LetterId,
    pub(super) source: &'a str,
    pub(super) size_bytes: i64,
    pub(super) arrivals: i32,
    pub(super) replays: i32,
    pub(super) arrived_at: DateTime<Utc>,
}

/// The facts of a letter that is nothing but its last arrival.
pub(super) fn facts<'a>(
    of: Particulars<'a>,
    reading: &'a Reading,
    extract: &'a Extract<'a>,
) -> Facts<'a> {
    let (origin, failure) = (&reading.origin, &reading.failure);
    Facts {
        id: of.id,
        // No rule asks for these.
        state: LetterState::Held,
        severity: UNNAMED,
        groups: &[],
        executions: &[],
        workers: &[],
        exhausted: false,
        source: of.source,
        queue: origin.queue.as_deref(),
        exchange: origin.exchange.as_deref(),
        routing_key: origin.routing_key.as_deref(),
        reason: origin.reason,
        error_class: failure.error_class.as_deref(),
        error_message: failure.error_message.as_deref(),
        message_type: reading.message_type.as_deref(),
        message_id: reading.message_id.as_deref(),
        size_bytes: of.size_bytes,
        arrivals: of.arrivals,
        replays: of.replays,
        first_arrived_at: of.arrived_at,
        last_arrived_at: of.arrived_at,
        deaths: &reading.deaths,
        extract: Some(extract),
    }
}

/// A reading with its texts as Postgres holds them.
pub(super) fn as_stored(reading: &Reading) -> Cow<'_, Reading> {
    let is_storable =
        |text: &Option<String>| !text.as_ref().is_some_and(|text| text.contains('\0'));
    if texts(reading).into_iter().all(is_storable) {
        return Cow::Borrowed(reading);
    }
    let mut stored = reading.clone();
    let (origin, failure) = (&mut stored.origin, &mut stored.failure);
    for text in [
        &mut origin.queue,
        &mut origin.exchange,
        &mut origin.routing_key,
        &mut failure.error_class,
        &mut failure.error_message,
        &mut stored.message_type,
        &mut stored.message_id,
    ] {
        *text = text.take().map(|text| storable(&text));
    }
    Cow::Owned(stored)
}

fn texts(reading: &Reading) -> [&Option<String>; 7] {
    let (origin, failure) = (&reading.origin, &reading.failure);
    [
        &origin.queue,
        &origin.exchange,
        &origin.routing_key,
        &failure.error_class,
        &failure.error_message,
        &reading.message_type,
        &reading.message_id,
    ]
}
