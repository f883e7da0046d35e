//! Warnings about the destinations of a dry run's plan; and who could take the letters
//! instead.

use dlo_app::desk::DeskError;
use dlo_domain::replay::{Replay, ReplayWarning};
use sqlx::PgConnection;

use super::PgDesk;
use crate::store::StoreError;
use crate::store::executions::watch::another_worker;
use crate::store::topology::workers;

/// Queues that another worker is looked for, at most.
const MOST_OFFERS: usize = 10;

/// Puts the warnings about destinations before those about letters, what must fail first.
///
/// # Errors
/// Returns an error if Postgres does not answer.
pub(super) async fn add(desk: &PgDesk, replay: &mut Replay) -> Result<(), DeskError> {
    let destinations = replay.destinations.iter();
    let mut found: Vec<ReplayWarning> = destinations
        .flat_map(|destination| ReplayWarning::of_destination(destination, replay.total))
        .collect();
    if found.iter().any(ReplayWarning::wants_worker) {
        let mut conn = desk.connection().await?;
        let wanting = found.iter_mut().filter(|warning| warning.wants_worker());
        for warning in wanting.take(MOST_OFFERS) {
            if let Some(queue) = &warning.target {
                warning.fresh_worker = fresh_worker(&mut conn, queue).await?;
            }
        }
    }
    let claimed = replay.claimed_origins.iter().filter(|one| one.included);
    found.extend(claimed.flat_map(|claimed| &claimed.origins).map(|place| {
        let name = place.queue.as_ref().or(place.exchange.as_ref());
        let name = name.map(String::as_str).unwrap_or_default();
        ReplayWarning::claimed_origin(name, place.letters, replay.total)
    }));
    let before = replay.perhaps_delivered.unwrap_or_default();
    found.extend(ReplayWarning::perhaps_delivered(before, replay.total));
    found.sort_by_key(|warning| !warning.will_fail);
    found.append(&mut replay.warnings);
    replay.warnings = found;
    Ok(())
}

/// A worker that is at work and could stand in for those of a queue; `None` if the queue belongs to no
/// worker, or nobody is at work.
async fn fresh_worker(conn: &mut PgConnection, queue: &str) -> Result<Option<String>, StoreError> {
    let own = workers::of_queue(conn, queue).await?;
    let Some((first, _)) = own.first() else {
        return Ok(None);
    };
    let found = another_worker(conn, Some(first)).await?;
    Ok(found.filter(|worker| own.iter().all(|(name, _)| name != worker)))
}
