//! What is known of one vhost: bounded, and free of what neither Postgres nor a page can hold.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest name that AMQP allows, in bytes.
pub const MOST_NAME_BYTES: usize = 255;

/// Arguments of a queue, or the definition of a policy.
pub type Settings = Map<String, Value>;

/// One vhost of a broker, as it was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Vhost {
    /// The broker's version, as it writes it.
    pub version: Option<String>,
    /// The queues, by name.
    pub queues: Vec<Queue>,
    /// The exchanges, by name; the default exchange is not among them.
    pub exchanges: Vec<Exchange>,
    /// All bindings but those of the default exchange.
    pub bindings: Vec<Binding>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// The operator's policies.
    pub operator_policies: Vec<Policy>,
    /// What is not known.
    pub gaps: Vec<Gap>,
}

impl Vhost {
    /// The first number of the broker's version.
    #[must_use]
    pub fn major(&self) -> Option<u32> {
        self.number(0)
    }

    /// The first two numbers of the broker's version.
    #[must_use]
    pub fn release(&self) -> Option<(u32, u32)> {
        Some((self.number(0)?, self.number(1)?))
    }

    fn number(&self, place: usize) -> Option<u32> {
        self.version.as_deref()?.split('.').nth(place)?.parse().ok()
    }

    /// Whether something is not known.
    #[must_use]
    pub fn lacks(&self, gap: Gap) -> bool {
        self.gaps.contains(&gap)
    }

    /// Whether all is known that decides where messages go.
    #[must_use]
    pub fn tells_routes(&self) -> bool {
        ![Gap::Policies, Gap::Queues, Gap::Wiring, Gap::Unreadable]
            .into_iter()
            .any(|gap| self.lacks(gap))
    }
}

/// What a read of a vhost could not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// The broker counts no consumers and no rates.
    Figures,
    /// The policies may not be read.
    Policies,
    /// The operator's policies may not be read.
    OperatorPolicies,
    /// There are more queues than are read.
    Queues,
    /// There are more exchanges, bindings or policies than are read.
    Wiring,
    /// Some names or members cannot be read.
    Unreadable,
}

impl Gap {
    /// What it means, for people.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Figures => {
                "The broker reports no figures: it has just started, or keeps none \
                 (management_agent.disable_metrics_collector, or management.disable_stats). \
                 Consumers and rates are not known, so queues without consumers are not found."
            }
            Self::Policies => {
                "The policies may not be read by this user: what a policy sets is known only \
                 where the broker reports it with the queue, and policies that shadow each other are not \
                 found. Give the user the tag `monitoring` and a permission on the vhost."
            }
            Self::OperatorPolicies => {
                "The operator policies may not be read by this user: what they set is known only \
                 where the broker reports it with the queue."
            }
            Self::Queues => {
                "The vhost has more queues than are looked at: those behind the first 10,000 are \
                 missing here, and so are their findings."
            }
            Self::Wiring => {
                "The vhost has more exchanges, bindings or policies than are looked at, so \
                 dead-letter routes are not shown, and missing exchanges are not found."
            }
            Self::Unreadable => {
                "Some queues, exchanges, bindings or policies have names or members that cannot be \
                 read, and are left out."
            }
        }
    }
}

/// What a queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QueueKind {
    /// One node, or mirrored.
    #[default]
    Classic,
    /// Replicated; counts deliveries.
    Quorum,
    /// A log; nothing dies in it.
    Stream,
    /// A plugin's.
    Other,
}

impl QueueKind {
    /// What a broker calls it.
    #[must_use]
    pub fn of_type(name: &str) -> Self {
        match name {
            "classic" | "rabbit_classic_queue" => Self::Classic,
            "quorum" | "rabbit_quorum_queue" => Self::Quorum,
            "stream" | "rabbit_stream_queue" => Self::Stream,
            _ => Self::Other,
        }
    }

    /// The word in JSON and on the screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Quorum => "quorum",
            Self::Stream => "stream",
            Self::Other => "other",
        }
    }
}

/// A queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: QueueKind,
    /// Whether it is there after a restart of the broker.
    #[serde(default)]
    pub durable: bool,
    /// Whether it goes with its last consumer.
    #[serde(default)]
    pub auto_delete: bool,
    /// Whether it goes with its connection.
    #[serde(default)]
    pub exclusive: bool,
    /// The arguments that it was declared with.
    #[serde(default)]
    pub arguments: Settings,
    /// The policy that applies.
    #[serde(default)]
    pub policy: Option<String>,
    /// The operator policy that applies.
    #[serde(default)]
    pub operator_policy: Option<String>,
    /// What both policies come to.
    #[serde(default)]
    pub by_policy: Settings,
    /// How often a message may come back, as the broker itself says (since 4.0); negative where there is no
    /// limit.
    #[serde(default)]
    pub told_limit: Option<i64>,
    /// How full and busy it is.
    #[serde(default)]
    pub figures: Figures,
    /// For how long it has been seen without a consumer, in seconds; nothing where nobody knows.
    #[serde(default)]
    pub idle_seconds: Option<u32>,
}

/// How full and busy a queue is. The broker's figures are some seconds old.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Figures {
    /// Messages that wait.
    pub ready: Option<i64>,
    /// Messages that a consumer has and has not acknowledged.
    pub unacknowledged: Option<i64>,
    /// Consumers.
    pub consumers: Option<i64>,
    /// Messages of a quorum queue that died and were not confirmed by their dead-letter queue yet
    /// (at-least-once): neither ready nor unacknowledged.
    #[serde(default)]
    pub dying: Option<i64>,
    /// Messages of a quorum queue that wait for their next delivery (delayed retry, since 4.3): neither ready
    /// nor unacknowledged.
    #[serde(default)]
    pub delayed: Option<i64>,
    /// Messages that come, a second.
    pub in_per_second: Option<f64>,
    /// Messages that are delivered or fetched, a second.
    pub out_per_second: Option<f64>,
}

/// An exchange.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exchange {
    /// Its name.
    pub name: String,
    /// Its type: `direct`, `topic`, `fanout`, `headers`, or a plugin's.
    pub kind: String,
    /// Where messages go that no binding takes, if it names such an exchange.
    #[serde(default)]
    pub alternate: Option<String>,
}

/// A binding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Binding {
    /// The exchange.
    pub source: String,
    /// The queue or exchange that gets the messages.
    pub destination: String,
    /// Whether that is a queue.
    pub is_to_queue: bool,
    /// The routing key.
    pub key: String,
    /// What else it was bound with, as JSON; empty for nothing.
    #[serde(default)]
    pub arguments: String,
    /// What the management API calls it among those of the same two.
    #[serde(default)]
    pub properties_key: String,
}

/// A policy, or an operator's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Whom it applies to: a regular expression over names.
    pub pattern: String,
    /// `queues`, `classic_queues`, `quorum_queues`, `streams`, `exchanges` or `all`.
    pub apply_to: String,
    /// Of those that match, the one with the highest applies.
    pub priority: i64,
    /// What it sets.
    pub definition: Settings,
}
