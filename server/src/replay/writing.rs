//! What is written down of a replay's letters: a mark before they are published, and what came of each
//! afterwards.

use std::collections::HashSet;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;

use super::Engine;
use super::halt::{Halt, persist};
use super::lane::{Line, START};
use super::prepare::{self, Ready};
use crate::broker::Published;
use crate::failpoint;
use crate::store::StoreError;
use crate::store::replays::marks::{self, Begun, Since};
use crate::store::replays::outcomes::{self, Recorded, Seat};
use crate::store::replays::steer;
use crate::store::replays::work::Orders;

/// Why a replay that keeps the order of its letters stops.
const IN_THE_WAY: &str = "a letter did not get through, and those after it are to keep their order: \
    decide on it, then resume";

/// The same, for one that was published and is back before the next one is.
const BACK_AGAIN: &str = "a letter died again, and those after it are to keep their order: decide on it, \
    then resume";

/// Letters that were marked.
pub(super) struct Marked {
    pub(super) ready: Vec<Ready>,
    /// Those up to this position may leave without a note. Only where nothing was on its way before them.
    pub(super) sent_through: Option<i32>,
}

impl Line<'_> {
    /// Marks the letters that come next, and keeps those that were marked. `before` is the first of
    /// those that are marked and not written down.
    pub(super) async fn marked(
        &self,
        before: Option<i32>,
        next: Vec<Ready>,
    ) -> Result<Marked, Halt> {
        let at_once = next.get(..self.most_on_the_way).unwrap_or(&next).last();
        let sent_through = at_once.filter(|_| before.is_none()).map(|one| one.seat.position);
        let since = match (before, sent_through) {
            (Some(position), _) => Since::Before(position),
            (None, position) => Since::Anew(position.unwrap_or(START)),
        };
        let seats: Vec<Seat> = next.iter().map(|one| one.seat).collect();
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let me = engine.office_id;
        let range = (since, &*seats);
        let begun = persist!(
            engine,
            conn => marks::begin_publish(conn, replay, me, lane, range).await
        )?;
        let Begun::Except(back) = begun else {
            return Err(Halt::NotOurs);
        };
        let ready = self.still_claimed(next, &back).await?;
        Ok(Marked { ready, sent_through })
    }

    /// The letters without those that came back meanwhile.
    async fn still_claimed(
        &self,
        ready: Vec<Ready>,
        back: &HashSet<LetterId>,
    ) -> Result<Vec<Ready>, Halt> {
        let (back, ready): (Vec<_>, Vec<_>) =
            ready.into_iter().partition(|one| back.contains(&one.seat.letter));
        let why = "it was not published: it came back meanwhile";
        let back: Vec<_> = back.iter().map(|one| prepare::refusal(one.seat, why)).collect();
        self.record(&back).await?;
        Ok(ready)
    }

    /// Writes answers down, while other letters are on their way.
    pub(super) async fn write(&self, answered: &[Recorded]) -> Result<(), Halt> {
        if answered.is_empty() {
            return Ok(());
        }
        let (engine, replay) = (self.engine, self.replay);
        let at = engine.clock.now();
        persist!(engine, conn => {
            outcomes::record(conn, replay, answered, at).await?;
            failpoint::reach(failpoint::WRITTEN);
            Ok::<_, StoreError>(())
        })?;
        self.count(answered);
        Ok(())
    }

    /// Writes the last answers down, and takes the mark away: nothing is on its way any more. Letters
    /// that never left are pending again.
    pub(super) async fn put_down(&self, answered: &[Recorded]) -> Result<(), Halt> {
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let (me, at) = (engine.office_id, engine.clock.now());
        persist!(engine, conn => {
            outcomes::record(conn, replay, answered, at).await?;
            failpoint::reach(failpoint::WRITTEN);
            marks::clear(conn, replay, me, lane).await
        })?;
        self.count(answered);
        Ok(())
    }

    /// Counts what came of letters, for `/metrics`.
    fn count(&self, recorded: &[Recorded]) {
        let by = self.orders.asked_by;
        for outcome in Outcome::ALL {
            let letters = recorded.iter().filter(|one| one.outcome == outcome).count();
            if letters > 0 {
                metrics::counter!("dlo_replayed_letters_total", "outcome" => outcome.as_str(), "by" => by)
                    .increment(letters.try_into().unwrap_or(u64::MAX));
            }
        }
    }

    pub(super) async fn record(&self, recorded: &[Recorded]) -> Result<(), Halt> {
        self.engine.record(self.replay, recorded).await?;
        self.count(recorded);
        let engine = self.engine;
        engine.keep_order(self.replay, self.orders, recorded).await
    }
}

impl Engine {
    pub(super) async fn record(&self, replay: ReplayId, recorded: &[Recorded]) -> Result<(), Halt> {
        if recorded.is_empty() {
            return Ok(());
        }
        let at = self.clock.now();
        persist!(self, conn => outcomes::record(conn, replay, recorded, at).await)?;
        Ok(())
    }

    /// Stops a replay whose letters are to keep their order, when one of them did not get through.
    pub(super) async fn keep_order(
        &self,
        replay: ReplayId,
        orders: &Orders,
        recorded: &[Recorded],
    ) -> Result<(), Halt> {
        if !orders.in_order || are_confirmed(recorded) {
            return Ok(());
        }
        self.stop_replay(replay, IN_THE_WAY).await?;
        Err(Halt::NotOurs)
    }

    /// Stops a replay whose letters are to keep their order, when one of them is back: those after it would
    /// overtake it.
    pub(super) async fn stop_when_one_is_back(&self, replay: ReplayId) -> Result<(), Halt> {
        if !persist!(self, conn => steer::has_some_back(conn, replay).await)? {
            return Ok(());
        }
        self.stop_replay(replay, BACK_AGAIN).await?;
        Err(Halt::NotOurs)
    }
}

/// Whether the broker confirmed all of these.
pub(super) fn are_confirmed(recorded: &[Recorded]) -> bool {
    recorded.iter().all(|one| one.outcome == Outcome::Confirmed)
}

/// A letter on its way, and what its answer is to be read with.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) seat: Seat,
    /// What was left out or changed, for people.
    pub(super) detail: Option<String>,
    /// Why it is not known that it is kept when the broker confirms it.
    pub(super) dropped_by: Option<String>,
    /// The exchange that it goes to; `None` if only one queue can get it.
    pub(super) exchange: Option<String>,
}

/// What is to be written down of the answers to a window. Letters that never left are not in it: they
/// are still pending.
pub(super) fn recorded(in_flight: Vec<InFlight>, answers: &[Published]) -> Vec<Recorded> {
    let outcomes = in_flight.into_iter().zip(answers);
    outcomes.filter_map(|(letter, answer)| letter.outcome(answer.clone())).collect()
}

impl InFlight {
    /// What an answer means for the letter; `None` if it never left.
    fn outcome(self, answer: Published) -> Option<Recorded> {
        let mut nacked = false;
        let (outcome, detail) = match (answer, self.exchange, self.dropped_by) {
            (Published::Confirmed, _, None) => (Outcome::Confirmed, self.detail),
            (Published::Confirmed, exchange, Some(says)) => {
                (Outcome::Unknown, Some(dropped(exchange.is_some(), &says)))
            }
            (Published::Returned(why), ..) => (Outcome::Unroutable, Some(why)),
            (Published::Refused(why), ..) => (Outcome::Refused, Some(why)),
            (Published::Nacked, None, _) => (Outcome::Refused, Some(NACKED.to_owned())),
            (Published::Nacked, Some(exchange), _) => {
                nacked = true;
                (Outcome::Unknown, Some(nacked_at(&exchange)))
            }
            (Published::Lost(why), ..) => {
                let why = format!("the publish was cut off: {why}");
                (Outcome::Unknown, Some(why))
            }
            (Published::NotSent, ..) => return None,
        };
        Some(Recorded {
            seat: self.seat,
            outcome,
            detail: detail.map(|text| text.replace('\0', "\u{fffd}")),
            nacked,
        })
    }
}

/// Why one queue refused a letter.
const NACKED: &str =
    "the broker refused it: the queue is full (reject-publish) or could not store it";

/// What is known of a letter that a queue refused, and that others may have taken.
fn nacked_at(exchange: &str) -> String {
    format!(
        "a queue refused it, because it is full (reject-publish) or could not store it. If the exchange \
         `{exchange}` has other queues for it, they have it: check there before it is sent again"
    )
}

fn dropped(is_to_exchange: bool, says: &str) -> String {
    let who = if is_to_exchange { "not every queue that gets it" } else { "nobody" };
    format!("the broker confirmed it, and {who} may have it. {says}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn came(answer: Published, exchange: Option<&str>, dropped_by: Option<&str>) -> Recorded {
        let in_flight = InFlight {
            seat: Seat { position: 0, letter: LetterId(Uuid::from_u128(1)) },
            detail: None,
            dropped_by: dropped_by.map(str::to_owned),
            exchange: exchange.map(str::to_owned),
        };
        recorded(vec![in_flight], &[answer]).remove(0)
    }

    #[test]
    fn a_nack_is_a_refusal_only_where_one_queue_could_have_it() {
        let one = came(Published::Nacked, None, None);
        assert_eq!((one.outcome, one.nacked), (Outcome::Refused, false));
        let several = came(Published::Nacked, Some("events"), None);
        assert_eq!((several.outcome, several.nacked), (Outcome::Unknown, true));
        let detail = several.detail.expect("a reason");
        assert!(detail.contains("the exchange `events`"), "{detail}");
    }

    #[test]
    fn what_a_queue_drops_is_not_delivered() {
        let kept = came(Published::Confirmed, None, None);
        assert_eq!(kept.outcome, Outcome::Confirmed);
        let dropped = came(Published::Confirmed, None, Some("`work` keeps nothing"));
        assert_eq!(dropped.outcome, Outcome::Unknown);
    }
}
