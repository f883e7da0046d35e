//! What is asked about retry policies.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{Applied, NewPolicy, Policy, PolicyPreview, PolicyReport};
use dlo_domain::selection::{Changed, Selection};

use super::DeskError;

/// The part of the port that is about retry policies.
#[async_trait]
pub trait PolicyDesk {
    /// Every policy, in the order of asking.
    async fn policies(&self) -> Result<Vec<Policy>, DeskError>;

    /// One policy, with what it did; also one that was removed.
    async fn policy(&self, id: PolicyId) -> Result<PolicyReport, DeskError>;

    /// Adds a policy behind all others. One that cannot be used is invalid.
    async fn add_policy(&self, actor: &Actor, policy: &NewPolicy) -> Result<Policy, DeskError>;

    /// Puts another in the place of a policy. Letters that wait for one that does not retry any
    /// more are held.
    async fn change_policy(
        &self,
        actor: &Actor,
        id: PolicyId,
        policy: &NewPolicy,
    ) -> Result<Policy, DeskError>;

    /// Removes a policy. Letters that wait for it are held.
    async fn remove_policy(&self, actor: &Actor, id: PolicyId) -> Result<(), DeskError>;

    /// Orders the policies anew. Unless these are all of them, each once, it is a conflict.
    async fn order_policies(
        &self,
        actor: &Actor,
        order: &[PolicyId],
    ) -> Result<Vec<Policy>, DeskError>;

    /// What a policy would have done with the letters of the last days: in the place of one that is
    /// there, or behind all of them.
    async fn preview_policy(
        &self,
        id: Option<PolicyId>,
        policy: &NewPolicy,
    ) -> Result<PolicyPreview, DeskError>;

    /// Has the policies asked of the held letters that this one matches.
    async fn apply_policy(&self, actor: &Actor, id: PolicyId) -> Result<Applied, DeskError>;

    /// Takes scheduled letters away from their policies: they wait for a person.
    async fn hold(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError>;
}
