//! Each finding on the smallest vhost that has it, and on its neighbour that has not.

mod capacity;
mod chains;
mod consumers;
mod dead_lettering;
mod declared;
mod delay_levels;
mod delays;
mod depth;
mod discovering;
mod dropping;
mod left_out;
mod lifting;
mod lints;
mod migrating;
mod operated;
mod paging;
mod reading;
mod routes;
mod set_here;
mod stranded;
mod telling;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Answers, Finding, FindingKind, Findings, Regard, SetHere, USUAL_PATIENCE_SECONDS, Vhost,
    WorkerQueues, lint, read,
};

/// A vhost in the making, in the words of a management API; and the queues of its workers.
#[derive(Default)]
struct Draft(Answers, WorkerQueues, SetHere, BTreeSet<String>);

#[expect(clippy::needless_pass_by_value, reason = "so that a test can write its JSON in place")]
impl Draft {
    fn new() -> Self {
        let mut draft = Self::default();
        draft.0.version = Some("3.10.8".to_owned());
        draft.0.policies = Some(Vec::new());
        draft.0.operator_policies = Some(Vec::new());
        draft
    }

    fn version(mut self, version: &str) -> Self {
        self.0.version = Some(version.to_owned());
        self
    }

    /// A classic queue with a consumer.
    fn queue(self, name: &str, arguments: Value) -> Self {
        self.queue_with(name, json!({"arguments": arguments}))
    }

    fn quorum(self, name: &str, arguments: Value) -> Self {
        self.queue_with(name, json!({"type": "quorum", "arguments": arguments}))
    }

    fn queue_with(mut self, name: &str, more: Value) -> Self {
        let mut queue = json!({
            "name": name, "type": "classic", "durable": true, "consumers": 1, "messages_ready": 3,
            "arguments": {}, "effective_policy_definition": {},
        });
        for (member, value) in more.as_object().expect("members") {
            queue[member] = value.clone();
        }
        self.0.queues.push(queue);
        self
    }

    fn exchange(mut self, name: &str, kind: &str, arguments: Value) -> Self {
        let exchange = json!({"name": name, "type": kind, "arguments": arguments});
        self.0.exchanges.push(exchange);
        self
    }

    fn bind(mut self, exchange: &str, queue: &str, key: &str) -> Self {
        self.0.bindings.push(json!({
            "source": exchange, "destination": queue, "destination_type": "queue",
            "routing_key": key,
        }));
        self
    }

    fn policy(mut self, name: &str, pattern: &str, priority: i64, definition: Value) -> Self {
        let policies = self.0.policies.get_or_insert_default();
        policies.push(json!({
            "name": name, "pattern": pattern, "apply-to": "queues", "priority": priority,
            "definition": definition,
        }));
        self
    }

    fn operated(mut self, name: &str, pattern: &str, definition: Value) -> Self {
        let policies = self.0.operator_policies.get_or_insert_default();
        policies.push(json!({
            "name": name, "pattern": pattern, "apply-to": "queues", "priority": 0,
            "definition": definition,
        }));
        self
    }

    fn read(&self) -> Vhost {
        read(&self.0)
    }

    fn lint(&self) -> Findings {
        self.lint_of(&self.read())
    }

    /// What is found in a vhost that was made of this one.
    fn lint_of(&self, vhost: &Vhost) -> Findings {
        let regard = Regard {
            patience: USUAL_PATIENCE_SECONDS,
            workers: &self.1,
            set_here: &self.2,
            watched: &self.3,
        };
        lint(vhost, "/", regard)
    }

    fn findings(&self) -> Vec<Finding> {
        self.lint().found
    }

    /// What is found, but for what every classic queue with dead letters is told.
    fn kinds(&self) -> Vec<(FindingKind, String)> {
        let found = self.findings().into_iter();
        found
            .filter(|finding| finding.kind != FindingKind::AtMostOnce)
            .map(|finding| (finding.kind, finding.subject))
            .collect()
    }

    fn only(&self) -> Finding {
        let mut found = self.findings();
        found.retain(|finding| finding.kind != FindingKind::AtMostOnce);
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }
}

/// The arguments of a queue that dead-letters.
fn dying(exchange: &str) -> Value {
    json!({"x-dead-letter-exchange": exchange})
}

fn dying_to(exchange: &str, key: &str) -> Value {
    json!({"x-dead-letter-exchange": exchange, "x-dead-letter-routing-key": key})
}

/// `work` dies over the fanout `dlx` into `dead`.
fn sound() -> Draft {
    Draft::new()
        .queue("work", dying("dlx"))
        .queue_with("dead", json!({"consumers": 0}))
        .exchange("dlx", "fanout", json!({}))
        .bind("dlx", "dead", "")
}
