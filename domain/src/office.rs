//! How this office is doing, for the banner that says what is degraded and what is safe.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One thing that is not well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trouble {
    /// What is wrong, and what is safe all the same, as a sentence.
    pub what: String,
    /// Since when.
    pub since: DateTime<Utc>,
}

/// The choices that a filter form offers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FilterChoices {
    /// Names of the sources.
    pub sources: Vec<String>,
    /// Origin queues that letters died in, in order of their names, the first 200.
    pub queues: Vec<String>,
}
