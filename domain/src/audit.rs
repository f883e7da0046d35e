//! Who did what, and why.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One line of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who: a token's name, `local operator`, or `dlo` for the product itself.
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

    /// The product itself.
    #[must_use]
    pub fn office() -> Self {
        Self("dlo".to_owned())
    }
}
