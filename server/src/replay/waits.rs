//! Replays that cannot go on for now, for the banner that says what is not well.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use dlo_domain::ids::ReplayId;
use dlo_domain::office::Trouble;

use crate::store::replays::work::Lane;

type Waiting = BTreeMap<(ReplayId, Lane), Trouble>;

/// The board on which the engine notes waits and the desk reads them. Clones are the same board.
#[derive(Debug, Clone, Default)]
pub struct Waits(Arc<Mutex<Waiting>>);

impl Waits {
    /// What waits now.
    #[must_use]
    pub fn troubles(&self) -> Vec<Trouble> {
        self.with(|waiting| waiting.values().cloned().collect())
    }

    pub(super) fn note(&self, replay: ReplayId, lane: &Lane, why: &str, now: DateTime<Utc>) {
        let what = format!(
            "A replay waits for the broker `{}` (vhost {}): {why}. Its letters are safe, and it \
             goes on by itself.",
            lane.broker, lane.vhost
        );
        self.with(|waiting| {
            let entry = waiting.entry((replay, lane.clone()));
            let trouble = entry.or_insert_with(|| Trouble {
                what: String::new(),
                since: now,
            });
            trouble.what = what;
        });
    }

    pub(super) fn clear(&self, replay: ReplayId, lane: &Lane) {
        self.with(|waiting| waiting.remove(&(replay, lane.clone())));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Waiting) -> T) -> T {
        // A map of notes cannot be left half changed, whoever panicked.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
