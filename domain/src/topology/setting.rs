//! What applies to a queue: its arguments and its policies put together, by the broker's rules.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::{Queue, QueueKind, Settings, Vhost};

/// How often a message may come back to a quorum queue of RabbitMQ 4 that has no limit set
/// (`rabbit_quorum_queue.erl`, `DEFAULT_DELIVERY_LIMIT`).
pub const USUAL_DELIVERY_LIMIT: i64 = 20;

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Origin {
    /// The queue was declared with it: only a new queue has another.
    Argument,
    /// A policy.
    Policy(String),
    /// An operator's policy.
    OperatorPolicy(String),
    /// The broker, where nobody says anything.
    Usual,
}

impl Origin {
    /// As people say it.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Argument => "its arguments".to_owned(),
            Self::Policy(name) => format!("the policy `{name}`"),
            Self::OperatorPolicy(name) => format!("the operator policy `{name}`"),
            Self::Usual => "the broker, which does so by itself since 4.0".to_owned(),
        }
    }
}

/// A setting, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Setting<T> {
    /// What is set.
    pub value: T,
    /// Where.
    pub origin: Origin,
}

/// What applies to a queue, as far as dead letters are concerned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Effective {
    /// Where its dead letters go; `""` is the default exchange.
    pub dead_letter_exchange: Option<Setting<String>>,
    /// With which key; their own where nothing is set.
    pub dead_letter_routing_key: Option<Setting<String>>,
    /// `at-most-once` or `at-least-once`, of a quorum queue.
    pub dead_letter_strategy: Option<Setting<String>>,
    /// What happens when it is full.
    pub overflow: Option<Setting<String>>,
    /// How long a message may wait, in milliseconds.
    pub message_ttl: Option<Setting<i64>>,
    /// How long the queue may be unused before it is deleted, in milliseconds.
    pub expires: Option<Setting<i64>>,
    /// How many messages it holds.
    pub max_length: Option<Setting<i64>>,
    /// How many bytes of messages it holds.
    pub max_length_bytes: Option<Setting<i64>>,
    /// How often a message may come back before it dies, so that it is delivered once more than that; of a
    /// quorum queue.
    pub delivery_limit: Option<Setting<i64>>,
}

/// Who wins where an argument and a policy both say something.
#[derive(Clone, Copy)]
enum Wins {
    Argument,
    Policy,
    Least,
    /// The least, unless one of them is negative, which means none.
    LeastLimit,
}

impl Effective {
    /// What applies to a queue.
    #[must_use]
    pub fn of(vhost: &Vhost, queue: &Queue) -> Self {
        let quorum = queue.kind == QueueKind::Quorum;
        let text = |key, wins| text(vhost, queue, key, wins);
        let number = |key, wins| number(vhost, queue, key, wins);
        let for_quorum = if quorum { Wins::Policy } else { Wins::Argument };
        let mut found = Self {
            dead_letter_exchange: text("dead-letter-exchange", Wins::Argument),
            dead_letter_routing_key: text("dead-letter-routing-key", Wins::Argument),
            dead_letter_strategy: text("dead-letter-strategy", Wins::Policy),
            overflow: text("overflow", for_quorum),
            message_ttl: number("message-ttl", Wins::Least),
            expires: number("expires", Wins::Least),
            max_length: number("max-length", Wins::Least),
            max_length_bytes: number("max-length-bytes", Wins::Least),
            delivery_limit: None,
        };
        if quorum {
            let set = number("delivery-limit", Wins::LeastLimit);
            let usual = || {
                (vhost.major()? >= 4).then_some(Setting {
                    value: queue.told_limit.unwrap_or(USUAL_DELIVERY_LIMIT),
                    origin: Origin::Usual,
                })
            };
            found.delivery_limit = set.or_else(usual).and_then(|limit| finite(vhost, limit));
        } else {
            found.dead_letter_strategy = None;
        }
        found
    }

    /// All of it by the keys of policies.
    pub(super) fn by_key(self) -> [(&'static str, Option<Setting<Value>>); 9] {
        fn any<T: Into<Value>>(set: Option<Setting<T>>) -> Option<Setting<Value>> {
            set.map(|Setting { value, origin }| Setting { value: value.into(), origin })
        }
        [
            ("dead-letter-exchange", any(self.dead_letter_exchange)),
            ("dead-letter-routing-key", any(self.dead_letter_routing_key)),
            ("dead-letter-strategy", any(self.dead_letter_strategy)),
            ("overflow", any(self.overflow)),
            ("message-ttl", any(self.message_ttl)),
            ("expires", any(self.expires)),
            ("max-length", any(self.max_length)),
            ("max-length-bytes", any(self.max_length_bytes)),
            ("delivery-limit", any(self.delivery_limit)),
        ]
    }

    /// Whether its dead letters are kept until the target confirms them.
    #[must_use]
    pub fn is_at_least_once(&self) -> bool {
        let is =
            |set: &Option<Setting<String>>, word| set.as_ref().is_some_and(|set| set.value == word);
        is(&self.dead_letter_strategy, "at-least-once") && is(&self.overflow, "reject-publish")
    }
}

/// Negative is no limit, and no usual one either: since 4.0. Before, it is below every count, so that a
/// message is dropped when it first comes back (seen on 3.10.8).
fn finite(vhost: &Vhost, limit: Setting<i64>) -> Option<Setting<i64>> {
    if limit.value >= 0 {
        return Some(limit);
    }
    let drops_all = vhost.major().is_some_and(|major| major < 4);
    drops_all.then_some(Setting { value: 0, ..limit })
}

/// All that applies to a queue, by the keys of policies: what it was declared with, and what the broker does by
/// itself, too.
pub(super) fn in_effect(vhost: &Vhost, queue: &Queue) -> Settings {
    let mut all = queue.by_policy.clone();
    for (key, set) in Effective::of(vhost, queue).by_key() {
        match set {
            Some(set) => all.insert(key.to_owned(), set.value),
            None => all.remove(key),
        };
    }
    all
}

fn text(vhost: &Vhost, queue: &Queue, key: &str, wins: Wins) -> Option<Setting<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let argument = of_argument(&queue.arguments, key).and_then(text);
    let policy = queue.by_policy.get(key).and_then(text);
    let (value, is_argument) = match (argument, policy, wins) {
        (Some(value), None, _) | (Some(value), Some(_), Wins::Argument) => (value, true),
        (_, Some(value), _) => (value, false),
        (None, None, _) => return None,
    };
    Some(setting(vhost, queue, key, value, is_argument))
}

fn number(vhost: &Vhost, queue: &Queue, key: &str, wins: Wins) -> Option<Setting<i64>> {
    let argument = of_argument(&queue.arguments, key).and_then(Value::as_i64);
    let policy = queue.by_policy.get(key).and_then(Value::as_i64);
    let (value, is_argument) = match (argument, policy) {
        (Some(value), None) => (value, true),
        (None, Some(value)) => (value, false),
        (Some(argument), Some(policy)) => {
            let takes_most = matches!(wins, Wins::LeastLimit) && (argument < 0 || policy < 0);
            let is_argument = if takes_most { argument > policy } else { argument <= policy };
            (if is_argument { argument } else { policy }, is_argument)
        }
        (None, None) => return None,
    };
    Some(setting(vhost, queue, key, value, is_argument))
}

fn of_argument<'a>(arguments: &'a Settings, key: &str) -> Option<&'a Value> {
    arguments.get(&format!("x-{key}"))
}

fn setting<T>(vhost: &Vhost, queue: &Queue, key: &str, value: T, is_argument: bool) -> Setting<T> {
    let origin = if is_argument { Origin::Argument } else { policy_of(vhost, queue, key) };
    Setting { value, origin }
}

/// Which of the two policies sets a key; in doubt the ordinary one.
fn policy_of(vhost: &Vhost, queue: &Queue, key: &str) -> Origin {
    let value = queue.by_policy.get(key);
    let of_operator = queue.operator_policy.as_ref().filter(|name| {
        let mut all = vhost.operator_policies.iter();
        let found = all.find(|policy| policy.name == **name);
        found.is_some_and(|policy| policy.definition.get(key) == value)
    });
    match (of_operator, &queue.policy) {
        (Some(name), _) => Origin::OperatorPolicy(name.clone()),
        (None, Some(name)) => Origin::Policy(name.clone()),
        (None, None) => match &queue.operator_policy {
            Some(name) => Origin::OperatorPolicy(name.clone()),
            None => Origin::Policy(String::new()),
        },
    }
}
