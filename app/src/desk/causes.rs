//! What is asked about what stands behind letters.

use async_trait::async_trait;
use dlo_domain::breakdown::Breakdown;
use dlo_domain::causes::{Behind, Causes};
use dlo_domain::ids::GroupId;
use dlo_domain::letter_sample::LetterSample;
use dlo_domain::timeline::{About, Reach, Timeline};

use super::DeskError;

/// What the newest letters of a group tell.
#[derive(Debug)]
pub struct GroupReport {
    /// What they have in common.
    pub breakdown: Breakdown,
    /// Who stands behind them.
    pub behind: Behind,
    /// The group's deaths beside silences and depths.
    pub timeline: Timeline,
    /// The newest of all, as examples.
    pub samples: Vec<LetterSample>,
}

/// The part of the port that is about what may be why letters die.
#[async_trait]
pub trait CauseDesk {
    /// What is not well with workers, executions and queues.
    async fn causes(&self) -> Result<Causes, DeskError>;

    /// The workers and executions behind the newest letters of a group; for one that was merged, of
    /// the one that it went into.
    async fn behind_group(&self, id: GroupId) -> Result<Behind, DeskError>;

    /// What the newest letters of a group tell, which are read once for all of it; for one that was merged, those of the
    /// one that it went into.
    async fn group_report(&self, id: GroupId, reach: Reach) -> Result<GroupReport, DeskError>;

    /// Silences, depths of queues and deaths over the same time.
    async fn timeline(&self, about: &About, reach: Reach) -> Result<Timeline, DeskError>;
}
