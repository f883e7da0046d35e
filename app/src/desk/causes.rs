//! What is asked about what stands behind letters.

use async_trait::async_trait;
use dlo_domain::causes::Causes;

use super::DeskError;

/// The part of the port that is about what may be why letters die.
#[async_trait]
pub trait CauseDesk {
    /// What is not well with workers, executions and queues.
    async fn causes(&self) -> Result<Causes, DeskError>;
}
