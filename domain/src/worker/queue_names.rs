//! What the queues of workers are called, and so which queue a worker may say that it works on: what it says
//! is where messages are published for it.

use crate::globs::Globs;

/// Stands for the name of a worker.
const WORKER: &str = "{worker}";

/// What the queues of workers are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerQueueNames {
    /// The usual name, with `{worker}` for the worker's.
    pub template: String,
    /// Patterns of other names.
    pub others: Globs,
}

impl Default for WorkerQueueNames {
    fn default() -> Self {
        Self { template: format!("worker.{WORKER}.executions"), others: Globs::default() }
    }
}

impl WorkerQueueNames {
    /// The usual name of a worker's queue.
    #[must_use]
    pub fn usual(&self, worker: &str) -> String {
        self.template.replace(WORKER, worker)
    }

    /// Whether a worker may work on a queue of this name: it is called as workers' queues are, with any name
    /// in the place of the worker's, or is listed. A template that is nothing but `{worker}`, or has it twice,
    /// says nothing of other names: then the queue has the worker's own.
    #[must_use]
    pub fn allows(&self, worker: &str, queue: &str) -> bool {
        queue == self.usual(worker) || self.is_shaped_like(queue) || self.others.matches(queue)
    }

    fn is_shaped_like(&self, queue: &str) -> bool {
        let Some((before, after)) = self.template.split_once(WORKER) else {
            return false;
        };
        if after.contains(WORKER) || before.is_empty() && after.is_empty() {
            return false;
        }
        let name = queue.strip_prefix(before);
        let name = name.and_then(|rest| rest.strip_suffix(after));
        name.is_some_and(|name| !name.is_empty())
    }

    /// Why a queue is not taken for a worker's.
    #[must_use]
    pub fn refusal(&self, queue: &str) -> String {
        let others = if self.others.is_empty() {
            String::new()
        } else {
            format!(", nor in `worker_queues` ({})", self.others)
        };
        format!(
            "the queue `{queue}` is not taken for a worker's: it is not called like `{}`{others}. Add it to \
             `worker_queues` of `[replay]` if workers work on it",
            self.template
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(template: &str, others: &str) -> WorkerQueueNames {
        WorkerQueueNames {
            template: template.to_owned(),
            others: others.parse().expect("patterns"),
        }
    }

    #[test]
    fn a_worker_works_on_queues_that_are_called_as_workers_queues_are() {
        let usual = WorkerQueueNames::default();
        assert_eq!(usual.usual("7"), "worker.7.executions");
        for queue in ["worker.7.executions", "worker.attune-3.executions"] {
            assert!(usual.allows("attune-7", queue), "{queue}");
        }
        for queue in ["payments.execute", "worker..executions", "worker.executions", ""] {
            assert!(!usual.allows("attune-7", queue), "{queue}");
        }
        let listed = names("worker.{worker}.executions", "crew.*, emails");
        assert!(listed.allows("a", "crew.1") && listed.allows("a", "emails"));
        assert!(!listed.allows("a", "payments.execute"));
        assert!(listed.refusal("payments.execute").contains("(crew.*, emails)"));
    }

    #[test]
    fn a_template_that_says_nothing_of_other_names_allows_the_workers_own_alone() {
        let bare = names("{worker}", "");
        assert!(bare.allows("a", "a") && !bare.allows("a", "payments.execute"));
        let twice = names("{worker}.q.{worker}", "");
        assert!(twice.allows("a", "a.q.a") && !twice.allows("a", "a.q.b"));
        let begins = names("jobs-{worker}", "");
        assert!(begins.allows("a", "jobs-b") && !begins.allows("a", "jobs-"));
    }
}
