//! Channels: where people and programs are told of alerts.

mod route;
mod time_of_day;

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::ChannelId;

use route::MOST_OWNERS;
pub use route::{Delivery, Route};
pub use time_of_day::{NoTimeOfDay, TimeOfDay};

/// The longest name, in characters.
pub const MOST_NAME_CHARS: usize = 100;

/// The longest address, in bytes.
pub const MOST_ADDRESS_BYTES: usize = 2_000;

/// How many channels there may be.
pub const MOST_CHANNELS: usize = 50;

/// What every secret of a webhook begins with (Standard Webhooks, "Signature scheme").
pub const SECRET_BEGINS: &str = "whsec_";

/// What a channel speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// An incoming webhook of Slack.
    Slack,
    /// A workflow of Microsoft Teams that takes a webhook.
    Teams,
    /// Any program: JSON, signed as Standard Webhooks says.
    Webhook,
}

impl ChannelKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Slack, Self::Teams, Self::Webhook];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::Webhook => "webhook",
        }
    }
}

impl ChannelKind {
    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slack => "Slack",
            Self::Teams => "Microsoft Teams",
            Self::Webhook => "Webhook",
        }
    }
}

/// The word names no kind of channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of channel: use slack, teams or webhook")]
pub struct UnknownChannelKind(pub String);

impl FromStr for ChannelKind {
    type Err = UnknownChannelKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.as_str() == word).ok_or_else(|| UnknownChannelKind(word.to_owned()))
    }
}

/// A channel as a person writes it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewChannel {
    /// What it is called.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 100))]
    pub name: String,
    /// What it speaks.
    pub kind: ChannelKind,
    /// Where messages are posted. It is a secret and never told again; left out of a change, it stays.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(max_length = 2000))]
    pub address: Option<String>,
    /// What a webhook's messages are signed with: `whsec_` and 24 to 64 bytes in base64. It is a secret and never
    /// told again; left out of a change, it stays. Another one in its place: messages are signed with both for a
    /// day.
    #[serde(default)]
    pub secret: Option<String>,
    /// Which alerts.
    #[serde(default)]
    pub route: Route,
    /// Whether it is used; left out, it is.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Its address and its secret are nobody's to read.
impl std::fmt::Debug for NewChannel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewChannel").field("name", &self.name).finish_non_exhaustive()
    }
}

fn yes() -> bool {
    true
}

/// A channel that cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelFault {
    /// The name is empty, too long, or holds what no line of text does.
    #[error("a channel's name is a line of 1 to {MOST_NAME_CHARS} characters: give it another")]
    Name,
    /// The address is missing, or cannot be posted to.
    #[error(
        "a channel has an address such as https://hooks.slack.com/services/…, of at most {MOST_ADDRESS_BYTES} bytes"
    )]
    Address,
    /// A webhook has no secret, or one that is none.
    #[error(
        "a webhook has a secret: `{SECRET_BEGINS}` and 24 to 64 bytes in base64, such as `openssl rand -base64 32` makes"
    )]
    Secret,
    /// A secret of a channel that signs nothing.
    #[error("only a webhook has a secret: leave it out of a channel of another kind")]
    Unsigned,
    /// The filter of its route cannot be read.
    #[error("the filter of its route cannot be read: {0}")]
    Filter(String),
    /// Too many owners, or one that is none.
    #[error(
        "a route names at most {MOST_OWNERS} owners of groups, each of at most {MOST_NAME_CHARS} characters"
    )]
    Owners,
    /// No severity is named.
    #[error("a channel needs at least one severity: to send it nothing, switch it off")]
    Route,
}

impl NewChannel {
    /// Checks all of it; gives it back with name and address trimmed.
    ///
    /// # Errors
    /// `ChannelFault` when some part of it will not do.
    pub fn checked(&self) -> Result<Self, ChannelFault> {
        let name = self.name.trim();
        let length = name.chars().count();
        if !(1..=MOST_NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(ChannelFault::Name);
        }
        let address = self.address.as_deref().map(str::trim);
        let is_one = |address: &str| {
            let begins = address.starts_with("https://") || address.starts_with("http://");
            begins
                && address.len() <= MOST_ADDRESS_BYTES
                && !address.contains(|c: char| c.is_control() || c.is_whitespace())
        };
        if address.is_some_and(|address| !is_one(address)) {
            return Err(ChannelFault::Address);
        }
        let secret = self.secret.as_deref().map(str::trim);
        if secret.is_some_and(|secret| secret_bytes(secret).is_none()) {
            return Err(ChannelFault::Secret);
        }
        if secret.is_some() && self.kind != ChannelKind::Webhook {
            return Err(ChannelFault::Unsigned);
        }
        Ok(Self {
            name: name.to_owned(),
            address: address.map(str::to_owned),
            secret: secret.map(str::to_owned),
            route: self.route.checked()?,
            ..self.clone()
        })
    }
}

/// The bytes that a secret is, as Standard Webhooks writes one; nothing when it is none.
#[must_use]
pub fn secret_bytes(secret: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(secret.strip_prefix(SECRET_BEGINS)?).ok()?;
    (24..=64).contains(&bytes.len()).then_some(bytes)
}

/// A secret as Standard Webhooks writes it.
#[must_use]
pub fn secret_of(bytes: &[u8]) -> String {
    format!("{SECRET_BEGINS}{}", STANDARD.encode(bytes))
}

/// What is told of an address: its last four characters.
#[must_use]
pub fn masked(address: &str) -> String {
    let count = address.chars().count();
    let last: String = address.chars().skip(count.saturating_sub(4)).collect();
    format!("…{last}")
}

/// A channel as pages and programs read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Channel {
    /// Its id.
    pub id: ChannelId,
    /// What it is called.
    pub name: String,
    /// What it speaks.
    pub kind: ChannelKind,
    /// The last four characters of its address.
    pub address: String,
    /// Which alerts.
    pub route: Route,
    /// Whether it is used.
    pub enabled: bool,
    /// Until when messages are signed with the secret before, too.
    pub signed_twice_until: Option<DateTime<Utc>>,
    /// How many notifications wait for it, but for those of its digest.
    pub waiting: i64,
    /// How many alerts wait for the time of its digest.
    pub waiting_for_digest: i64,
    /// When it took something last.
    pub last_sent_at: Option<DateTime<Utc>>,
    /// Since when it takes nothing, if it does not.
    pub failing_since: Option<DateTime<Utc>>,
    /// What it answered last, when that was not well.
    pub last_answer: Option<String>,
    /// What came of its last test.
    pub last_test: Option<ChannelTest>,
}

/// What came of a test of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChannelTest {
    /// Whether it took the message.
    pub taken: bool,
    /// What it answered, as it is.
    pub answer: String,
    /// When.
    pub at: DateTime<Utc>,
}
