//! The form of a new replay: the letters, where to and how, and the button that was pressed.

use dlo_domain::ids::LetterId;
use leptos_router::params::ParamsMap;
use serde::{Deserialize, Serialize};

use super::Manner;

/// Everything that the form holds. Its fields have these names in an address too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayForm {
    /// The letters, where each was checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<LetterId>,
    /// The filter, where all that match are meant.
    pub q: String,
    /// `matching` where all that match the filter are meant.
    pub scope: String,
    /// Where to and how.
    #[serde(flatten)]
    pub manner: Manner,
    /// The plan on the button that was pressed.
    pub plan: String,
    /// The same on the button that begins with a canary, where the form asks for none.
    pub canary_plan: String,
}

impl ReplayForm {
    /// What an address asks for. A button that offers another worker puts its name into it.
    #[must_use]
    pub fn read(query: &ParamsMap) -> Self {
        let ids = query.get_all("ids[]").unwrap_or_default();
        let mut manner = Manner::read(|name| query.get(name));
        if let Some(worker) = query.get("to_worker").filter(|name| !name.is_empty()) {
            manner.mode = "worker".to_owned();
            manner.worker = worker;
        }
        Self {
            ids: ids.iter().filter_map(|id| id.parse().ok()).collect(),
            q: query.get("q").unwrap_or_default(),
            scope: query.get("scope").unwrap_or_default(),
            manner,
            ..Self::default()
        }
    }

    /// Whether it names no letters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.scope != "matching"
    }
}
