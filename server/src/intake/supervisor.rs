//! Keeps one task for each source that is watched: starts those that are added, stops those that
//! are removed or changed.

use std::collections::HashMap;
use std::time::Duration;

use dlo_domain::ids::SourceId;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Deps, leftovers, source};
use crate::store::StoreError;
use crate::store::sources::{self, Watched};

/// How often the list of sources is read.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Intake cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The task of a source ended with a panic.
    #[error("the task of a source broke: {0}")]
    Broken(#[from] tokio::task::JoinError),
}

struct Task {
    source: Watched,
    stop: CancellationToken,
}

/// Runs intake until `stop`, which ends every source in order.
///
/// # Errors
/// When a source's task panics: that is a fault of ours, and the process should end.
pub async fn run(deps: Deps, stop: CancellationToken) -> Result<(), IntakeError> {
    // A failure of the one ends the other too.
    tokio::try_join!(supervise(&deps, &stop), async {
        leftovers::delete(&deps, &stop).await;
        Ok(())
    })?;
    Ok(())
}

async fn supervise(deps: &Deps, stop: &CancellationToken) -> Result<(), IntakeError> {
    let mut running: HashMap<SourceId, Task> = HashMap::new();
    let mut tasks = JoinSet::new();
    while !stop.is_cancelled() {
        match watched(deps).await {
            Ok(wanted) => adjust(deps, &mut running, &mut tasks, wanted, stop),
            Err(error) => tracing::debug!(%error, "the list of sources could not be read"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
        while let Some(ended) = tasks.try_join_next() {
            let id: SourceId = ended?;
            running.retain(|known, task| *known != id || !task.stop.is_cancelled());
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended?;
    }
    Ok(())
}

async fn watched(deps: &Deps) -> Result<Vec<Watched>, StoreError> {
    let mut conn = deps.pool.acquire().await?;
    sources::watched(&mut conn).await
}

fn adjust(
    deps: &Deps,
    running: &mut HashMap<SourceId, Task>,
    tasks: &mut JoinSet<SourceId>,
    wanted: Vec<Watched>,
    stop: &CancellationToken,
) {
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
        let (deps, own_stop, id) = (deps.clone(), task.stop.clone(), source.id);
        tasks.spawn(async move {
            source::run(deps, source, own_stop).await;
            id
        });
        running.insert(id, task);
    }
}
