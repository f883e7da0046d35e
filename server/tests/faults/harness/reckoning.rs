//! A replay's outcomes, held against what its target queue holds: is every word of it true?

use std::collections::BTreeMap;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::reckoning::delivered;

/// Letters that were on their way when their office ended: marked, and neither known to have stayed nor known to
/// be confirmed.
pub async fn in_flight(pool: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(*) from replay_marks m
         join replay_items i on i.replay_id = m.replay_id
             and i.position between m.first_position and m.last_position
         left join replay_progress p on p.replay_id = m.replay_id
         where i.outcome = 'pending' and (p.sent_through is null or i.position <= p.sent_through)
           and not coalesce(i.position <@ p.confirmed, false)",
    )
    .fetch_one(pool)
    .await
    .expect("counted")
}

/// How far a replay is: letters confirmed, and letters still to be published.
pub async fn progress(pool: &PgPool, replay: ReplayId) -> (i64, i64) {
    sqlx::query_as("select confirmed, pending from replays where id = $1")
        .bind(replay.0)
        .fetch_one(pool)
        .await
        .expect("a replay")
}

/// What is said of a replay's letters, and what came of them.
pub struct Reckoning {
    replay: ReplayId,
    outcomes: BTreeMap<LetterId, Outcome>,
    /// What was in the target queue, which is empty now.
    pub delivered: BTreeMap<LetterId, Vec<ReplayId>>,
}

impl Reckoning {
    /// Reads the outcomes of a replay, and empties its target queue.
    pub async fn of(pool: &PgPool, replay: ReplayId, vhost: &Vhost, queue: &str) -> Self {
        let outcomes: Vec<(Uuid, String)> =
            sqlx::query_as("select letter_id, outcome from replay_items where replay_id = $1")
                .bind(replay.0)
                .fetch_all(pool)
                .await
                .expect("items");
        let read = |(letter, word): (Uuid, String)| {
            let outcome = word.parse().expect("an outcome");
            (LetterId(letter), outcome)
        };
        Self {
            replay,
            outcomes: outcomes.into_iter().map(read).collect(),
            delivered: delivered(vhost, queue).await,
        }
    }

    /// The letters with an outcome.
    pub fn letters(&self, outcome: Outcome) -> Vec<LetterId> {
        let mut letters = Vec::new();
        for (letter, came) in &self.outcomes {
            if *came == outcome {
                letters.push(*letter);
            }
        }
        letters
    }

    /// Letters that are called delivered, and are not there.
    pub fn lost(&self) -> usize {
        let confirmed = self.letters(Outcome::Confirmed);
        confirmed.iter().filter(|letter| !self.delivered.contains_key(letter)).count()
    }

    /// Copies beyond the first of each letter.
    pub fn duplicates(&self) -> usize {
        self.delivered.values().map(|copies| copies.len() - 1).sum()
    }

    /// Every letter is confirmed or unknown, what is confirmed is there, and all that is there was
    /// sent by this replay, for a letter of this replay.
    pub fn assert_true(&self) {
        for (letter, outcome) in &self.outcomes {
            let is_there = self.delivered.contains_key(letter);
            match outcome {
                Outcome::Confirmed => assert!(is_there, "{letter} is called a success, falsely"),
                Outcome::Unknown => {}
                other => panic!("{letter} is {other}, and it is {is_there} that the queue has it"),
            }
        }
        for (letter, replays) in &self.delivered {
            assert!(self.outcomes.contains_key(letter), "{letter} was not asked");
            assert!(
                replays.iter().all(|replay| *replay == self.replay),
                "{letter} carries {replays:?} in place of {}",
                self.replay
            );
        }
    }
}
