//! Queues that confirm letters and keep none of them, as the topology was read last. What is confirmed there
//! is not known to be delivered; nor is it where the queues were not read.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::replay::Address;
use dlo_domain::topology::Vhost;
use tokio::time::Instant;

use super::halt::{Halt, persist};
use super::lane::Line;
use super::prepare::Ready;
use crate::store::topology::{self, Place};
use crate::topology::read_now;

/// How often a lane looks whether its vhost was read anew.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Addresses of which is remembered what becomes of letters there.
const MOST_REMEMBERED: usize = 10_000;

/// What is known of a vhost's queues.
#[derive(Debug, Default)]
pub(super) struct Capacity {
    vhost: Option<Box<Vhost>>,
    read_at: Option<DateTime<Utc>>,
    looked_at: Option<Instant>,
    remembered: BTreeMap<Address, Option<String>>,
}

impl Capacity {
    /// Why it is not known that a letter is kept which the broker confirms there; `None` if it is.
    fn doubt(&mut self, address: &Address) -> Option<String> {
        let Some(vhost) = &self.vhost else {
            return Some(UNREAD.to_owned());
        };
        if let Some(doubt) = self.remembered.get(address) {
            return doubt.clone();
        }
        let doubt = vhost.may_drop(&address.exchange, &address.routing_key);
        if self.remembered.len() >= MOST_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(address.clone(), doubt.clone());
        doubt
    }

    /// Whether enough was read to know what is kept of letters that go there.
    fn tells(&self, address: &Address) -> bool {
        let vhost = self.vhost.as_ref();
        vhost.is_some_and(|vhost| vhost.tells_what_is_kept(address.only_queue()))
    }

    fn learn(&mut self, vhost: Vhost, read_at: Option<DateTime<Utc>>) {
        *self = Self { vhost: Some(Box::new(vhost)), read_at, ..Self::default() };
    }
}

const UNREAD: &str = "It is not known whether its queues keep letters: the management API did not describe their vhost.";

impl Line<'_> {
    /// Writes at letters why it is not known that what the broker confirms of them is kept.
    pub(super) async fn note_doubts(
        &self,
        capacity: &mut Capacity,
        ready: &mut [Ready],
    ) -> Result<(), Halt> {
        let since = capacity.looked_at.map(|at| at.elapsed());
        if since.is_none_or(|since| since >= LOOK_EVERY) {
            self.look_at(capacity, ready).await?;
            capacity.looked_at = Some(Instant::now());
        }
        for one in ready {
            one.dropped_by = capacity.doubt(&one.message.address);
        }
        Ok(())
    }

    /// Takes up what was read of the vhost since the last look; has it read where that tells nothing of where these
    /// letters go.
    async fn look_at(&self, capacity: &mut Capacity, ready: &[Ready]) -> Result<(), Halt> {
        let (engine, read_at) = (self.engine, capacity.read_at);
        let place = Place { broker: &self.lane.broker, vhost: &self.lane.vhost };
        let found = persist!(engine, conn => topology::one_other_than(conn, place, read_at).await);
        match found {
            Ok(Some(kept)) => capacity.learn(kept.vhost, Some(kept.read_at)),
            Ok(None) => {}
            Err(Halt::Store(why)) => tracing::debug!(%why, "what was read of a vhost is not known"),
            Err(halt) => return Err(halt),
        }
        if !ready.iter().all(|one| capacity.tells(&one.message.address))
            && let Some(vhost) = read_now(&engine.brokers, place).await
        {
            capacity.learn(vhost, capacity.read_at);
        }
        Ok(())
    }
}
