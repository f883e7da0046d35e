//! The queues of a vhost, where their dead letters go, and what can be lost on the way.
//!
//! What a management API says is read here, as what it is: input of somebody else. Nothing here asks
//! a broker. The rules are RabbitMQ's own: <https://www.rabbitmq.com/docs/dlx>,
//! <https://www.rabbitmq.com/docs/policies>, and the sources of 3.10 to 4.3.

mod applying;
mod capacity;
mod consumers;
mod dead_lettering;
mod delay_levels;
mod depth;
mod discovery;
mod idle;
mod lint;
mod map;
mod matching;
mod model;
mod names;
mod page;
mod read;
mod report;
mod request;
mod route;
mod setting;

#[cfg(test)]
mod tests;

pub use capacity::Overflow;
pub use consumers::{SeenConsumers, seen_consumers};
pub use dead_lettering::{
    DeadLetteringPlan, MOST_DELIVERIES, MOST_RETENTION_SECONDS, MigrationStep, NewDeadLettering,
    PolicyChange, SettingChange, Wish, plan, plan_lift, plan_removal, policy_name, retentions,
};
pub use delay_levels::{Delay, DelayLevel};
pub use depth::{MOST_DEPTHS, QueueDepth, depths};
pub use discovery::{Discover, Discovery, FoundBy, FoundQueue, FoundSource, UnreadPlace, is_ours};
pub use lint::shadow::shadowed;
pub use lint::text::duration;
pub use lint::{Finding, FindingKind, Findings, Regard, SetHere, WorkerQueues, lint};
pub use map::{Map, Role};
pub use matching::{applies_to, pattern_of, quoted, shell_command};
pub use model::{
    Binding, Exchange, Figures, Gap, MOST_NAME_BYTES, Policy, Queue, QueueKind, Settings, Vhost,
};
pub use names::named_for_failures;
pub use page::{QueueCursor, QueuePage};
pub use read::{Answers, read, read_now};
pub use report::{
    BoundTo, BrokerTopology, FindingEdit, FindingScope, KeptFinding, MOST_MUTE_HOURS, QueueQuery,
    QueueReport, UnknownScope, UnreadChange, VhostTopology,
};
pub use route::{DeadRoute, End};
pub use setting::{Effective, Origin, Setting, USUAL_DELIVERY_LIMIT};

/// How long a queue may be without consumers before that is a finding, in seconds.
pub const USUAL_PATIENCE_SECONDS: u32 = 900;
