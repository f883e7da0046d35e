//! What an alert is about.

use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, SourceId};

/// The thing that an alert is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertSubject {
    /// Which thing of its rule, for whoever compares.
    pub key: String,
    /// What it is called, for whoever reads; empty where the rule is about one thing only.
    pub name: String,
    /// The source.
    pub source: Option<SourceId>,
    /// The group.
    pub group: Option<GroupId>,
    /// The broker, as the configuration names it.
    pub broker: Option<String>,
    /// The vhost.
    pub vhost: Option<String>,
    /// The queue.
    pub queue: Option<String>,
}
