//! Where the dead letters of a queue go: over which exchange, with which key, into which queues.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::map::Map;
use super::model::Queue;
use super::setting::Effective;
pub(super) use crate::routing::has_wildcard;
use crate::routing::{Choice, Routing};

/// Exchanges that are followed from one to the next, at most.
const MOST_EXCHANGES: usize = 50;
/// Queues that a route leads to, at most: more are the same for whoever reads it.
const MOST_QUEUES: usize = 200;
/// Keys that are tried, at most.
const MOST_KEYS: usize = 50;

/// How a dead-letter route ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// In queues.
    Arrives,
    /// There is no such exchange.
    ExchangeMissing,
    /// No queue gets any of them.
    Nowhere,
    /// More is bound than is read.
    Unknown,
}

/// Where the dead letters of a queue go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeadRoute {
    /// The dead-letter exchange; `""` is the default exchange.
    pub exchange: String,
    /// The key that is set; without one each letter keeps its own.
    pub key: Option<String>,
    /// The queues that get them, or may: of a headers exchange, or of keys that nobody knows.
    pub to: BTreeSet<String>,
    /// How it ends.
    pub end: End,
    /// Keys with which messages come to the queue, and which no binding takes when they die.
    pub lost_keys: BTreeSet<String>,
}

/// The keys that dead letters may have.
#[derive(Debug, Default)]
struct Keys {
    /// Known ones.
    exact: BTreeSet<String>,
    /// Also others.
    any: bool,
}

/// The route of a queue, if it has a dead-letter exchange.
pub(super) fn of(map: &Map<'_>, queue: &Queue, effective: &Effective) -> Option<DeadRoute> {
    let exchange = effective.dead_letter_exchange.as_ref()?.value.clone();
    let key = effective.dead_letter_routing_key.as_ref();
    let key = key.map(|key| key.value.clone());
    let keys = match &key {
        Some(key) => Keys { exact: BTreeSet::from([key.clone()]), any: false },
        None => arriving(map, queue),
    };
    let mut route = DeadRoute {
        exchange,
        key,
        to: BTreeSet::new(),
        end: End::Arrives,
        lost_keys: BTreeSet::new(),
    };
    if map.vhost.lacks(super::Gap::Wiring) {
        route.end = End::Unknown;
    } else if !route.exchange.is_empty() && map.exchange(&route.exchange).is_none() {
        route.end = End::ExchangeMissing;
    } else {
        for key in &keys.exact {
            let reached = follow(map, &route.exchange, Some(key));
            if reached.is_empty() {
                route.lost_keys.insert(key.clone());
            }
            route.to.extend(reached);
        }
        if keys.any {
            route.to.extend(follow(map, &route.exchange, None));
        }
        if route.to.is_empty() {
            route.end = End::Nowhere;
        }
    }
    Some(route)
}

/// Whether every letter of a queue reaches what the route names, and not only may: of a headers exchange
/// nobody knows, nor of keys that nobody knows where they decide. Routes over further exchanges are not looked
/// into.
pub(super) fn is_sure(map: &Map<'_>, queue: &Queue, route: &DeadRoute) -> bool {
    let Some(exchange) = map.exchange(&route.exchange) else {
        return false;
    };
    let mut bound = map.bound_to(&exchange.name);
    let goes_on = map.bound_to(&exchange.name).any(|one| !one.is_to_queue);
    let choice = Choice::of_type(&exchange.kind);
    let takes_all = match choice {
        Choice::Fanout => true,
        Choice::Topic => bound.any(|one| one.key == "#"),
        Choice::Direct => false,
        Choice::Other => return false,
    };
    let is_known = || route.key.is_some() || !arriving(map, queue).any;
    !goes_on && route.lost_keys.is_empty() && (takes_all || is_known())
}

/// The keys with which messages come to a queue.
fn arriving(map: &Map<'_>, queue: &Queue) -> Keys {
    let mut keys = Keys::default();
    for binding in map.bindings_of(&queue.name) {
        let kind = map.exchange(&binding.source).map(|x| Choice::of_type(&x.kind));
        let is_exact = match kind {
            Some(Choice::Direct) => true,
            Some(Choice::Topic) => !has_wildcard(&binding.key),
            Some(Choice::Fanout | Choice::Other) | None => false,
        };
        if is_exact && keys.exact.len() < MOST_KEYS {
            keys.exact.insert(binding.key.clone());
        } else {
            keys.any = true;
        }
    }
    if keys.exact.is_empty() && !keys.any {
        // Through the default exchange.
        keys.exact.insert(queue.name.clone());
    }
    keys
}

/// The queues that can get a message with this key. `None` if there is more than is followed.
pub(super) fn receivers(map: &Map<'_>, exchange: &str, key: &str) -> Option<BTreeSet<String>> {
    let reached = reach(map, exchange, Some(key));
    reached.is_whole.then_some(reached.queues)
}

/// The queues that get a message with this key, or may get one whose key nobody knows.
fn follow(map: &Map<'_>, exchange: &str, key: Option<&str>) -> BTreeSet<String> {
    reach(map, exchange, key).queues
}

/// Where an exchange leads.
struct Reached {
    queues: BTreeSet<String>,
    /// Nothing was left off.
    is_whole: bool,
}

fn reach(map: &Map<'_>, exchange: &str, key: Option<&str>) -> Reached {
    if exchange.is_empty() {
        let named = key.filter(|key| map.queue(key).is_some());
        return Reached { queues: named.map(str::to_owned).into_iter().collect(), is_whole: true };
    }
    let mut is_whole = true;
    let mut queues = BTreeSet::new();
    let mut seen = BTreeSet::from([exchange]);
    let mut open = vec![exchange];
    while let Some(name) = open.pop() {
        let Some(exchange) = map.exchange(name) else {
            continue;
        };
        let mut routing = Routing::new(Choice::of_type(&exchange.kind), key);
        for binding in map.bound_to(name) {
            if !routing.takes(&binding.key) {
                continue;
            }
            if binding.is_to_queue {
                if queues.len() < MOST_QUEUES {
                    queues.insert(binding.destination.clone());
                } else {
                    is_whole &= queues.contains(&binding.destination);
                }
            } else if seen.len() < MOST_EXCHANGES {
                if seen.insert(&binding.destination) {
                    open.push(&binding.destination);
                }
            } else {
                is_whole &= seen.contains(binding.destination.as_str());
            }
        }
        if let Some(alternate) = exchange.alternate.as_deref()
            && routing.may_be_left()
        {
            if seen.len() >= MOST_EXCHANGES {
                is_whole &= seen.contains(alternate);
            } else if seen.insert(alternate) {
                open.push(alternate);
            }
        }
    }
    queues.retain(|queue| map.queue(queue).is_some());
    Reached { queues, is_whole }
}
