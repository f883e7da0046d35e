//! One queue with all that applies to it, as it is this moment.

use dlo_domain::topology::{Answers, Vhost, read, read_now};
use serde_json::Value;

use super::survey::{bounded, readable};
use super::{Management, ManagementError};

impl Management {
    /// One queue, in a vhost that holds nothing else but what applies to it.
    ///
    /// Figures are not asked for: with them a broker tells policies and limits as they were some seconds
    /// ago. Since 4.0 it says itself how often a message may come back; before, that is reckoned from its
    /// version and the policies, which are asked for only then.
    ///
    /// # Errors
    /// Returns an error if there is no such queue, or it may not be seen, or the API does not answer.
    pub async fn queue_now(&self, vhost: &str, queue: &str) -> Result<Vhost, ManagementError> {
        let url = self.queue_url(vhost, queue);
        let now = format!("{url}?disable_stats=true&enable_queue_totals=true");
        let told: Value = bounded(self.client.get(now).timeout(self.within)).await?;
        let mut answers = Answers {
            queues: vec![told],
            policies: Some(Vec::new()),
            operator_policies: Some(Vec::new()),
            ..Answers::default()
        };
        let counts = answers.queues[0].get("type").and_then(Value::as_str) == Some("quorum");
        if counts && answers.queues[0].get("delivery_limit").is_none() {
            let (overview, own, operators) = tokio::try_join!(
                self.overview(),
                async { readable(self.listed("policies", vhost).await) },
                async { readable(self.listed("operator-policies", vhost).await) },
            )?;
            answers.version = overview.rabbitmq_version;
            if own.is_none() || operators.is_none() {
                // This user may not read policies; what they come to stands beside the figures.
                return self.queue_with_figures(&url, answers).await;
            }
            answers.policies = own;
            answers.operator_policies = operators;
        }
        Ok(read_now(&answers))
    }

    /// The same as the broker told it some seconds ago. Where it does not say what policies come to, they
    /// are a gap.
    async fn queue_with_figures(
        &self,
        url: &str,
        mut answers: Answers,
    ) -> Result<Vhost, ManagementError> {
        let told: Value = bounded(self.client.get(url).timeout(self.within)).await?;
        if told.get("effective_policy_definition").is_none() {
            answers.policies = None;
            answers.operator_policies = None;
        }
        answers.queues = vec![told];
        Ok(read(&answers))
    }
}
