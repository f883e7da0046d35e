//! The part of the noting desk that is about retry policies.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, PolicyDesk};
use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{Applied, NewPolicy, Policy, PolicyPreview, PolicyReport, ShadowResults};
use dlo_domain::selection::{Changed, Selection};
use serde_json::json;

use super::NotingDesk;
use crate::support::front::ID;
use crate::support::samples::sample;

fn sample_policy(policy: &NewPolicy) -> Policy {
    let mut shown = json!({
        "id": ID, "position": 1, "changed_by": "anna", "changed_at": "2026-11-21T12:00:00Z",
        "figures": {
            "breaker_state": "closed", "breaker_since": "2026-11-21T12:00:00Z", "waiting": 3,
            "next_due_at": "2026-11-21T12:00:10Z", "tries_today": 7, "return_percent": 12,
        },
    });
    let written = json!(policy);
    for (name, value) in written.as_object().expect("an object") {
        shown[name] = value.clone();
    }
    sample(shown)
}

fn shown() -> NewPolicy {
    NewPolicy {
        name: "timeouts".to_owned(),
        filter: "error_class:*Timeout*".to_owned(),
        ..NewPolicy::default()
    }
}

#[async_trait]
impl PolicyDesk for NotingDesk {
    async fn policies(&self) -> Result<Vec<Policy>, DeskError> {
        self.note("policies".to_owned())?;
        Ok(self.told(vec![sample_policy(&shown())]))
    }

    async fn policy(&self, id: PolicyId) -> Result<PolicyReport, DeskError> {
        self.note(format!("policy {id}"))?;
        let usual = PolicyReport {
            policy: sample_policy(&shown()),
            removed: None,
            failed: Vec::new(),
            shadow: ShadowResults::default(),
        };
        let is_removed = self.is_odd && id.to_string() != ID;
        Ok(self.full(usual.clone(), || {
            let mut report = json!(usual);
            report["failed"] = json!([{"letter_id": ID, "replay_id": ID, "outcome": "refused",
                "detail": "the queue work is gone", "at": "2026-11-21T12:00:00Z"}]);
            report["shadow_results"] = json!({"retries": 1, "holds": 0, "discards": 0,
                "exhausted": 0, "samples": self.samples()});
            if is_removed {
                report["removed"] = json!({"at": "2026-11-21T12:00:00Z", "by": "anna"});
            }
            report
        }))
    }

    async fn add_policy(&self, actor: &Actor, policy: &NewPolicy) -> Result<Policy, DeskError> {
        self.note(format!("{} adds the policy {}", actor.0, policy.name))?;
        Ok(sample_policy(policy))
    }

    async fn change_policy(
        &self,
        actor: &Actor,
        id: PolicyId,
        policy: &NewPolicy,
    ) -> Result<Policy, DeskError> {
        self.note(format!("{} changes the policy {id}", actor.0))?;
        Ok(sample_policy(policy))
    }

    async fn remove_policy(&self, actor: &Actor, id: PolicyId) -> Result<(), DeskError> {
        self.note(format!("{} removes the policy {id}", actor.0))
    }

    async fn order_policies(
        &self,
        actor: &Actor,
        order: &[PolicyId],
    ) -> Result<Vec<Policy>, DeskError> {
        self.note(format!("{} orders {} policies", actor.0, order.len()))?;
        Ok(vec![sample_policy(&shown())])
    }

    async fn preview_policy(
        &self,
        id: Option<PolicyId>,
        policy: &NewPolicy,
    ) -> Result<PolicyPreview, DeskError> {
        let instead = id.map_or_else(|| "nothing".to_owned(), |id| id.to_string());
        self.note(format!("preview of {} instead of {instead}", policy.name))?;
        Ok(self.told(sample(json!({
            "days": 7, "matched": 3, "is_capped": false, "taken_before": 1,
            "retries": [{"day": "2026-11-21", "letters": 3, "retries": 9}], "discards": 0,
            "samples": self.samples(),
        }))))
    }

    async fn apply_policy(&self, actor: &Actor, id: PolicyId) -> Result<Applied, DeskError> {
        self.note(format!("{} applies the policy {id}", actor.0))?;
        Ok(Applied { letters: 4 })
    }

    async fn hold(&self, actor: &Actor, _: &Selection) -> Result<Changed, DeskError> {
        self.note(format!("{} holds", actor.0))?;
        Ok(Changed {
            changed: 1,
            left_out: Vec::new(),
            ids: Vec::new(),
        })
    }
}
