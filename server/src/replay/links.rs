//! Connections to brokers, kept between replays: a click is answered at once, without a new
//! connection each time.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use dlo_domain::ids::ReplayId;

use super::Engine;
use super::halt::{Halt, pauses, persist};
use crate::broker::{BrokerError, Fault, Publisher};
use crate::store::replays::work::{self, Lane};

/// Idle connections that are kept for each lane.
const MOST_IDLE: usize = 2;

/// The connections that nobody uses now.
#[derive(Debug, Default)]
pub(super) struct Links(Mutex<BTreeMap<Lane, Vec<Publisher>>>);

/// The way to a broker.
#[derive(Debug)]
pub(super) enum Way {
    /// Open.
    Open(Box<Publisher>),
    /// The broker answers and says no: there is no such vhost, or it is not for us.
    Refused(String),
}

impl Links {
    fn take(&self, lane: &Lane) -> Option<Publisher> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle.get_mut(lane)?;
        kept.retain(Publisher::is_open);
        kept.pop()
    }

    /// Keeps a connection for the next replay, or closes it.
    pub(super) async fn give_back(&self, lane: &Lane, publisher: Publisher) {
        if let Some(unwanted) = self.keep(lane, publisher) {
            unwanted.close().await;
        }
    }

    fn keep(&self, lane: &Lane, publisher: Publisher) -> Option<Publisher> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle.entry(lane.clone()).or_default();
        if !publisher.is_open() || kept.len() >= MOST_IDLE {
            return Some(publisher);
        }
        kept.push(publisher);
        None
    }

    /// Closes them all.
    pub(super) async fn close(&self) {
        let idle = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for publisher in idle.into_values().flatten() {
            publisher.close().await;
        }
    }
}

/// Whether waiting helps nothing: the broker refuses, or the configuration does not name it any more.
fn is_final(why: &BrokerError) -> bool {
    let is_unknown = matches!(why, BrokerError::UnknownBroker(_) | BrokerError::Address(_));
    is_unknown || why.fault() == Fault::Refused
}

impl Engine {
    /// A connection that takes messages now. Waits while the broker is away or blocks
    /// publishers: nothing is marked or sent meanwhile.
    pub(super) async fn way(
        &self,
        replay: ReplayId,
        lane: &Lane,
        mut held: Option<Publisher>,
    ) -> Result<Way, Halt> {
        let mut pauses = pauses();
        loop {
            let why = match self.reach(lane, held.take()).await {
                Ok(publisher) if !publisher.is_blocked() => {
                    self.waits.clear(replay, lane);
                    return Ok(Way::Open(Box::new(publisher)));
                }
                Ok(publisher) => {
                    held = Some(publisher);
                    "it takes no messages, because its memory or disk runs out".to_owned()
                }
                Err(why) if is_final(&why) => {
                    self.waits.clear(replay, lane);
                    return Ok(Way::Refused(why.to_string()));
                }
                Err(why) => why.to_string(),
            };
            tracing::debug!(broker = lane.broker, vhost = lane.vhost, why, "a replay waits");
            self.waits.note(replay, lane, &why, self.clock.now());
            let waited = match self.pause(&mut pauses).await {
                Ok(()) => self.still_ours(replay).await,
                halt => halt,
            };
            if let Err(halt) = waited {
                self.waits.clear(replay, lane);
                return Err(halt);
            }
        }
    }

    /// Whether somebody paused or cancelled the replay, or took it over, while it waited.
    pub(super) async fn still_ours(&self, replay: ReplayId) -> Result<(), Halt> {
        let me = self.office_id;
        if persist!(self, conn => work::is_ours(conn, replay, me).await)? {
            Ok(())
        } else {
            Err(Halt::NotOurs)
        }
    }

    async fn reach(
        &self,
        lane: &Lane,
        held: Option<Publisher>,
    ) -> Result<Publisher, crate::broker::BrokerError> {
        if let Some(publisher) = held {
            if publisher.is_open() {
                return Ok(publisher);
            }
            publisher.close().await;
        }
        match self.links.take(lane) {
            Some(publisher) => Ok(publisher),
            None => Publisher::open(&self.brokers, &lane.broker, &lane.vhost).await,
        }
    }
}
