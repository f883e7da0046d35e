//! A message as it came out of a source.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::budget::{ShownBudget, page_cost};
use crate::death::Death;
use crate::reading::cut;
use crate::wire::{FieldTable, Properties, WireFault};

/// A message as the broker delivered it: every byte that we can see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Delivered {
    /// The exchange of the delivery: the dead-letter exchange, not the origin.
    pub exchange: String,
    /// The routing key of the delivery: the dead-letter key, not the origin's.
    pub routing_key: String,
    /// The broker delivered it before, to somebody.
    pub redelivered: bool,
    /// Basic properties.
    pub properties: Properties,
    /// Headers.
    pub headers: FieldTable,
    /// Body.
    pub body: Vec<u8>,
    /// What was wrong with its octets; everything else is read in spite of it.
    pub faults: Vec<WireFault>,
}

impl Delivered {
    /// Whether client libraries refuse it: it was read from its octets.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        self.faults.iter().any(WireFault::is_undecodable)
    }
}

/// One time that a letter's message reached a source, as shown to people and programs.
/// The body is asked for apart, since it can be large.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Arrival {
    /// 1 for the first.
    pub ordinal: i32,
    /// When we took it: our own clock.
    pub arrived_at: DateTime<Utc>,
    /// The exchange of the delivery (the dead-letter exchange).
    pub exchange: String,
    /// The routing key of the delivery.
    pub routing_key: String,
    /// Basic properties.
    pub properties: Properties,
    /// Headers, each with its AMQP type.
    pub headers: FieldTable,
    /// The death history that the message carried.
    pub deaths: Vec<Death>,
    /// Size of the body in bytes.
    pub size_bytes: i64,
    /// SHA-256 of the body, in hexadecimal.
    pub body_sha256: String,
    /// The replay that it came back from.
    pub replay_id: Option<crate::ids::ReplayId>,
    /// What could not be read of it.
    pub notes: Vec<String>,
    /// What an answer about the letter leaves out of it; `GET /letters/{id}/arrivals/{ordinal}` has it whole.
    #[serde(default, skip_serializing_if = "OmittedOfArrival::is_nothing")]
    pub omitted: OmittedOfArrival,
}

/// How much of an arrival is left out or cut, so that an answer stays small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct OmittedOfArrival {
    /// Header values, those within tables and arrays included.
    pub headers: u32,
    /// Entries of the death history.
    pub deaths: u32,
    /// Notes.
    pub notes: u32,
}

impl OmittedOfArrival {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The longest text of a death or a note that is shown, in bytes.
const MOST_TOLD_BYTES: usize = 512;

/// Notes and deaths of one arrival that are shown.
const MOST_TOLD: usize = 64;

/// Routing keys of one death that are shown.
const MOST_KEYS: usize = 16;

impl Arrival {
    /// Cuts headers, deaths and notes to a budget, and notes how much is left out.
    pub fn cut_to(&mut self, budget: &mut ShownBudget) {
        self.omitted.headers += self.headers.cut_to(budget);
        self.omitted.deaths += cut_list(&mut self.deaths, budget, cut_death);
        self.omitted.notes += cut_list(&mut self.notes, budget, |note| {
            *note = cut(note, MOST_TOLD_BYTES);
            page_cost(note)
        });
    }
}

/// Cuts a list to a budget. `shorten` cuts one item and returns what it costs. Returns how many are left out.
fn cut_list<T>(
    items: &mut Vec<T>,
    budget: &mut ShownBudget,
    mut shorten: impl FnMut(&mut T) -> usize,
) -> u32 {
    /// What an item costs beside its texts, in bytes.
    const ITEM: usize = 400;
    let kept = items
        .iter_mut()
        .take(MOST_TOLD)
        .map(|item| ITEM + shorten(item))
        .take_while(|cost| budget.take(*cost))
        .count();
    let omitted = items.len() - kept;
    items.truncate(kept);
    items.shrink_to_fit();
    u32::try_from(omitted).unwrap_or(u32::MAX)
}

/// Cuts the texts of a death, and returns what they cost.
fn cut_death(death: &mut Death) -> usize {
    death.routing_keys.truncate(MOST_KEYS);
    let texts = [&mut death.queue, &mut death.exchange]
        .into_iter()
        .chain(&mut death.routing_keys)
        .chain(&mut death.original_expiration);
    // In a letter the last arrival's deaths stand twice.
    texts.fold(0, |cost, text| {
        *text = cut(text, MOST_TOLD_BYTES);
        cost + 2 * page_cost(text)
    })
}
