//! What is asked about the queues of brokers, and what can be lost in them.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::ids::FindingId;
use dlo_domain::topology::{
    BrokerTopology, DeadLetteringPlan, Discover, Discovery, FindingEdit, FindingScope, KeptFinding,
    NewDeadLettering, QueuePage, QueueQuery, QueueReport,
};
use dlo_domain::worker::Condition;

use super::DeskError;

/// The part of the port that is about topology.
#[async_trait]
pub trait TopologyDesk {
    /// Every broker, with the vhosts that were read, and why others were not.
    async fn brokers(&self) -> Result<Vec<BrokerTopology>, DeskError>;

    /// Has all brokers read again within seconds.
    async fn check_topology(&self) -> Result<(), DeskError>;

    /// What can lose messages, the worst first; at most 1,000.
    async fn findings(&self, scope: FindingScope) -> Result<Vec<KeptFinding>, DeskError>;

    /// One finding, also one that is gone.
    async fn finding(&self, id: FindingId) -> Result<KeptFinding, DeskError>;

    /// Takes note of a finding, or mutes it.
    async fn edit_finding(
        &self,
        actor: &Actor,
        id: FindingId,
        edit: FindingEdit,
    ) -> Result<KeptFinding, DeskError>;

    /// Queues by broker, vhost and name, as they were last read.
    async fn queues(&self, query: &QueueQuery) -> Result<QueuePage, DeskError>;

    /// One queue.
    async fn queue(&self, broker: &str, vhost: &str, name: &str) -> Result<QueueReport, DeskError>;

    /// Dead-letter queues that are no sources yet, in what was read last.
    async fn discover(&self, asked: &Discover) -> Result<Discovery, DeskError>;

    /// The workers that say they work on a queue of this name, and how each is; the first 20.
    async fn workers_of(&self, queue: &str) -> Result<Vec<(String, Condition)>, DeskError>;

    /// What would be set to give a queue a dead-letter queue, and what stands against it. Changes
    /// nothing.
    async fn preview_dead_lettering(
        &self,
        queue: &QueueName,
        wanted: &NewDeadLettering,
    ) -> Result<DeadLetteringPlan, DeskError>;

    /// Does it, by policy. A conflict when `plan` is given and it is not that any more.
    async fn set_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        wanted: &NewDeadLettering,
        plan: Option<&str>,
    ) -> Result<DeadLetteringPlan, DeskError>;

    /// Takes away what was set of a queue; or tells what that would change.
    async fn unset_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError>;

    /// Lifts the limit of deliveries of a queue by policy; or tells what that would change. `plan` is what was
    /// looked at.
    async fn lift_delivery_limit(
        &self,
        actor: &Actor,
        queue: &QueueName,
        plan: Option<&str>,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError>;
}

/// Which queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueName {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub name: String,
}
