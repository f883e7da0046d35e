//! What is told of brokers, vhosts, queues and findings.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::dead_lettering::policy_name;
use super::delay_levels::{Delay, DelayLevel};
use super::lint::Finding;
use super::map::{Map, Role};
use super::model::{Figures, Gap, Queue, QueueKind};
use super::page::QueueCursor;
use super::route::DeadRoute;
use super::setting::Effective;
use crate::ids::{FindingId, SourceId};

/// How the queues of a broker are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BrokerTopology {
    /// The broker's name in the configuration.
    pub broker: String,
    /// When it was last asked.
    pub asked_at: Option<DateTime<Utc>>,
    /// Why it could not be read, and what to do.
    pub trouble: Option<String>,
    /// Since when.
    pub trouble_since: Option<DateTime<Utc>>,
    /// Its vhosts, by name.
    pub vhosts: Vec<VhostTopology>,
}

/// A vhost as it was last read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VhostTopology {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// When.
    pub read_at: DateTime<Utc>,
    /// The broker's version.
    pub version: Option<String>,
    /// Why it cannot be read any more, while its broker can, and what to do.
    #[serde(default)]
    pub trouble: Option<String>,
    /// Since when.
    #[serde(default)]
    pub trouble_since: Option<DateTime<Utc>>,
    /// Queues in it.
    pub queues: i64,
    /// Findings that are open: there, and not muted.
    pub findings: i64,
    /// In which frameworks delay messages, each with all its levels.
    #[serde(default)]
    pub delays: Vec<Delay>,
    /// What is not known.
    pub gaps: Vec<Gap>,
    /// What that means, in sentences.
    pub notes: Vec<String>,
}

/// A queue, where its dead letters go, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueReport {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub name: String,
    /// What it is.
    pub kind: QueueKind,
    /// What it is for.
    pub role: Role,
    /// Which level of a framework's delay it is, if it is one.
    #[serde(default)]
    pub delay: Option<DelayLevel>,
    /// How full and busy it is.
    pub figures: Figures,
    /// For how long it has been seen without a consumer, in seconds.
    pub idle_seconds: Option<u32>,
    /// The policy that applies.
    pub policy: Option<String>,
    /// The operator policy that applies.
    pub operator_policy: Option<String>,
    /// What applies to it, and where that is set.
    pub effective: Effective,
    /// Where its dead letters go, if it says so.
    pub dead_letters: Option<DeadRoute>,
    /// The queues whose dead letters come here.
    pub fed_by: Vec<String>,
    /// The exchanges that it is bound to, with the key.
    pub bound_to: Vec<BoundTo>,
    /// The source that watches it.
    pub source_id: Option<SourceId>,
    /// What was found of it, and is open.
    pub findings: Vec<FindingId>,
    /// What was set or taken away here and is not in what was read of the broker yet; told of one queue that
    /// is asked for.
    #[serde(default)]
    pub unread_change: Option<UnreadChange>,
}

/// A change of a queue's dead-lettering that the last read of the broker does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnreadChange {
    /// When the broker was told.
    pub at: DateTime<Utc>,
    /// When it was read.
    pub read_at: DateTime<Utc>,
    /// Whether a policy of ours was set; else it was taken away.
    pub is_set: bool,
}

/// How messages come to a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoundTo {
    /// The exchange.
    pub exchange: String,
    /// Its type.
    pub exchange_type: String,
    /// The routing key.
    pub routing_key: String,
}

/// Bindings of a queue that are told.
const MOST_BINDINGS: usize = 50;

/// How old what a broker tells of a queue may be.
const STATISTICS_LAG: TimeDelta = TimeDelta::seconds(10);

impl QueueReport {
    /// What the map tells of a queue.
    #[must_use]
    pub fn of(map: &Map<'_>, queue: &Queue, (broker, vhost): (&str, &str)) -> Self {
        let bound_to = map.bindings_of(&queue.name).take(MOST_BINDINGS);
        let bound_to = bound_to.map(|binding| BoundTo {
            exchange: binding.source.clone(),
            exchange_type: map
                .exchange(&binding.source)
                .map_or_else(String::new, |exchange| exchange.kind.clone()),
            routing_key: binding.key.clone(),
        });
        Self {
            broker: broker.to_owned(),
            vhost: vhost.to_owned(),
            name: queue.name.clone(),
            kind: queue.kind,
            role: map.role(&queue.name),
            delay: map.delay_level(&queue.name),
            figures: queue.figures,
            idle_seconds: queue.idle_seconds,
            policy: queue.policy.clone(),
            operator_policy: queue.operator_policy.clone(),
            effective: map.effective(queue).clone(),
            dead_letters: map.route(&queue.name).cloned(),
            fed_by: map.feeders(&queue.name).map(str::to_owned).collect(),
            bound_to: bound_to.collect(),
            source_id: None,
            findings: Vec::new(),
            unread_change: None,
        }
    }

    /// Notes the last change that was made here, unless what was read of the broker shows it.
    pub fn note_change(&mut self, change: UnreadChange) {
        let UnreadChange { at, read_at, is_set } = change;
        let is_ours = self.policy.as_ref() == Some(&policy_name(&self.name));
        let is_late = is_ours != is_set && read_at - at < STATISTICS_LAG;
        self.unread_change = (at >= read_at || is_late).then_some(change);
    }
}

/// Which findings are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingScope {
    /// Those that are there, and that nobody has muted.
    #[default]
    Open,
    /// All that are there.
    Present,
    /// Also those that are gone.
    All,
}

/// The word names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope of findings: use open, present or all")]
pub struct UnknownScope(pub String);

impl std::str::FromStr for FindingScope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "open" => Ok(Self::Open),
            "present" => Ok(Self::Present),
            "all" => Ok(Self::All),
            _ => Err(UnknownScope(word.to_owned())),
        }
    }
}

/// A finding as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeptFinding {
    /// Its id.
    pub id: FindingId,
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// When it was found.
    pub first_seen_at: DateTime<Utc>,
    /// When it was last seen.
    pub last_seen_at: DateTime<Utc>,
    /// When it was gone.
    pub resolved_at: Option<DateTime<Utc>>,
    /// Who took note of it.
    pub acknowledged_by: Option<String>,
    /// When.
    pub acknowledged_at: Option<DateTime<Utc>>,
    /// Until when nobody wants to hear of it.
    pub muted_until: Option<DateTime<Utc>>,
}

/// The longest mute, in hours: a year.
pub const MOST_MUTE_HOURS: u32 = 8_760;

/// What is done with a finding. What is left out stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FindingEdit {
    /// Take note of it, or take that back.
    #[serde(default)]
    pub acknowledged: Option<bool>,
    /// Hear nothing of it for so many hours; 0 ends a mute.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(maximum = 8760))]
    pub mute_hours: Option<u32>,
}

/// Which queues are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueQuery {
    /// Of this broker.
    pub broker: Option<String>,
    /// Of this vhost.
    pub vhost: Option<String>,
    /// Whose name contains this.
    pub name: Option<String>,
    /// Behind this one.
    pub after: Option<QueueCursor>,
    /// So many.
    pub limit: usize,
}
