//! What can be lost in a vhost: every finding says what is lost, and how to fix it.

mod consuming;
mod dropping;
mod errors;
mod loss;
pub(super) mod shadow;
mod stranded;
pub(super) mod text;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::map::Map;
use super::model::{Gap, Vhost};
use crate::audit::Actor;
use crate::severity::Severity;

/// Findings of one vhost, at most: the worst are kept.
const MOST_FINDINGS: usize = 2_000;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Dead letters go to an exchange that is not there.
    ExchangeMissing,
    /// The exchange is there, and takes them to no queue.
    Unbound,
    /// An exchange that is named for failed messages takes them to no queue.
    ErrorsUnbound,
    /// A direct exchange has a binding with `#`, which it compares letter by letter.
    LiteralHash,
    /// A dead-letter queue has a dead-letter exchange itself.
    Chain,
    /// Letters in a dead-letter queue expire, or the queue does.
    LettersExpire,
    /// A dead-letter queue holds only so many letters.
    LettersOverflow,
    /// A quorum queue that letters are taken from drops what comes back too often.
    LettersDropped,
    /// A quorum queue deletes what was delivered too often.
    DeliveriesEnd,
    /// Letters are lost when their target cannot take them at once.
    AtMostOnce,
    /// Nobody consumes a queue.
    NoConsumer,
    /// What waits in a worker's queue never comes here when the worker is away.
    Stranded,
    /// A policy keeps another from applying.
    PolicyShadowed,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::ExchangeMissing,
        Self::Unbound,
        Self::ErrorsUnbound,
        Self::LiteralHash,
        Self::Chain,
        Self::LettersExpire,
        Self::LettersOverflow,
        Self::LettersDropped,
        Self::DeliveriesEnd,
        Self::AtMostOnce,
        Self::NoConsumer,
        Self::Stranded,
        Self::PolicyShadowed,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExchangeMissing => "exchange_missing",
            Self::Unbound => "unbound",
            Self::ErrorsUnbound => "errors_unbound",
            Self::LiteralHash => "literal_hash",
            Self::Chain => "chain",
            Self::LettersExpire => "letters_expire",
            Self::LettersOverflow => "letters_overflow",
            Self::LettersDropped => "letters_dropped",
            Self::DeliveriesEnd => "deliveries_end",
            Self::AtMostOnce => "at_most_once",
            Self::NoConsumer => "no_consumer",
            Self::Stranded => "stranded",
            Self::PolicyShadowed => "policy_shadowed",
        }
    }

    /// Whether it can be found out in spite of what is not known. What cannot is neither found nor
    /// resolved.
    #[must_use]
    pub fn can_be_told(self, gaps: &[Gap]) -> bool {
        // What was read is found, but what is not there may only be missing from what was read.
        let is_all = !gaps.contains(&Gap::Queues) && !gaps.contains(&Gap::Unreadable);
        is_all && self.can_be_seen(gaps)
    }

    /// Whether it is seen in a queue that was read, in spite of what is not known of the vhost.
    fn can_be_seen(self, gaps: &[Gap]) -> bool {
        let has = |gap| gaps.contains(&gap);
        match self {
            Self::ExchangeMissing
            | Self::Unbound
            | Self::ErrorsUnbound
            | Self::LiteralHash
            | Self::Chain
            | Self::LettersExpire
            | Self::LettersOverflow
            | Self::LettersDropped => !has(Gap::Wiring),
            Self::DeliveriesEnd | Self::AtMostOnce => true,
            Self::NoConsumer => !has(Gap::Figures) && !has(Gap::Wiring),
            // Where neither policies nor what they set are told, a queue may have what it lacks.
            Self::Stranded => !(has(Gap::Wiring) || has(Gap::Policies) && has(Gap::Figures)),
            Self::PolicyShadowed => !has(Gap::Policies),
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no kind of finding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of finding")]
pub struct UnknownKind(pub String);

impl FromStr for FindingKind {
    type Err = UnknownKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.as_str() == word).ok_or_else(|| UnknownKind(word.to_owned()))
    }
}

/// Something that can lose messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// The queue, or an exchange of failed messages; for policies the one that is kept from applying.
    pub subject: String,
    /// What else it is about: an exchange, or the policy that applies instead.
    pub other: String,
    /// In a line.
    pub title: String,
    /// What is lost, and when.
    pub lost: String,
    /// What mends it.
    pub fix: String,
    /// A command that does, where one alone can.
    pub command: Option<String>,
}

/// What was found in a vhost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// The worst first.
    pub found: Vec<Finding>,
    /// What could not be found out.
    pub untold: BTreeSet<FindingKind>,
}

/// The queues that workers name, as far as they are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerQueues {
    /// All of them.
    pub named: BTreeSet<String>,
    /// Those that are one worker's own, with its name.
    pub own: BTreeMap<String, String>,
    /// Whether there are more.
    pub is_cut: bool,
}

/// By queue: who set its retention here last, and when; as far as that is known.
pub type SetHere = BTreeMap<String, (Actor, DateTime<Utc>)>;

/// What is looked for beyond what a vhost says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Regard<'a> {
    /// For how many seconds a queue is left alone that has no consumers.
    pub patience: u32,
    /// The queues of workers.
    pub workers: &'a WorkerQueues,
    /// The queues that letters are taken from.
    pub watched: &'a BTreeSet<String>,
    /// Who set retentions here.
    pub set_here: &'a SetHere,
}

/// Looks for everything that can lose messages. `name` is the vhost's, for commands.
#[must_use]
pub fn lint(vhost: &Vhost, name: &str, regard: Regard<'_>) -> Findings {
    let map = Map::with_workers(vhost, &regard.workers.named);
    let look = Look { map: &map, vhost_name: name, regard };
    let mut found = Vec::new();
    for queue in vhost.queues.iter().filter(|q| !map.is_delay_level(&q.name)) {
        found.extend(loss::of_route(&look, queue));
        found.extend(dropping::of_letters(&look, queue));
        found.extend(loss::of_deliveries(&look, queue));
        found.extend(loss::of_strategy(&look, queue));
        found.extend(waiting::of_chain(&look, queue));
        found.extend(waiting::of_time(&look, queue));
        found.extend(waiting::of_room(&look, queue));
        found.extend(consuming::of_queue(&look, queue));
        found.extend(stranded::of_worker(&look, queue));
    }
    found.extend(errors::of_exchanges(&look));
    found.extend(shadow::of_policies(&look));
    let mut untold: BTreeSet<FindingKind> =
        FindingKind::ALL.into_iter().filter(|kind| !kind.can_be_told(&vhost.gaps)).collect();
    if regard.workers.is_cut {
        untold.insert(FindingKind::Stranded);
    }
    found.sort_by(|a: &Finding, b| {
        (a.severity, a.kind, &a.subject, &a.other).cmp(&(b.severity, b.kind, &b.subject, &b.other))
    });
    found.truncate(MOST_FINDINGS);
    Findings { found, untold }
}

/// What is looked at.
struct Look<'a> {
    map: &'a Map<'a>,
    vhost_name: &'a str,
    regard: Regard<'a>,
}
