//! Identifiers, one type a thing, so that the compiler keeps them apart.
//!
//! All are UUIDs of version 7: they begin with their time of making, which keeps index inserts
//! local and lets tables be partitioned by id. They are made at the edge (the server), never here.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id! {
    /// One logical dead-lettered message, followed across replays.
    LetterId
}
id! {
    /// A dead-letter queue that we watch.
    SourceId
}
id! {
    /// What a worker told of a message apart from it.
    ErrorReportId
}
id! {
    /// One run that publishes a frozen selection of letters again.
    ReplayId
}
id! {
    /// The signatures that are held to be one failure pattern.
    GroupId
}
id! {
    /// A filter that somebody saved under a name.
    ViewId
}
id! {
    /// A rule that judges letters.
    RuleId
}
id! {
    /// A rule that says of which message type the bodies of a queue are.
    TypeRuleId
}
id! {
    /// A policy that retries letters by itself.
    PolicyId
}
id! {
    /// Something about a broker's queues that can lose messages.
    FindingId
}
id! {
    /// A rule that says what is an alert.
    AlertRuleId
}
id! {
    /// What an alert rule counts letters under: another one whenever its filter becomes another.
    AlertCounterId
}
id! {
    /// One time that something was an alert.
    AlertId
}
id! {
    /// A time in which nobody is told of some alerts.
    SilenceId
}
id! {
    /// Where people and programs are told of alerts.
    ChannelId
}
id! {
    /// A running `dlo serve` process.
    OfficeId
}
