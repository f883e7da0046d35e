//! The part of the noting desk that is about topology.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, QueueName, TopologyDesk};
use dlo_domain::audit::Actor;
use dlo_domain::ids::FindingId;
use dlo_domain::topology::{
    BrokerTopology, DeadLetteringPlan, Discover, Discovery, FindingEdit, FindingScope, KeptFinding,
    NewDeadLettering, QueuePage, QueueQuery, QueueReport,
};
use dlo_domain::worker::Condition;
use serde_json::json;

use super::NotingDesk;
use crate::support::front::ID;
use crate::support::full;
use crate::support::samples::sample;

fn sample_finding() -> KeptFinding {
    sample(json!({
        "id": ID, "broker": "main", "vhost": "/", "kind": "unbound", "severity": "critical",
        "subject": "work", "other": "dlx", "title": "Nothing is bound to `dlx`",
        "lost": "Every dead letter of `work`.", "fix": "Bind a queue.", "command": null,
        "first_seen_at": "2026-11-21T12:00:00Z", "last_seen_at": "2026-11-21T12:00:30Z",
        "resolved_at": null, "acknowledged_by": null, "acknowledged_at": null, "muted_until": null,
    }))
}

fn sample_queue() -> QueueReport {
    sample(json!({
        "broker": "main", "vhost": "/", "name": "work", "kind": "quorum", "role": "work",
        "figures": {"ready": 3, "unacknowledged": 1, "consumers": 2, "in_per_second": 1.5,
            "out_per_second": 1.0},
        "idle_seconds": null, "policy": null, "operator_policy": null, "effective": {},
        "dead_letters": {"exchange": "dlx", "key": null, "to": ["dead"], "end": "arrives",
            "lost_keys": []},
        "fed_by": [], "bound_to": [], "source_id": null, "findings": [ID],
    }))
}

#[async_trait]
impl TopologyDesk for NotingDesk {
    async fn brokers(&self) -> Result<Vec<BrokerTopology>, DeskError> {
        self.note("brokers".to_owned())?;
        Ok(self.told(vec![sample(json!({
            "broker": "main", "asked_at": "2026-11-21T12:00:00Z", "trouble": null,
            "trouble_since": null, "vhosts": [{
                "broker": "main", "vhost": "/", "read_at": "2026-11-21T12:00:00Z",
                "version": "3.10.8", "queues": 2, "findings": 1, "gaps": ["figures"],
                "notes": ["The broker tells no figures."],
            }],
        }))]))
    }

    async fn check_topology(&self) -> Result<(), DeskError> {
        self.note("check of the topology".to_owned())
    }

    async fn findings(&self, scope: FindingScope) -> Result<Vec<KeptFinding>, DeskError> {
        self.note(format!("findings {scope:?}"))?;
        Ok(self.told(vec![sample_finding()]))
    }

    async fn finding(&self, id: FindingId) -> Result<KeptFinding, DeskError> {
        self.note(format!("finding {id}"))?;
        Ok(sample_finding())
    }

    async fn edit_finding(
        &self,
        actor: &Actor,
        id: FindingId,
        edit: FindingEdit,
    ) -> Result<KeptFinding, DeskError> {
        self.note(format!(
            "{} edits {id}: {:?} {:?}",
            actor.0, edit.acknowledged, edit.mute_hours
        ))?;
        Ok(sample_finding())
    }

    async fn queues(&self, query: &QueueQuery) -> Result<QueuePage, DeskError> {
        self.note(format!("queues {query:?}"))?;
        Ok(self.told(QueuePage {
            items: vec![sample_queue()],
            next_cursor: Some("next".to_owned()),
            estimated_total: 2,
        }))
    }

    async fn queue(&self, broker: &str, vhost: &str, name: &str) -> Result<QueueReport, DeskError> {
        self.note(format!("queue {broker} {vhost} {name}"))?;
        Ok(self.told(sample_queue()))
    }

    async fn discover(&self, asked: &Discover) -> Result<Discovery, DeskError> {
        self.note(format!("discover at {:?} {:?}", asked.broker, asked.vhost))?;
        Ok(self.told(sample(json!({
            "items": [{
                "source": {"broker": "main", "vhost": "/", "queue": "dead", "mode": "take"},
                "ready": 3, "consumers": 0, "why": "Dead letters of `work` come to rest here.",
                "kind": "dead_letters", "fed_by": ["work"],
            }],
            "next_cursor": null, "estimated_total": 1, "unread": [],
        }))))
    }

    async fn workers_of(&self, queue: &str) -> Result<Vec<(String, Condition)>, DeskError> {
        self.note(format!("workers of {queue}"))?;
        Ok(self.full(Vec::new(), || json!([["worker-7", "fresh"]])))
    }

    async fn preview_dead_lettering(
        &self,
        queue: &QueueName,
        wanted: &NewDeadLettering,
    ) -> Result<DeadLetteringPlan, DeskError> {
        let NewDeadLettering {
            dead_letter_queue: to,
            max_deliveries: most,
            at_least_once: sure,
            ..
        } = wanted;
        self.note(format!(
            "preview of {} dying into {to} {most:?} {sure:?}",
            queue.name
        ))?;
        Ok(self.full(DeadLetteringPlan::default(), full::dead_lettering))
    }

    async fn set_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        wanted: &NewDeadLettering,
        plan: Option<&str>,
    ) -> Result<DeadLetteringPlan, DeskError> {
        let to = &wanted.dead_letter_queue;
        let QueueName { vhost, name, .. } = queue;
        self.note(format!(
            "{} has {vhost} {name} die into {to} by {plan:?}",
            actor.0
        ))?;
        Ok(self.full(DeadLetteringPlan::default(), full::dead_lettering))
    }

    async fn unset_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError> {
        self.note(format!("{} unsets {}, dry {is_dry}", actor.0, queue.name))?;
        Ok(self.full(DeadLetteringPlan::default(), full::dead_lettering))
    }

    async fn lift_delivery_limit(
        &self,
        actor: &Actor,
        queue: &QueueName,
        plan: Option<&str>,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError> {
        self.note(format!(
            "{} lifts the limit of {} by {plan:?}, dry {is_dry}",
            actor.0, queue.name
        ))?;
        Ok(self.full(DeadLetteringPlan::default(), full::dead_lettering))
    }
}
