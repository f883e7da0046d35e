//! Dead-lettering as the fields of its form hold it, and as an address does.

use leptos_router::params::ParamsMap;
use serde::{Deserialize, Serialize};

use crate::query::Query;

/// Dead-lettering that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DeadLetteringDraft {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue whose dead letters it is about.
    pub queue: String,
    /// The queue that they go to.
    pub to: String,
    /// How often a message may come back; empty to leave it as it is, `none` to take ours away.
    pub deliveries: String,
    /// How long they stay there, as `7d`; empty to leave it as it is, `none` to take ours away.
    pub retention: String,
    /// `on` to keep each until it is confirmed.
    pub at_least_once: String,
}

impl DeadLetteringDraft {
    /// The draft that an address holds: the queue in its path, the rest in its query.
    pub(super) fn of(path: &ParamsMap, query: &Query) -> Self {
        let place = |name| path.get(name).unwrap_or_default();
        let written = |name| query.get(name).unwrap_or_default();
        Self {
            broker: place("broker"),
            vhost: place("vhost"),
            queue: place("name"),
            to: written("to"),
            deliveries: written("deliveries"),
            retention: written("retention"),
            at_least_once: written("at_least_once"),
        }
    }

    /// The queue's page with this in its form: what would be done, and why it was not.
    pub(super) fn address(&self, look: &str, fault: &str) -> String {
        format!("{}#preview", self.page([("look", look), ("fault", fault)]))
    }

    /// The queue's page after something was done. What was set stays in its form until the broker is read.
    pub(super) fn done(&self, look: &str, notice: &str) -> String {
        self.page([("look", look), ("notice", notice)])
    }

    fn page(&self, more: [(&str, &str); 2]) -> String {
        let written = [
            ("to", &*self.to),
            ("deliveries", &self.deliveries),
            ("retention", &self.retention),
            ("at_least_once", &self.at_least_once),
        ];
        crate::links::with_query(
            &crate::links::queue(&self.broker, &self.vhost, &self.queue),
            written.into_iter().chain(more),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::DeadLetteringDraft;

    #[test]
    fn what_is_written_cannot_leave_its_place_in_the_address() {
        let draft = DeadLetteringDraft {
            broker: "main".to_owned(),
            vhost: "/".to_owned(),
            queue: "a/b%<c>".to_owned(),
            to: "dead&fault=away#%41".to_owned(),
            ..DeadLetteringDraft::default()
        };
        assert_eq!(
            draft.address("plan", ""),
            "/queues/main/%2F/a%2Fb%25%3Cc%3E?to=dead%26fault%3Daway%23%2541&look=plan#preview"
        );
    }

    #[test]
    fn a_draft_is_read_from_the_path_and_the_query() {
        let path = [("broker", "main"), ("vhost", "/"), ("name", "work")];
        let path = path.map(|(name, value)| (name, value.to_owned())).into_iter().collect();
        let query = [("to", "dead"), ("queue", "other"), ("deliveries", "5")].into_iter().collect();
        let draft = DeadLetteringDraft::of(&path, &query);
        let wanted = DeadLetteringDraft {
            broker: "main".to_owned(),
            vhost: "/".to_owned(),
            queue: "work".to_owned(),
            to: "dead".to_owned(),
            deliveries: "5".to_owned(),
            ..DeadLetteringDraft::default()
        };
        assert_eq!(draft, wanted);
    }
}
