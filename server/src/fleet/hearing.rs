//! Hears heartbeats that come as messages: from every broker, in the vhost of its address, in those of
//! its sources, and in those by which workers are known. What cannot be read is counted and told, and
//! acknowledged like the rest: nothing comes twice, and nothing is kept from the others.

mod ear;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use dlo_domain::worker::WorkerQueueNames;
use sqlx::PgPool;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::ear::{Refused, session};
use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::duty::{Duties, Duty, Next};
use crate::store::workers::watches;
use crate::store::{StoreError, sources};

/// Pauses before a vhost is asked again grow from the first to the last of these.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LAST_PAUSE: Duration = Duration::from_secs(15);
/// How often is looked whether there are other vhosts.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// Vhosts beside those of the brokers' addresses, at most: each is a connection of its own.
const MOST_BESIDE: usize = 100;

/// Hears heartbeats.
#[derive(Debug, Clone)]
pub struct Hearing {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The office's clock.
    pub clock: SharedClock,
    /// Where workers may publish.
    pub brokers: Arc<Brokers>,
    /// What the queues of workers are called.
    pub queues: WorkerQueueNames,
}

/// A vhost in which heartbeats are heard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The broker's name in the configuration.
    broker: String,
    /// The vhost.
    vhost: String,
    /// What the way is called: each has a watch of its own, since one vhost may be away alone.
    way: String,
}

/// The way of heartbeats by a broker, in the vhost of its address.
fn way(broker: &str) -> String {
    format!("amqp:{broker}")
}

/// The way in another vhost.
fn way_in(broker: &str, vhost: &str) -> String {
    format!("{}/{vhost}", way(broker))
}

/// The way of heartbeats in a vhost of a broker.
#[must_use]
pub fn way_of(brokers: &Brokers, broker: &str, vhost: &str) -> String {
    match brokers.vhost(broker) {
        Ok(home) if home == vhost => way(broker),
        _ => way_in(broker, vhost),
    }
}

impl Hearing {
    /// Has hearing begin; brokers and vhosts may come and go.
    pub fn begin(self, duties: &Duties) {
        let own = own_places(&self.brokers);
        let wanted = own.values().cloned().collect();
        let (under_way, tasks) = (BTreeMap::new(), JoinSet::new());
        let places = Places { hearing: self, own, wanted, under_way, tasks };
        duties.every("hearing heartbeats", LOOK_AGAIN, places);
    }
}

/// Where heartbeats are heard: a task for each place.
struct Places {
    hearing: Hearing,
    /// The vhosts of the brokers' addresses, by broker.
    own: BTreeMap<String, Place>,
    wanted: BTreeSet<Place>,
    under_way: BTreeMap<Place, CancellationToken>,
    tasks: JoinSet<()>,
}

impl Duty for Places {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        while let Some(ended) = self.tasks.try_join_next() {
            in_order(ended);
        }
        let beside = beside(&self.hearing, &self.own).await;
        if let Ok(beside) = &beside {
            self.wanted = self.own.values().cloned().collect();
            self.wanted.extend(beside.iter().take(MOST_BESIDE).cloned());
        }
        // What is heard is heard on; before the first answer that is the addresses' own.
        self.adjust(stop);
        beside.map(|_| Next::Usual)
    }

    async fn end(mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            in_order(ended);
        }
    }
}

/// A task that broke ends this one, and with it the office: heartbeats that nobody hears would hold
/// workers for dead.
fn in_order(ended: Result<(), JoinError>) {
    if let Err(why) = ended
        && let Ok(fault) = why.try_into_panic()
    {
        std::panic::resume_unwind(fault);
    }
}

impl Places {
    /// Begins where nobody hears yet, and ends where nobody needs to.
    fn adjust(&mut self, stop: &CancellationToken) {
        let Self { hearing, wanted, under_way, tasks, .. } = self;
        under_way.retain(|place, own_stop| {
            let stays = wanted.contains(place);
            if !stays {
                own_stop.cancel();
            }
            stays
        });
        for place in &*wanted {
            if under_way.contains_key(place) {
                continue;
            }
            let own_stop = stop.child_token();
            under_way.insert(place.clone(), own_stop.clone());
            let (hearing, place) = (hearing.clone(), place.clone());
            tasks.spawn(async move { hear_at(&hearing, &place, &own_stop).await });
        }
    }
}

/// The vhosts of the brokers' addresses, by broker.
fn own_places(brokers: &Brokers) -> BTreeMap<String, Place> {
    let names = brokers.0.keys();
    names
        .filter_map(|broker| {
            // The configuration was checked: an address that cannot be read is none.
            let vhost = brokers.vhost(broker).ok()?;
            let place = Place { broker: broker.clone(), vhost, way: way(broker) };
            Some((broker.clone(), place))
        })
        .collect()
}

/// The vhosts of sources, and those by which workers are known: these stay when their sources go, so
/// that nobody's silence is left open.
async fn beside(
    hearing: &Hearing,
    own: &BTreeMap<String, Place>,
) -> Result<BTreeSet<Place>, StoreError> {
    let mut conn = hearing.pool.acquire().await?;
    let watched = sources::watched(&mut conn).await?.into_iter();
    let mut vhosts: Vec<(String, String)> = watched.map(|one| (one.broker, one.vhost)).collect();
    let ways = watches::of_workers(&mut conn).await?;
    let places = own.keys().flat_map(|broker| {
        let begins = way_in(broker, "");
        let theirs = ways.iter().filter_map(move |way| way.strip_prefix(&*begins));
        theirs.map(|vhost| (broker.clone(), vhost.to_owned()))
    });
    vhosts.extend(places);
    let other = vhosts.into_iter().filter(|(broker, vhost)| {
        let at_home = own.get(broker);
        at_home.is_some_and(|home| home.vhost != *vhost)
    });
    Ok(other.map(|(broker, vhost)| Place { way: way_in(&broker, &vhost), broker, vhost }).collect())
}

async fn hear_at(hearing: &Hearing, place: &Place, stop: &CancellationToken) {
    let Place { broker, vhost, .. } = place;
    let mut pause = FIRST_PAUSE;
    let mut refused = Refused::default();
    while !stop.is_cancelled() {
        let began = Instant::now();
        let ended = session(hearing, place, &mut refused, stop).await;
        let Err(why) = ended else { continue };
        if began.elapsed() > LAST_PAUSE * 2 {
            pause = FIRST_PAUSE;
        }
        // Said once for each outage, not for each attempt.
        if pause == FIRST_PAUSE {
            tracing::warn!(broker, vhost, %why, "heartbeats are not heard there; trying again");
        } else {
            tracing::debug!(broker, vhost, %why, "heartbeats are not heard there");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LAST_PAUSE);
    }
}
