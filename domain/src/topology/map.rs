//! A vhost made ready to be asked: what is where, what is bound to what, and which queue is what.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::delay_levels::DelayLevel;
use super::model::{Binding, Exchange, Queue, Vhost};
use super::names::named_for_failures;
use super::route::{self, DeadRoute};
use super::setting::Effective;

/// What a queue is for, as far as dead letters are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Somebody works on it.
    Work,
    /// Dead letters of others come to rest in it.
    DeadLetters,
    /// Dead letters wait in it and go back to where they came from.
    Retry,
}

impl Role {
    /// The word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::DeadLetters => "dead_letters",
            Self::Retry => "retry",
        }
    }
}

/// A vhost with its indexes.
#[derive(Debug)]
pub struct Map<'a> {
    /// The vhost.
    pub vhost: &'a Vhost,
    queues: BTreeMap<&'a str, &'a Queue>,
    exchanges: BTreeMap<&'a str, &'a Exchange>,
    from: BTreeMap<&'a str, Vec<&'a Binding>>,
    to_queue: BTreeMap<&'a str, Vec<&'a Binding>>,
    effective: BTreeMap<&'a str, Effective>,
    routes: BTreeMap<&'a str, DeadRoute>,
    fed_by: BTreeMap<String, BTreeSet<String>>,
    only_delayed: BTreeSet<String>,
}

impl<'a> Map<'a> {
    /// Makes a vhost ready.
    #[must_use]
    pub fn of(vhost: &'a Vhost) -> Self {
        Self::with_workers(vhost, &BTreeSet::new())
    }

    /// Makes a vhost ready whose workers are known by their queues: none of those is a queue of delays, even
    /// while its workers are away.
    #[must_use]
    pub fn with_workers(vhost: &'a Vhost, worked: &BTreeSet<String>) -> Self {
        let mut map = Self::drawn(vhost);
        let fed = map.fed_by.keys();
        map.only_delayed =
            fed.filter(|queue| map.is_only_delayed(queue, worked)).cloned().collect();
        map
    }

    fn drawn(vhost: &'a Vhost) -> Self {
        let mut map = Self {
            vhost,
            queues: vhost.queues.iter().map(|q| (q.name.as_str(), q)).collect(),
            exchanges: vhost.exchanges.iter().map(|x| (x.name.as_str(), x)).collect(),
            from: BTreeMap::new(),
            to_queue: BTreeMap::new(),
            effective: BTreeMap::new(),
            routes: BTreeMap::new(),
            fed_by: BTreeMap::new(),
            only_delayed: BTreeSet::new(),
        };
        for binding in &vhost.bindings {
            map.from.entry(&binding.source).or_default().push(binding);
            if binding.is_to_queue {
                let to = map.to_queue.entry(&binding.destination).or_default();
                to.push(binding);
            }
        }
        for queue in &vhost.queues {
            let effective = Effective::of(vhost, queue);
            if let Some(route) = route::of(&map, queue, &effective) {
                for target in &route.to {
                    let fed = map.fed_by.entry(target.clone()).or_default();
                    fed.insert(queue.name.clone());
                }
                map.routes.insert(&queue.name, route);
            }
            map.effective.insert(&queue.name, effective);
        }
        map
    }

    /// A queue.
    #[must_use]
    pub fn queue(&self, name: &str) -> Option<&'a Queue> {
        self.queues.get(name).copied()
    }

    /// An exchange.
    #[must_use]
    pub fn exchange(&self, name: &str) -> Option<&'a Exchange> {
        self.exchanges.get(name).copied()
    }

    /// What is bound to an exchange.
    pub fn bound_to(&self, exchange: &str) -> impl Iterator<Item = &'a Binding> {
        self.from.get(exchange).into_iter().flatten().copied()
    }

    /// How messages come to a queue.
    pub fn bindings_of(&self, queue: &str) -> impl Iterator<Item = &'a Binding> {
        self.to_queue.get(queue).into_iter().flatten().copied()
    }

    /// What applies to a queue.
    ///
    /// # Panics
    /// Never for a queue of this vhost.
    #[must_use]
    pub fn effective(&self, queue: &Queue) -> &Effective {
        let known = self.effective.get(queue.name.as_str());
        known.expect("every queue of the vhost is reckoned with")
    }

    /// Where a queue's dead letters go, if it says so.
    #[must_use]
    pub fn route(&self, queue: &str) -> Option<&DeadRoute> {
        self.routes.get(queue)
    }

    /// Whose dead letters come to a queue.
    pub fn feeders(&self, queue: &str) -> impl Iterator<Item = &str> {
        let fed = self.fed_by.get(queue).into_iter().flatten();
        fed.map(String::as_str)
    }

    /// The queues whose dead letters can come to a queue, also over others; the queue itself is none of
    /// them, unless they come back to it.
    #[must_use]
    pub fn origins(&self, queue: &str) -> BTreeSet<String> {
        let mut origins = BTreeSet::new();
        let mut open: Vec<&str> = self.feeders(queue).collect();
        while let Some(next) = open.pop() {
            if origins.insert(next.to_owned()) {
                open.extend(self.feeders(next));
            }
        }
        origins
    }

    /// The queues that can get a message which is published to an exchange with this key. `None` if that
    /// is not known for certain: some of the vhost could not be read, or there is more than is followed.
    #[must_use]
    pub fn receivers(&self, exchange: &str, routing_key: &str) -> Option<BTreeSet<String>> {
        if !self.vhost.tells_routes() {
            return None;
        }
        route::receivers(self, exchange, routing_key)
    }

    /// What a queue is for.
    #[must_use]
    pub fn role(&self, queue: &str) -> Role {
        if self.is_delay_level(queue) {
            return Role::Retry;
        }
        if self.only_delayed.contains(queue) || self.others(queue).next().is_none() {
            return Role::Work;
        }
        if self.leads_back(queue) {
            // A queue that works and dies into a waiting queue is fed by that one, too.
            return if self.waits(queue) { Role::Retry } else { Role::Work };
        }
        Role::DeadLetters
    }

    /// Which level of a framework's delay a queue is: nothing that comes from there failed.
    #[must_use]
    pub fn delay_level(&self, name: &str) -> Option<DelayLevel> {
        self.queue(name).and_then(DelayLevel::of)
    }

    fn others(&self, queue: &str) -> impl Iterator<Item = &str> {
        let feeders = self.feeders(queue);
        feeders.filter(move |feeder| *feeder != queue && !self.is_delay_level(feeder))
    }

    pub(super) fn is_delay_level(&self, name: &str) -> bool {
        self.delay_level(name).is_some()
    }

    /// Whether nothing that comes from other queues failed there: it was put there to come here later. The same
    /// is seen of workers' queues while the workers are away, so it counts only for queues that are
    /// worked on, or say themselves where their dead letters go, and are not named for failures.
    fn is_only_delayed(&self, name: &str, worked: &BTreeSet<String>) -> bool {
        let consumers = self.queue(name).and_then(|queue| queue.figures.consumers);
        let is_for_work =
            consumers.is_some_and(|count| count > 0) || self.routes.contains_key(name);
        is_for_work
            && named_for_failures(name).is_none()
            && self.others(name).all(|feeder| {
                !worked.contains(feeder) && self.queue(feeder).is_some_and(|one| self.delays(one))
            })
    }

    /// Whether a queue that dead-letters is there for its time limit: nobody consumes it, and no other queue's
    /// dead letters come to it.
    fn delays(&self, queue: &Queue) -> bool {
        queue.figures.consumers == Some(0)
            && self.effective(queue).message_ttl.is_some()
            && self.others(&queue.name).next().is_none()
    }

    /// Whether messages only wait here: nobody consumes, and they go on when their time is over.
    fn waits(&self, name: &str) -> bool {
        let Some(queue) = self.queue(name) else {
            return false;
        };
        let has_ttl = self.effective(queue).message_ttl.is_some();
        has_ttl || queue.figures.consumers == Some(0)
    }

    /// Whether what dies here comes, perhaps over others, to a queue whose dead letters come here.
    fn leads_back(&self, queue: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = self.targets(queue).collect();
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            if next != queue && self.targets(next).any(|target| target == queue) {
                return true;
            }
            open.extend(self.targets(next));
        }
        false
    }

    fn targets(&self, queue: &str) -> impl Iterator<Item = &str> {
        let route = self.routes.get(queue).into_iter();
        route.flat_map(|route| route.to.iter().map(String::as_str))
    }
}
