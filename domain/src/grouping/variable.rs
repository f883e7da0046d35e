//! The kinds of variables: what a mask puts in the place of a value.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a value looks like. Kinds are for people: they never decide whether two messages are equal,
/// because the same place holds a host name today and an address tomorrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Variable {
    /// A number, with its unit where one follows.
    Number,
    /// Letters and digits mixed.
    Id,
    /// A UUID.
    Uuid,
    /// Hexadecimal digits.
    Hex,
    /// An IP or hardware address.
    Ip,
    /// A host name.
    Host,
    /// An e-mail address, or `name@place`.
    Email,
    /// A URL.
    Url,
    /// A path or a file name.
    Path,
    /// A date or a time of day.
    Time,
    /// What stands in quotes.
    Quoted,
    /// `true`, `false` or `null` as a value.
    Flag,
    /// Several values in brackets.
    List,
    /// Brackets, quotes or a key without a value.
    Empty,
    /// What the message shares with its own body or headers.
    Shared,
    /// What a custom rule masks.
    Custom,
    /// A word that the miner found to vary.
    Word,
}

impl Variable {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Number,
        Self::Id,
        Self::Uuid,
        Self::Hex,
        Self::Ip,
        Self::Host,
        Self::Email,
        Self::Url,
        Self::Path,
        Self::Time,
        Self::Quoted,
        Self::Flag,
        Self::List,
        Self::Empty,
        Self::Shared,
        Self::Custom,
        Self::Word,
    ];

    /// The placeholder as it stands in a masked text, for example `<number>`.
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Number => "<number>",
            Self::Id => "<id>",
            Self::Uuid => "<uuid>",
            Self::Hex => "<hex>",
            Self::Ip => "<ip>",
            Self::Host => "<host>",
            Self::Email => "<email>",
            Self::Url => "<url>",
            Self::Path => "<path>",
            Self::Time => "<time>",
            Self::Quoted => "<quoted>",
            Self::Flag => "<flag>",
            Self::List => "<list>",
            Self::Empty => "<empty>",
            Self::Shared => "<shared>",
            Self::Custom => "<custom>",
            Self::Word => "<*>",
        }
    }

    /// The kind whose placeholder the text begins with.
    pub(super) fn placeholder_at(text: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text.starts_with(kind.placeholder().as_bytes()))
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.placeholder())
    }
}
