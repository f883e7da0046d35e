//! Replays: what is asked for, how it goes, and what came of each letter.

mod asked;
mod canary;
mod claimed_origins;
mod earlier;
mod makers;
mod outcome;
mod pace;
mod returning;
mod search;
mod shown;
mod state;
mod target;
mod warning;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use asked::{BadReplay, MOST_PER_SECOND, NewReplay};
pub use canary::{BadCanary, Canary, Climb, Gate};
pub use claimed_origins::{
    ClaimTally, ClaimedOrigin, ClaimedOrigins, ClaimedPlace, MOST_CLAIMED_PLACES,
};
pub use earlier::Earlier;
pub use makers::{Makers, UnknownMakers};
pub use outcome::{Outcome, OutcomeCounts, UnknownOutcome};
pub use pace::{LOOK_BACK, Pace, Written};
pub use returning::{NoReturn, Returning};
pub use search::{LetterSearch, MOST_SEARCHED, QueueContent, SearchedQueue, search_refusal};
pub use shown::{BadPlanToken, NOT_AS_SHOWN, PlanDigest, PlanToken, PlannedLetter, ShownPlan};
pub use state::{Control, Controlled, ReplayState, Stop};
pub use target::{Address, NoWay, Origin, Target, queue_of_worker};
pub use warning::{KEEPING_UNKNOWN, OfFirst, ReplayWarning, STILL_DYING, WarningKind};

use crate::changing::{Approval, SentMark, Transform};
use crate::ids::{LetterId, PolicyId, ReplayId};
use crate::republish::HeaderChanges;
use crate::selection::LeftOut;

/// A replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of its own in an answer")]
pub struct Replay {
    /// Its id; absent in a dry run, which leaves nothing behind.
    pub id: Option<ReplayId>,
    /// How far it is.
    pub state: ReplayState,
    /// Where to.
    pub target: Target,
    /// At most so many letters a second.
    #[serde(default)]
    pub rate_per_second: Option<u32>,
    /// The ladder that it climbs, if it was asked to begin carefully.
    #[serde(default)]
    pub canary: Option<Canary>,
    /// How far that ladder is climbed.
    #[serde(default)]
    pub climb: Option<Climb>,
    /// One letter at a time, in the order of their arrival.
    #[serde(default)]
    pub in_order: bool,
    /// Whether letters keep the time to live of their senders.
    #[serde(default)]
    pub keep_expiration: bool,
    /// When it begins, or began, if that was put off.
    #[serde(default)]
    pub start_at: Option<DateTime<Utc>>,
    /// Why it is paused or was cancelled.
    #[serde(default)]
    pub stopped: Option<Stop>,
    /// The headers that its letters are sent without, or with.
    #[serde(default, skip_serializing_if = "HeaderChanges::is_empty")]
    pub headers: HeaderChanges,
    /// Whether what is inside of envelopes is sent in place of them.
    #[serde(default)]
    pub open_envelopes: bool,
    /// The jq program that made the bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
    /// Whether its letter's body was edited by hand.
    #[serde(default)]
    pub edited: bool,
    /// What a second person says of it, where one is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The retry policy that made it; null when a person or a program asked for it.
    #[serde(default)]
    pub policy_id: Option<PolicyId>,
    /// Who asked.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When the last letter had its outcome.
    pub finished_at: Option<DateTime<Utc>>,
    /// How many letters it holds. Falls where letters of a large plan change before they are claimed, which
    /// `left_out` tells.
    pub total: i64,
    /// Letters by outcome; those that are not claimed yet are pending, too.
    pub outcomes: OutcomeCounts,
    /// How fast it goes. Told of one replay that runs, when something was published lately.
    #[serde(default)]
    pub pace: Option<Pace>,
    /// Letters that were asked for and left out, with the reason.
    pub left_out: Vec<LeftOut>,
    /// Where all its letters go, most letters first. Told when a replay is planned or tried with
    /// `dry_run`, and empty later: each letter names its queue then.
    #[serde(default)]
    pub destinations: Vec<Destination>,
    /// How many of its letters were replayed before. Told when a replay is planned or tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_before: Option<i64>,
    /// How many of its letters a queue refused when they were replayed last, at an exchange whose other queues
    /// may have taken them: they would get them twice. Told when a replay is planned or tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perhaps_delivered: Option<i64>,
    /// How many of its first 5,000 letters were sent as transient messages (delivery mode 1): they are
    /// replayed as persistent ones. Told by a dry run only.
    #[serde(default)]
    pub made_persistent: i64,
    /// Its letters whose origin only the message itself claims; null where there are none. With
    /// `included` they are among its letters, because whoever asked said so; else they are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_origins: Option<ClaimedOrigins>,
    /// What of its senders' would be left off, the most frequent first; counted among its first
    /// 5,000 letters. Told by a dry run only: each letter names its own later. The history that
    /// brokers wrote is left off from every letter, and not named.
    #[serde(default)]
    pub stripped: Vec<Stripped>,
    /// Warnings about it. Told by a dry run only.
    #[serde(default)]
    pub warnings: Vec<ReplayWarning>,
    /// The token of the plan that a dry run told of. A replay that is made with it is made of this plan
    /// and of no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub plan: Option<PlanToken>,
}

/// A queue or an exchange that letters of a replay go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Destination {
    /// The broker, by its name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue; null where letters go to an exchange.
    pub queue: Option<String>,
    /// The exchange; null where letters go to one queue.
    #[serde(default)]
    pub exchange: Option<String>,
    /// The routing key, where they go to an exchange.
    #[serde(default)]
    pub routing_key: Option<String>,
    /// How many letters go there.
    pub letters: i64,
    /// Whether the broker has this queue or exchange now; null where it was not asked or did not
    /// answer. Asked by a dry run only, for the 200 destinations with most letters.
    #[serde(default)]
    pub exists: Option<bool>,
    /// Whether it is an internal exchange, to which nobody can publish: the broker refuses its letters.
    /// Null where it is a queue, or where that is not known.
    #[serde(default)]
    pub internal: Option<bool>,
    /// The queues that would get the letters by the bindings of the exchange now, and of its alternate
    /// exchange where none takes them; null where it is
    /// one queue, or where that is not known.
    #[serde(default)]
    pub receivers: Option<Vec<String>>,
    /// What its queues do with letters that they confirm and have no room for, in words; empty where they
    /// have room, or where that is not known. Told by a dry run only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overflows: Vec<String>,
    /// Whether it is not known that its queues keep what the broker confirms: then such letters are not known to
    /// be delivered. Told by a dry run only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeping_unknown: bool,
    /// How many consumers the queue has now; null where it is an exchange, or where that is not known.
    #[serde(default)]
    pub consumers: Option<i64>,
    /// How the workers are that name this queue in their heartbeats; null where none does, and where letters
    /// go to an exchange. Told by a dry run only, for the 200 destinations with most letters.
    #[serde(default)]
    pub workers: Option<WorkersThere>,
}

/// The workers of a queue, counted by how they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkersThere {
    /// Heard of lately.
    pub fresh: i64,
    /// Silent for longer than they may be.
    pub stale: i64,
    /// Take nothing more.
    pub draining: i64,
    /// Ended in good order.
    pub stopped: i64,
}

/// A property or header that letters of a replay are sent without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stripped {
    /// Its name in AMQP.
    pub name: String,
    /// How many letters have it.
    pub letters: i64,
}

/// One letter in a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayItem {
    /// The letter.
    pub letter_id: LetterId,
    /// The queue it was or will be sent to; null where that is an exchange.
    pub queue: Option<String>,
    /// The exchange it was or will be sent to; null where that is one queue.
    #[serde(default)]
    pub exchange: Option<String>,
    /// The routing key, where it goes to an exchange.
    #[serde(default)]
    pub routing_key: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why, for what did not go well; for what did, what of its sender's was left off.
    pub detail: Option<String>,
    /// When it had this outcome.
    pub at: Option<DateTime<Utc>>,
}

/// A replay as seen from one of its letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LetterReplay {
    /// The replay.
    pub replay_id: ReplayId,
    /// Which try of this letter it was, from 1; 0 where it was not published, which is no try.
    pub attempt: i32,
    /// The queue it was or will be sent to.
    pub queue: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// What was sent, or will be, in place of what the letter arrived with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentMark>,
    /// Why.
    pub detail: Option<String>,
    /// When it was planned.
    pub planned_at: DateTime<Utc>,
    /// When it had this outcome.
    pub at: Option<DateTime<Utc>>,
}
