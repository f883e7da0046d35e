//! What the page of the workers shows.

use dlo_domain::execution::Execution;
use dlo_domain::worker::{Condition, KindSummary, WorkerPage};

use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::said::{Said, link, plain, words};
use crate::pages::{executions, worker};
use crate::{links, wording};

/// Workers of one page.
const MOST_ROWS: u32 = 100;

/// A page of workers.
pub(super) struct WorkersView {
    /// In a sentence.
    pub(super) heading: Said,
    /// All kinds.
    pub(super) kinds: Vec<KindSummary>,
    /// The workers of this page.
    pub(super) page: WorkerPage,
    /// Executions that are stuck, the first of them; none but on the first page of all workers.
    pub(super) stuck: Vec<Execution>,
}

/// A page of workers; `state` and `kind` are empty for all of them.
///
/// # Errors
/// A state or a cursor that cannot be read, or a desk that does not answer.
pub(super) async fn read(state: &str, kind: &str, cursor: &str) -> Result<WorkersView, ApiError> {
    let condition: Option<Condition> = match state {
        "" => None,
        word => Some(word.parse().map_err(invalid)?),
    };
    let after = match cursor {
        "" => None,
        text => Some(text.parse().map_err(invalid)?),
    };
    let only = (!kind.is_empty()).then_some(kind);
    let desk = desk();
    let page = desk.workers(condition, only, after.as_ref(), MOST_ROWS).await?;
    let kinds = desk.worker_kinds().await?;
    let is_first = state.is_empty() && kind.is_empty() && after.is_none();
    let stuck = if is_first { executions::view::stuck(None).await? } else { Vec::new() };
    // Of one kind where the list is of one.
    let listed: Vec<KindSummary> =
        kinds.iter().filter(|one| only.is_none_or(|kind| one.kind == kind)).cloned().collect();
    let silent = listed.iter().map(|kind| kind.stale).sum::<i64>();
    let first = page.items.first();
    let heading = match first.filter(|one| silent == 1 && one.condition == Condition::Stale) {
        Some(worker) => {
            let at_work = listed.iter().map(|kind| kind.fresh).sum();
            worker::view::only_silent(worker, at_work).await?
        }
        None if listed.is_empty() => heading(&kinds),
        None => heading(&listed),
    };
    Ok(WorkersView { heading, kinds, page, stuck })
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn invalid(why: impl ToString) -> ApiError {
    ApiError::invalid(why.to_string())
}

fn heading(kinds: &[KindSummary]) -> Said {
    let sum = |of: fn(&KindSummary) -> i64| kinds.iter().map(of).sum::<i64>();
    let (stale, all) = (sum(|kind| kind.stale), sum(KindSummary::total));
    if all == 0 {
        return plain("No worker has reported yet.");
    }
    let at_work = sum(|kind| kind.fresh);
    let of = |text, state| link(text, links::with_query(links::WORKERS, [("state", state)]));
    let workers = wording::counted(if stale == 0 { at_work } else { stale }, "worker");
    match stale {
        0 if at_work == 0 => plain("No worker is at work."),
        0 => vec![of(workers, "fresh"), words(" at work, and none is silent.")],
        n => {
            let verb = if n == 1 { "is" } else { "are" };
            vec![
                of(workers, "stale"),
                words(format!(" {verb} silent, ")),
                of(wording::count(at_work), "fresh"),
                words(" at work."),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::said::Piece;

    #[test]
    fn the_heading_tells_the_worst() {
        let kind = |stale, fresh| KindSummary {
            kind: "worker-*".to_owned(),
            fresh,
            stale,
            draining: 0,
            stopped: 1,
        };
        let heading = |kinds: &[KindSummary]| {
            let said = super::heading(kinds);
            said.iter().map(Piece::words).collect::<String>()
        };
        assert_eq!(heading(&[]), "No worker has reported yet.");
        assert_eq!(heading(&[kind(0, 0)]), "No worker is at work.");
        assert_eq!(heading(&[kind(0, 2)]), "2 workers at work, and none is silent.");
        assert_eq!(heading(&[kind(1, 3)]), "1 worker is silent, 3 at work.");
        assert_eq!(heading(&[kind(1, 3), kind(1, 0)]), "2 workers are silent, 3 at work.");
    }
}
