//! A dead-letter queue that we watch.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::delivery_limit::AcceptedLoss;
use crate::execution::{ExecutionNaming, NamingFault};
use crate::failure::HeaderMap;
use crate::globs::{GlobFault, Globs};
use crate::ids::SourceId;
use crate::topology::is_ours;

/// Whether we empty the queue or only look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SourceMode {
    /// Consumes the queue: the letters are ours to keep.
    #[default]
    Take,
    /// Binds a queue of our own beside it: looks, never takes.
    Mirror,
}

impl SourceMode {
    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Take => "take",
            Self::Mirror => "mirror",
        }
    }
}

/// How a source is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SourceCondition {
    /// Not tried yet.
    Starting,
    /// Consuming.
    Running,
    /// The queue is not there; it is looked for again and again.
    QueueMissing,
    /// The broker refuses: rights, an exclusive consumer, …
    Refused,
    /// The broker does not answer.
    BrokerAway,
    /// Postgres does not answer, so nothing is taken.
    DatabaseAway,
    /// A message blocks the queue: the client library fails at it, though it is shown nothing of it.
    UndecodableHead,
    /// The queue drops a letter that comes back too often, so nothing is taken until that is lifted or accepted.
    DeliveryLimit,
    /// Intake is switched off in this office, or the office stopped.
    Stopped,
}

impl SourceCondition {
    /// Every condition.
    pub const ALL: [Self; 9] = [
        Self::Starting,
        Self::Running,
        Self::QueueMissing,
        Self::Refused,
        Self::BrokerAway,
        Self::DatabaseAway,
        Self::UndecodableHead,
        Self::DeliveryLimit,
        Self::Stopped,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::QueueMissing => "queue_missing",
            Self::Refused => "refused",
            Self::BrokerAway => "broker_away",
            Self::DatabaseAway => "database_away",
            Self::UndecodableHead => "undecodable_head",
            Self::DeliveryLimit => "delivery_limit",
            Self::Stopped => "stopped",
        }
    }

    /// Whether letters come in, or could at any moment.
    #[must_use]
    pub fn is_well(self) -> bool {
        matches!(self, Self::Running | Self::Starting)
    }
}

/// A source to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSource {
    /// The vhost that the queue is in.
    pub vhost: String,
    /// The queue's name.
    pub queue: String,
    /// Take or mirror.
    #[serde(default)]
    pub mode: SourceMode,
    /// A name for people; the queue's name when it is left out.
    #[serde(default)]
    pub name: Option<String>,
    /// The broker's name in the configuration; `main` when it is left out.
    #[serde(default)]
    pub broker: Option<String>,
    /// Names of the headers that tell the failure, where no framework's are used.
    #[serde(default)]
    pub headers: HeaderMap,
    /// Where its messages name the execution that they are about, and what is done with it.
    #[serde(default)]
    pub executions: ExecutionNaming,
    /// Queues whose dead letters are known to come here, as patterns with `*`: messages that name one of
    /// them are believed, also where the broker's queues cannot be read, and where a framework
    /// publishes what failed. Without any, only what the broker's bindings and policies show is known.
    #[serde(default)]
    pub origins: Globs,
}

/// Why a source cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NewSourceFault {
    /// AMQP names are short strings.
    #[error("`{0}` is empty: give the name as the broker shows it")]
    Empty(&'static str),
    /// AMQP names are short strings.
    #[error("`{0}` has more than 255 bytes, which no AMQP name can have")]
    TooLong(&'static str),
    /// Neither Postgres nor a person can hold it.
    #[error("`{0}` holds a NUL character")]
    Nul(&'static str),
    /// It would take away what offices hear of workers, or what a mirror copied.
    #[error("`{0}` is a queue of Dead Letter Office itself: it holds no dead letters of yours")]
    Ours(String),
    /// Its letters cannot be asked for their executions like this.
    #[error("{0}")]
    Executions(NamingFault),
    /// Its list of origins cannot be used.
    #[error("`origins`: {0}")]
    Origins(GlobFault),
}

impl NewSource {
    /// The name that people see.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.queue)
    }

    /// The broker's name.
    #[must_use]
    pub fn broker_name(&self) -> &str {
        self.broker.as_deref().unwrap_or("main")
    }

    /// Checks the names.
    ///
    /// # Errors
    /// Every fault found, not just the first.
    pub fn check(&self) -> Result<(), Vec<NewSourceFault>> {
        let names = [
            ("vhost", self.vhost.as_str()),
            ("queue", self.queue.as_str()),
            ("name", self.display_name()),
            ("broker", self.broker_name()),
        ];
        let mut faults = Vec::new();
        for (member, name) in names {
            if name.trim().is_empty() {
                faults.push(NewSourceFault::Empty(member));
            }
            if name.len() > 255 {
                faults.push(NewSourceFault::TooLong(member));
            }
            if name.contains('\0') {
                faults.push(NewSourceFault::Nul(member));
            }
        }
        if is_ours(&self.queue) {
            faults.push(NewSourceFault::Ours(self.queue.clone()));
        }
        let headers = [
            ("headers.error_class", &self.headers.error_class),
            ("headers.error_message", &self.headers.error_message),
            ("headers.stack_trace", &self.headers.stack_trace),
            ("headers.queue", &self.headers.queue),
            ("headers.message_type", &self.headers.message_type),
            ("headers.business_key", &self.headers.business_key),
        ];
        for (member, name) in headers {
            if name.as_deref().is_some_and(|name| name.contains('\0')) {
                faults.push(NewSourceFault::Nul(member));
            }
        }
        faults.extend(self.executions.check().err().map(NewSourceFault::Executions));
        faults.extend(self.origins.check().err().map(NewSourceFault::Origins));
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}

/// A source with how it is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Source {
    /// Its id.
    pub id: SourceId,
    /// Name for people.
    pub name: String,
    /// The broker's name in the configuration.
    pub broker: String,
    /// Its vhost.
    pub vhost: String,
    /// The queue's name.
    pub queue: String,
    /// Take or mirror.
    pub mode: SourceMode,
    /// Whether the configuration names it (then it cannot be removed here).
    pub configured: bool,
    /// How it is doing.
    pub condition: SourceCondition,
    /// Since when.
    pub condition_since: DateTime<Utc>,
    /// What exactly is wrong, and what to do.
    pub condition_detail: Option<String>,
    /// How often a letter may come back to the queue before it is dropped, as intake last saw; absent where
    /// there is no limit, or it is not known.
    #[serde(default)]
    pub delivery_limit: Option<i64>,
    /// The loss that somebody accepted, so that letters are taken all the same.
    #[serde(default)]
    pub accepted_loss: Option<AcceptedLoss>,
    /// Letters that came from it and are still to be decided.
    pub held: i64,
    /// Letters that ever came from it.
    pub letters: i64,
    /// When a message last came.
    pub last_arrived_at: Option<DateTime<Utc>>,
    /// Where its messages name their execution, and what is done with it.
    #[serde(default)]
    pub executions: ExecutionNaming,
    /// Queues whose dead letters are known to come here, as patterns with `*`, beside those that the
    /// broker's bindings and policies show.
    #[serde(default)]
    pub origins: Globs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_queues_are_no_sources() {
        for queue in ["dlo.fleet.heartbeats", "dlo.mirror.x"] {
            let text = format!(r#"{{"vhost":"/","queue":"{queue}"}}"#);
            let new: NewSource = serde_json::from_str(&text).expect("a source");
            let faults = new.check().expect_err("refused");
            assert_eq!(faults, [NewSourceFault::Ours(queue.to_owned())]);
        }
    }

    #[test]
    fn a_name_that_postgres_cannot_keep_is_refused_wherever_it_stands() {
        let read = |text: &str| serde_json::from_str::<NewSource>(text).expect("a source");
        let plain = r#"{"vhost":"/","queue":"a","headers":{"queue":"x-queue"}}"#;
        assert_eq!(read(plain).check(), Ok(()));
        for (text, member) in [
            (r#"{"vhost":"\u0000","queue":"a"}"#, "vhost"),
            (
                r#"{"vhost":"/","queue":"a","headers":{"error_class":"x-\u0000"}}"#,
                "headers.error_class",
            ),
        ] {
            let faults = read(text).check().expect_err("refused");
            assert_eq!(faults, [NewSourceFault::Nul(member)], "{text}");
        }
    }
}
