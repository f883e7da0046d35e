//! Replays that cannot go on for now, and letters that they had to leave out, for the banner that says
//! what is not well.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::office::Trouble;

use crate::store::replays::work::Lane;

/// Unreadable letters that are told one by one, at most.
const MOST_UNREADABLE: usize = 5;

#[derive(Debug, Default)]
struct Board {
    waiting: BTreeMap<(ReplayId, Lane), Trouble>,
    /// Letters that could not be read when they were to be replayed. Nobody reads them again by itself,
    /// so that they stay until the office ends.
    unreadable: BTreeMap<LetterId, Trouble>,
}

/// The board on which the engine notes waits and the desk reads them. Clones are the same board.
#[derive(Debug, Clone, Default)]
pub struct Waits(Arc<Mutex<Board>>);

impl Waits {
    /// What waits now.
    #[must_use]
    pub fn troubles(&self) -> Vec<Trouble> {
        self.with(|board| {
            let troubles = board.waiting.values().chain(board.unreadable.values());
            troubles.cloned().collect()
        })
    }

    /// Notes a letter whose stored message cannot be read.
    pub(super) fn note_unreadable(&self, letter: LetterId, why: &str, now: DateTime<Utc>) {
        let trouble = Trouble {
            what: format!(
                "Letter {letter} was left out of a replay: its stored message cannot be read ({why}). \
                 It is held; the other letters of the replay were not held up."
            ),
            since: now,
        };
        self.with(|board| {
            if board.unreadable.len() < MOST_UNREADABLE {
                board.unreadable.entry(letter).or_insert(trouble);
            }
        });
    }

    pub(super) fn note(&self, replay: ReplayId, lane: &Lane, why: &str, now: DateTime<Utc>) {
        let what = format!(
            "A replay waits for the broker `{}` (vhost {}): {why}. Its letters are safe, and it \
             goes on by itself.",
            lane.broker, lane.vhost
        );
        self.with(|board| {
            let entry = board.waiting.entry((replay, lane.clone()));
            let trouble = entry.or_insert_with(|| Trouble { what: String::new(), since: now });
            trouble.what = what;
        });
    }

    pub(super) fn clear(&self, replay: ReplayId, lane: &Lane) {
        self.with(|board| board.waiting.remove(&(replay, lane.clone())));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Board) -> T) -> T {
        // A map of notes cannot be left half changed, whoever panicked.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
