//! Who did what, and why.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::execution::{HANDLER, MONITOR};

/// One line of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who: a token's name, `local operator`, `command line`, or `dlo` for the product itself.
    pub actor: String,
    /// What: `letter.discard`, `letter.restore`, `replay.create`, …
    pub action: String,
    /// Why or what exactly, as the actor said or as it came out.
    pub detail: Option<String>,
}

/// Who acts: the name that the audit trail keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor(pub String);

impl Actor {
    /// The person at the machine, until accounts exist.
    #[must_use]
    pub fn local_operator() -> Self {
        Self("local operator".to_owned())
    }

    /// Whoever runs `dlo` on the machine of an office.
    #[must_use]
    pub fn command_line() -> Self {
        Self("command line".to_owned())
    }

    /// The product itself, where it hands on an execution whose message died.
    #[must_use]
    pub fn dead_letter_handler() -> Self {
        Self(HANDLER.replace('_', " "))
    }

    /// Whether the product itself acts by this name, or the person at the pages: nobody else is to.
    #[must_use]
    pub fn is_reserved(name: &str) -> bool {
        let word = |name: &str| name.to_lowercase().replace(['_', '-'], " ");
        let name = word(name.trim());
        let own =
            [Self::office(), Self::local_operator(), Self::command_line()].map(|actor| actor.0);
        own.contains(&name)
            || [HANDLER, MONITOR].map(word).contains(&name)
            || name.starts_with("retry policy")
    }

    /// The product itself.
    #[must_use]
    pub fn office() -> Self {
        Self("dlo".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_product_acts_by_are_reserved() {
        for name in [
            "dlo",
            " DLO ",
            "local operator",
            "Local-Operator",
            "command-line",
            "retry policy timeouts",
            "dead letter handler",
            "execution_timeout_monitor",
        ] {
            assert!(Actor::is_reserved(name), "{name}");
        }
        for name in ["anna", "demo", "dlo-ci", "operator", "policy"] {
            assert!(!Actor::is_reserved(name), "{name}");
        }
    }
}
