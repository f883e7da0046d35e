//! Whose replays are listed: policies make very many small ones, between which people's are lost.

use std::fmt;
use std::str::FromStr;

use crate::ids::PolicyId;

/// Whose replays are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Makers {
    /// Everybody's.
    #[default]
    All,
    /// Those that people and programs asked for.
    People,
    /// Those of all retry policies.
    Policies,
    /// Those that hand an execution on to another worker.
    Handler,
    /// Those of one retry policy.
    Policy(PolicyId),
}

impl fmt::Display for Makers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::People => f.write_str("people"),
            Self::Policies => f.write_str("policies"),
            Self::Handler => f.write_str("handler"),
            Self::Policy(id) => write!(f, "policy:{id}"),
        }
    }
}

/// The word says nobody's replays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown `{0}`: use people, policies, handler, all, or policy: and the policy's id")]
pub struct UnknownMakers(pub String);

impl FromStr for Makers {
    type Err = UnknownMakers;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownMakers(word.to_owned());
        match word {
            "all" => Ok(Self::All),
            "people" => Ok(Self::People),
            "policies" => Ok(Self::Policies),
            "handler" => Ok(Self::Handler),
            _ => {
                let id = word.strip_prefix("policy:").ok_or_else(unknown)?;
                id.parse().map(Self::Policy).map_err(|_| unknown())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_read_as_they_are_written() {
        let one = "policy:019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
        for word in ["all", "people", "policies", "handler", one] {
            let makers: Makers = word.parse().expect("makers");
            assert_eq!(makers.to_string(), word);
        }
        for word in ["", "People", "policy:", "policy:x", "policies:x"] {
            assert_eq!(word.parse::<Makers>(), Err(UnknownMakers(word.to_owned())));
        }
    }
}
