//! Keeps one task for each source that is watched: starts those that are added, stops those that
//! are removed or changed.

use std::collections::HashMap;
use std::time::Duration;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::SourceId;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{Intake, source};
use crate::duty::{Duty, Next};
use crate::store::StoreError;
use crate::store::sources::{self, Watched};

/// How often the list of sources is read.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Keeps the tasks of sources.
pub(super) struct Supervisor {
    intake: Intake,
    running: HashMap<SourceId, Task>,
    tasks: JoinSet<SourceId>,
}

struct Task {
    source: Watched,
    stop: CancellationToken,
}

impl Duty for Supervisor {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        while let Some(ended) = self.tasks.try_join_next() {
            let id = in_order(ended);
            self.running.retain(|known, task| *known != id || !task.stop.is_cancelled());
        }
        let wanted = watched(&self.intake).await?;
        self.adjust(wanted, stop);
        Ok(Next::Usual)
    }

    /// A source that was added is taken from at once.
    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        matches!(event, LiveEvent::Source { .. })
    }

    /// Every source ends in order.
    async fn end(mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            in_order(ended);
        }
    }
}

/// A task that broke is a fault of ours: it ends this one, and with it the process.
fn in_order(ended: Result<SourceId, JoinError>) -> SourceId {
    match ended {
        Ok(id) => id,
        Err(why) => std::panic::resume_unwind(why.into_panic()),
    }
}

async fn watched(intake: &Intake) -> Result<Vec<Watched>, StoreError> {
    let mut conn = intake.pool.acquire().await?;
    sources::watched(&mut conn).await
}

impl Supervisor {
    /// One that keeps none yet.
    pub(super) fn new(intake: Intake) -> Self {
        Self { intake, running: HashMap::new(), tasks: JoinSet::new() }
    }

    fn adjust(&mut self, wanted: Vec<Watched>, stop: &CancellationToken) {
        let Self { intake, running, tasks } = self;
        for task in running.values() {
            if !wanted.contains(&task.source) {
                task.stop.cancel();
            }
        }
        for source in wanted {
            // One that was changed starts again once its old task has ended.
            if running.contains_key(&source.id) {
                continue;
            }
            let task = Task { source: source.clone(), stop: stop.child_token() };
            let (intake, own_stop, id) = (intake.clone(), task.stop.clone(), source.id);
            tasks.spawn(async move {
                source::run(intake, source, own_stop).await;
                id
            });
            running.insert(id, task);
        }
    }
}
