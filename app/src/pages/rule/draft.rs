//! A rule as the fields of its form hold it, and as an address does.

use dlo_domain::severity::Severity;

use crate::links;
use crate::query::Query;

/// A rule that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RuleDraft {
    /// The rule that it is written for; empty for a new one.
    pub(super) id: String,
    /// `severity`, or what a grouping rule gives: a `key` or `masks`.
    pub(super) sort: String,
    /// Its name.
    pub(super) name: String,
    /// Its filter.
    pub(super) filter: String,
    /// A severity, a key, or masks, one a line.
    pub(super) verdict: String,
    /// Whether it is asked.
    pub(super) enabled: bool,
}

impl RuleDraft {
    /// The draft that the address of a form names, if it names one. `id` is the path's.
    pub(super) fn of(id: String, query: &Query) -> Option<Self> {
        // An empty filter is one as well, and addresses leave out what is empty.
        if query.get("look").is_none() && query.get("filter").is_none() {
            return None;
        }
        let of = |name| query.get(name).unwrap_or_default();
        Some(Self {
            id,
            sort: query.get("sort")?,
            name: of("name"),
            filter: of("filter"),
            verdict: of("verdict"),
            enabled: query.get("enabled").is_none_or(|text| text != "false"),
        })
    }

    /// A new one of which nothing is known yet.
    pub(super) fn begun(sort: String) -> Self {
        let is_of_grouping = ["key", "masks"].contains(&&*sort);
        let (sort, verdict) = if is_of_grouping {
            (sort, String::new())
        } else {
            ("severity".to_owned(), Severity::High.to_string())
        };
        Self { sort, verdict, enabled: true, ..Self::default() }
    }

    /// Whether it says how bad letters are, or else how they are grouped.
    pub(super) fn is_of_severity(&self) -> bool {
        self.sort == "severity"
    }

    /// The form with this in it; the place of what it would do is shown.
    pub(super) fn address(&self) -> String {
        let path = links::rule_form(&self.id);
        let enabled = if self.enabled { "" } else { "false" };
        links::with_query(
            &path,
            [
                ("sort", &*self.sort),
                ("name", &self.name),
                ("verdict", &self.verdict),
                ("enabled", enabled),
                ("look", "yes"),
                ("filter", &self.filter),
            ],
        )
    }
}
