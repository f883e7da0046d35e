//! The form of a new replay: the letters, where to and how, and the button that was pressed.

use dlo_domain::ids::LetterId;
use serde::{Deserialize, Serialize};

use super::fields::ReplayFields;
use crate::query::Query;

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
    pub fields: ReplayFields,
    /// The plan on the button that was pressed.
    pub plan: String,
    /// The same on the button that begins with a canary, where the form asks for none.
    pub canary_plan: String,
}

impl ReplayForm {
    /// What an address asks for. A button that offers another worker, or to change headers, puts that into it.
    #[must_use]
    pub fn read(query: &Query) -> Self {
        let mut form = Self::of(query.get_all("ids[]"), |name| query.get(name));
        if let Some(worker) = query.get("to_worker").filter(|name| !name.is_empty()) {
            "worker".clone_into(&mut form.fields.mode);
            form.fields.worker = worker;
        }
        if let Some(more) = query.get("more_headers").filter(|more| !more.is_empty()) {
            form.fields.add_headers(&more);
        }
        // An address shows a plan; only a button publishes one.
        form.plan.clear();
        form.canary_plan.clear();
        form
    }

    /// What stands in the fields of a form.
    pub fn of(
        ids: impl IntoIterator<Item = String>,
        field: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let text = |name: &str| field(name).unwrap_or_default();
        Self {
            ids: ids.into_iter().filter_map(|id| id.parse().ok()).collect(),
            q: text("q"),
            scope: text("scope"),
            fields: ReplayFields::read(&field),
            plan: text("plan"),
            canary_plan: text("canary_plan"),
        }
    }

    /// Whether it names no letters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.scope != "matching"
    }
}
