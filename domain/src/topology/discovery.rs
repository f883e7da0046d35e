//! Which queues are dead-letter queues: those where dead letters come to rest, as arguments, policies and
//! bindings say; and those whose name says so, since some frameworks put failed messages into queues
//! themselves, without the broker.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::lint::text::{counted, some};
use super::map::{Map, Role};
use super::model::{Gap, Queue, QueueKind};
use super::names::named_for_failures;
use super::report::BrokerTopology;
use crate::source::SourceMode;

/// Queues that are told, at most.
const MOST_FOUND: usize = 200;
/// Queues whose dead letters come to one, as far as each is named.
const MOST_FEEDERS: usize = 20;
/// How our own queues are called: copies for mirrors, heartbeats, and receipts of acknowledgements.
const OURS: [&str; 3] = ["dlo.mirror.", "dlo.fleet.", "dlo.receipts."];

const NOT_YET: &str = "its queues were not read yet: an office reads them within seconds of its start, \
    unless DLO_TOPOLOGY is off";
const NO_VHOST: &str = "no vhost of this name was seen when the broker was last read";

/// Whether a queue is one of our own.
#[must_use]
pub fn is_ours(queue: &str) -> bool {
    OURS.iter().any(|beginning| queue.starts_with(beginning))
}

/// Where dead-letter queues are looked for; everywhere when nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Discover {
    /// At this broker only: its name in the configuration.
    #[serde(default)]
    pub broker: Option<String>,
    /// In vhosts of this name only.
    #[serde(default)]
    pub vhost: Option<String>,
}

impl Discover {
    /// Whether a broker is meant.
    #[must_use]
    pub fn means_broker(&self, broker: &str) -> bool {
        self.broker.as_deref().is_none_or(|wanted| wanted == broker)
    }

    /// Whether vhosts of this name are meant.
    #[must_use]
    pub fn means_vhost(&self, vhost: &str) -> bool {
        self.vhost.as_deref().is_none_or(|wanted| wanted == vhost)
    }
}

/// By what a dead-letter queue was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// Dead letters of others come to rest in it.
    DeadLetters,
    /// Its name says so, which is a hint and no proof.
    Named,
}

/// A queue as a source, ready to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FoundSource {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// Take: its letters are ours to keep.
    pub mode: SourceMode,
}

/// A dead-letter queue that is no source yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FoundQueue {
    /// What `POST /api/v1/sources` takes to watch it.
    pub source: FoundSource,
    /// Messages that wait in it, as far as the broker tells.
    pub ready: Option<i64>,
    /// Who consumes it already, as far as the broker tells. Whoever does gets a part of its letters.
    pub consumers: Option<i64>,
    /// Why it is taken for one, in a sentence or some.
    pub why: String,
    /// By what it was found.
    pub kind: FoundBy,
    /// The queues whose dead letters come to it, by name: the first 20.
    pub fed_by: Vec<String>,
}

/// What could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnreadPlace {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost; absent when it is all of the broker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vhost: Option<String>,
    /// Why, and what to do.
    pub trouble: String,
}

/// Dead-letter queues that are no sources yet, and what could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Discovery {
    /// At most 200: where dead letters come to rest first, and the most letters before fewer.
    pub items: Vec<FoundQueue>,
    /// Never there: watch what was found, and ask again.
    pub next_cursor: Option<String>,
    /// How many there are in all.
    pub estimated_total: i64,
    /// What could not be read, or not all of it: there may be more. What was read of it last is among
    /// the items.
    pub unread: Vec<UnreadPlace>,
}

impl Discovery {
    /// Nothing found yet; what of these brokers cannot be looked at.
    #[must_use]
    pub fn begin(asked: &Discover, brokers: &[BrokerTopology]) -> Self {
        let meant = |name: &str| asked.means_vhost(name);
        let is_seen = brokers.iter().flat_map(|broker| &broker.vhosts).any(|one| meant(&one.vhost));
        let mut unread = Vec::new();
        for broker in brokers {
            let mut note = |vhost: Option<&str>, trouble: &str| {
                unread.push(UnreadPlace {
                    broker: broker.broker.clone(),
                    vhost: vhost.map(str::to_owned),
                    trouble: trouble.to_owned(),
                });
            };
            match &broker.trouble {
                Some(trouble) => note(None, trouble),
                None if broker.vhosts.is_empty() => note(None, NOT_YET),
                None if !is_seen => note(asked.vhost.as_deref(), NO_VHOST),
                None => {}
            }
            for one in broker.vhosts.iter().filter(|one| meant(&one.vhost)) {
                if let Some(trouble) = &one.trouble {
                    note(Some(&one.vhost), trouble);
                }
                for gap in hiding(&one.gaps) {
                    note(Some(&one.vhost), gap.says());
                }
            }
        }
        Self { unread, ..Self::default() }
    }

    /// Looks for dead-letter queues in one vhost more.
    pub fn look(&mut self, map: &Map<'_>, place: (&str, &str), is_watched: impl Fn(&str) -> bool) {
        let queues = map.vhost.queues.iter();
        let queues = queues.filter(|queue| !is_watched(&queue.name));
        let before = self.items.len();
        self.items.extend(queues.filter_map(|queue| found(map, queue, place)));
        let more = self.items.len() - before;
        self.estimated_total += i64::try_from(more).unwrap_or(i64::MAX);
        self.items.sort_by(|a, b| {
            let (one, other) = (&a.source, &b.source);
            (a.kind, Reverse(a.ready), &one.queue, &one.broker, &one.vhost).cmp(&(
                b.kind,
                Reverse(b.ready),
                &other.queue,
                &other.broker,
                &other.vhost,
            ))
        });
        self.items.truncate(MOST_FOUND);
    }
}

/// What hides dead-letter queues.
fn hiding(gaps: &[Gap]) -> impl Iterator<Item = Gap> {
    // Where the broker tells no figures it does not tell what policies come to, either.
    let is_dark = gaps.contains(&Gap::Figures);
    gaps.iter().copied().filter(move |gap| match gap {
        Gap::Queues | Gap::Wiring | Gap::Unreadable => true,
        Gap::Policies => is_dark,
        Gap::Figures | Gap::OperatorPolicies => false,
    })
}

/// A queue, if it is a dead-letter queue that can be watched.
fn found(map: &Map<'_>, queue: &Queue, (broker, vhost): (&str, &str)) -> Option<FoundQueue> {
    // A stream is read by many and emptied by none; an exclusive queue shows itself to its owner only.
    if queue.kind == QueueKind::Stream || queue.exclusive || is_ours(&queue.name) {
        return None;
    }
    let feeders = map.feeders(&queue.name);
    let feeders: Vec<&str> = feeders.filter(|feeder| *feeder != queue.name).collect();
    let (kind, why) = match map.role(&queue.name) {
        Role::DeadLetters => (FoundBy::DeadLetters, fed(&feeders)),
        Role::Work if feeders.is_empty() => (FoundBy::Named, named(&queue.name)?),
        // Somebody works on it, and what dies there comes back.
        Role::Work | Role::Retry => return None,
    };
    let first = feeders.iter().take(MOST_FEEDERS);
    Some(FoundQueue {
        source: FoundSource {
            broker: broker.to_owned(),
            vhost: vhost.to_owned(),
            queue: queue.name.clone(),
            mode: SourceMode::Take,
        },
        ready: queue.figures.ready,
        consumers: queue.figures.consumers,
        why: format!("{why}{}", beware(map, queue)),
        kind,
        fed_by: first.map(|feeder| (*feeder).to_owned()).collect(),
    })
}

fn fed(feeders: &[&str]) -> String {
    let feeders = some(feeders.iter().copied());
    format!("Dead letters of {feeders} come to rest here.")
}

fn named(queue: &str) -> Option<String> {
    let word = named_for_failures(queue)?;
    Some(format!(
        "Its name says `{word}`: programs put failed messages into such queues themselves."
    ))
}

/// What speaks against taking its letters.
fn beware(map: &Map<'_>, queue: &Queue) -> String {
    let goes_on = map
        .route(&queue.name)
        .map_or("", |_| " It dead-letters itself: messages may only wait here before they go on.");
    let taken = match queue.figures.consumers {
        Some(consumers @ 1..) => format!(" It has {} already.", counted(consumers, "consumer")),
        _ => String::new(),
    };
    format!("{goes_on}{taken}")
}
