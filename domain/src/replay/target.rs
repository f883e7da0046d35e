//! Where the letters of a replay go.

use serde::{Deserialize, Serialize};

/// Where the letters go.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields, from = "WrittenTarget")]
pub enum Target {
    /// To the queue that each letter died in, through the default exchange: nobody else gets it.
    #[default]
    OriginQueue,
    /// To the exchange that each letter was published to, with its routing key: every queue that is
    /// bound to it gets it, those that had no trouble with it too.
    OriginExchange,
    /// All to one named queue, through the default exchange.
    Queue {
        /// The queue's name.
        queue: String,
    },
    /// All to one exchange.
    Exchange {
        /// The exchange's name.
        exchange: String,
        /// The routing key.
        #[serde(default)]
        routing_key: String,
    },
    /// All to the queue of one worker: the one that it names in its heartbeats, else the one that is
    /// called as the configuration says that workers' queues are.
    Worker {
        /// The worker's name or number.
        #[cfg_attr(feature = "openapi", schema(value_type = crate::named::Name))]
        worker: String,
    },
}

/// A target as it is written. A mode without members has braces here: serde passes over whatever
/// stands beside a plain one, so that a queue that somebody named would be lost in silence.
#[derive(Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
enum WrittenTarget {
    OriginQueue {},
    OriginExchange {},
    Queue {
        queue: String,
    },
    Exchange {
        exchange: String,
        #[serde(default)]
        routing_key: String,
    },
    Worker {
        #[serde(deserialize_with = "crate::named::name")]
        worker: String,
    },
}

impl From<WrittenTarget> for Target {
    fn from(written: WrittenTarget) -> Self {
        match written {
            WrittenTarget::OriginQueue {} => Self::OriginQueue,
            WrittenTarget::OriginExchange {} => Self::OriginExchange,
            WrittenTarget::Queue { queue } => Self::Queue { queue },
            WrittenTarget::Exchange { exchange, routing_key } => {
                Self::Exchange { exchange, routing_key }
            }
            WrittenTarget::Worker { worker } => Self::Worker { worker },
        }
    }
}

/// Where one message is published to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The exchange; the default one has the empty name.
    pub exchange: String,
    /// The routing key: for the default exchange the queue's name.
    pub routing_key: String,
}

impl Address {
    /// A queue, through the default exchange.
    #[must_use]
    pub fn queue(queue: &str) -> Self {
        Self { exchange: String::new(), routing_key: queue.to_owned() }
    }

    /// The queue, where it is one queue alone that gets the message.
    #[must_use]
    pub fn only_queue(&self) -> Option<&str> {
        self.exchange.is_empty().then_some(&*self.routing_key)
    }
}

/// What is known of where a letter came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The queue that it died in.
    pub queue: Option<&'a str>,
    /// The exchange that it was published to.
    pub exchange: Option<&'a str>,
    /// Its routing key.
    pub routing_key: Option<&'a str>,
}

/// Why a letter cannot go to a target. It stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWay {
    /// Nothing tells where it died.
    #[error("it is not known which queue it died in: name a target queue")]
    NoQueue,
    /// Nothing tells what it was published to.
    #[error("it is not known which exchange and routing key it was published with: name a target")]
    NoExchange,
    /// The target names nothing.
    #[error("the target's {0} is empty")]
    Empty(&'static str),
    /// No AMQP name.
    #[error("the {what} has {bytes} bytes; a name has at most 255")]
    TooLong {
        /// Of what.
        what: &'static str,
        /// Its length.
        bytes: usize,
    },
    /// No AMQP name, and nothing that could be kept.
    #[error("the {0} holds a NUL character")]
    Nul(&'static str),
}

impl Target {
    /// Whether what a person wrote names something that can be.
    ///
    /// # Errors
    /// `NoWay`, with what is wrong with it.
    pub fn check(&self) -> Result<(), NoWay> {
        match self {
            Self::OriginQueue | Self::OriginExchange => Ok(()),
            Self::Queue { queue } => named("queue's name", queue),
            Self::Exchange { exchange, routing_key } => {
                named("exchange's name", exchange)?;
                writable("routing key", routing_key)
            }
            Self::Worker { worker } => named("worker's name", worker),
        }
    }

    /// Where a letter goes. `worker_queue` is the queue of the worker that it names, if it names one.
    ///
    /// # Errors
    /// `NoWay`, when the letter does not say enough, or what it says is no name.
    pub fn address(&self, origin: Origin<'_>, worker_queue: &str) -> Result<Address, NoWay> {
        let to_queue = |queue: &str| {
            writable("queue's name", queue)?;
            Ok(Address::queue(queue))
        };
        match self {
            Self::OriginQueue => match origin.queue {
                None | Some("") => Err(NoWay::NoQueue),
                Some(queue) => to_queue(queue),
            },
            Self::Queue { queue } => to_queue(queue),
            Self::Worker { .. } => to_queue(worker_queue),
            Self::OriginExchange => {
                let (Some(exchange), Some(key)) = (origin.exchange, origin.routing_key) else {
                    return Err(NoWay::NoExchange);
                };
                through(exchange, key)
            }
            Self::Exchange { exchange, routing_key } => through(exchange, routing_key),
        }
    }
}

/// The queue of a worker: what it said of itself, else what queues are called by `template`, with
/// `{worker}` for its name.
#[must_use]
pub fn queue_of_worker(worker: &str, stated: Option<&str>, template: &str) -> String {
    match stated {
        Some(queue) if !queue.is_empty() => queue.to_owned(),
        _ => template.replace("{worker}", worker),
    }
}

fn through(exchange: &str, routing_key: &str) -> Result<Address, NoWay> {
    writable("exchange's name", exchange)?;
    writable("routing key", routing_key)?;
    Ok(Address { exchange: exchange.to_owned(), routing_key: routing_key.to_owned() })
}

fn named(what: &'static str, name: &str) -> Result<(), NoWay> {
    if name.is_empty() {
        return Err(NoWay::Empty(what));
    }
    writable(what, name)
}

fn writable(what: &'static str, name: &str) -> Result<(), NoWay> {
    if name.contains('\0') {
        return Err(NoWay::Nul(what));
    }
    match name.len() {
        0..=255 => Ok(()),
        bytes => Err(NoWay::TooLong { what, bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Origin<'_> = Origin { queue: None, exchange: None, routing_key: None };

    #[test]
    fn a_target_is_read_with_its_own_members_and_no_others() {
        for (text, target) in [
            (r#"{"mode":"origin_queue"}"#, Target::OriginQueue),
            (r#"{"mode":"origin_exchange"}"#, Target::OriginExchange),
            (r#"{"mode":"queue","queue":"x"}"#, Target::Queue { queue: "x".into() }),
            (
                r#"{"mode":"exchange","exchange":"e","routing_key":"k"}"#,
                Target::Exchange { exchange: "e".into(), routing_key: "k".into() },
            ),
            (r#"{"mode":"worker","worker":"7"}"#, Target::Worker { worker: "7".into() }),
        ] {
            let read: Target = serde_json::from_str(text).expect("a target");
            assert_eq!(read, target);
            let written = serde_json::to_string(&target).expect("written");
            assert_eq!(serde_json::from_str::<Target>(&written).ok(), Some(target));
        }
        for text in [
            r#"{"mode":"origin_queue","queue":"x"}"#,
            r#"{"mode":"origin_exchange","exchange":"x"}"#,
            r#"{"mode":"queue","queue":"x","exchange":"y"}"#,
            r#"{"mode":"queue"}"#,
            r#"{"mode":"worker"}"#,
            r#"{"queue":"x"}"#,
        ] {
            assert!(serde_json::from_str::<Target>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_letter_goes_where_the_target_and_its_own_history_say() {
        let origin = Origin {
            queue: Some("orders.work"),
            exchange: Some("orders"),
            routing_key: Some("created"),
        };
        let to = |target: Target| target.address(origin, "worker.7.executions");
        let work = Address::queue("orders.work");
        assert_eq!(work.only_queue(), Some("orders.work"));
        assert_eq!(to(Target::OriginQueue), Ok(work));
        let published = to(Target::OriginExchange).expect("an address");
        assert_eq!((&*published.exchange, &*published.routing_key), ("orders", "created"));
        assert_eq!(published.only_queue(), None);
        let worker = Target::Worker { worker: "7".into() };
        assert_eq!(to(worker), Ok(Address::queue("worker.7.executions")));
    }

    #[test]
    fn what_a_worker_says_goes_before_what_queues_are_called() {
        let of = |stated| queue_of_worker("7", stated, "worker.{worker}.executions");
        for (stated, queue) in [
            (Some("jobs.seven"), "jobs.seven"),
            (Some(""), "worker.7.executions"),
            (None, "worker.7.executions"),
        ] {
            assert_eq!(of(stated), queue);
        }
    }

    #[test]
    fn a_letter_that_does_not_say_enough_stays() {
        let to = |target: Target| target.address(NOWHERE, "").expect_err("no way");
        assert_eq!(to(Target::OriginQueue), NoWay::NoQueue);
        assert_eq!(to(Target::OriginExchange), NoWay::NoExchange);
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        for (target, why) in [
            (Target::Queue { queue: String::new() }, NoWay::Empty("queue's name")),
            (Target::Queue { queue: "a\0".into() }, NoWay::Nul("queue's name")),
            (
                Target::Worker { worker: "w".repeat(256) },
                NoWay::TooLong { what: "worker's name", bytes: 256 },
            ),
        ] {
            assert_eq!(target.check(), Err(why));
        }
        let numbered: Target = serde_json::from_str(r#"{"mode": "worker", "worker": 5}"#)
            .expect("workers may be numbered");
        assert_eq!(numbered, Target::Worker { worker: "5".into() });
        let long = Target::Worker { worker: "w".repeat(250) };
        let Target::Worker { worker } = &long else {
            unreachable!("it was just made");
        };
        let queue = queue_of_worker(worker, None, "worker.{worker}");
        assert!(long.address(NOWHERE, &queue).is_err());
    }
}
