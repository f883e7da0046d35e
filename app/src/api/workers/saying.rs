//! Workers put into words.

use dlo_domain::worker::{Condition, KindSummary, MISSED, Probe, Worker};

use super::{KindRow, WorkerList, WorkerRow, sheet};
use crate::api::executions::saying as executions;
use crate::api::{Said, link, plain};
use crate::error::ApiError;
use crate::{links, wording};

/// Workers of one page.
const MOST_ROWS: u32 = 100;
/// Kinds of one page.
const MOST_KINDS: usize = 500;

pub(super) async fn list(state: &str, kind: &str, cursor: &str) -> Result<WorkerList, ApiError> {
    let condition: Option<Condition> = match state {
        "" => None,
        word => Some(word.parse().map_err(invalid)?),
    };
    let after = match cursor {
        "" => None,
        text => Some(text.parse().map_err(invalid)?),
    };
    let only = (!kind.is_empty()).then_some(kind);
    let desk = crate::desk::desk();
    let page = desk.workers(condition, only, after.as_ref(), MOST_ROWS).await?;
    let kinds = desk.worker_kinds().await?;
    let is_first = state.is_empty() && kind.is_empty() && after.is_none();
    let stuck = if is_first { executions::stuck(None).await? } else { Vec::new() };
    // Of one kind where the list is of one.
    let listed: Vec<KindSummary> =
        kinds.iter().filter(|one| only.is_none_or(|kind| one.kind == kind)).cloned().collect();
    let silent = listed.iter().map(|kind| kind.stale).sum::<i64>();
    let first = page.items.first();
    let heading = match first.filter(|one| silent == 1 && one.condition == Condition::Stale) {
        Some(worker) => {
            let at_work = listed.iter().map(|kind| kind.fresh).sum();
            sheet::only_silent(worker, at_work).await?
        }
        None if listed.is_empty() => heading(&kinds),
        None => heading(&listed),
    };
    Ok(WorkerList {
        heading,
        note: "stale after 3 missed heartbeats; draining workers are not stale".to_owned(),
        is_empty: kinds.is_empty(),
        kinds: kinds.iter().take(MOST_KINDS).map(kind_row).collect(),
        total: wording::counted(page.estimated_total, "worker"),
        rows: page.items.iter().map(row).collect(),
        stuck,
        now: crate::request::now(),
        next: page.next_cursor.unwrap_or_default(),
    })
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
    let of = |words, state| link(words, links::with_query(links::WORKERS, [("state", state)]));
    let workers = wording::counted(if stale == 0 { at_work } else { stale }, "worker");
    let then = |text: String| (text, String::new());
    match stale {
        0 if at_work == 0 => plain("No worker is at work."),
        0 => vec![of(workers, "fresh"), then(" at work, and none is silent.".to_owned())],
        n => {
            let verb = if n == 1 { "is" } else { "are" };
            vec![
                of(workers, "stale"),
                then(format!(" {verb} silent, ")),
                of(wording::count(at_work), "fresh"),
                then(" at work.".to_owned()),
            ]
        }
    }
}

fn kind_row(kind: &KindSummary) -> KindRow {
    let counts = [
        (kind.stale, "stale"),
        (kind.draining, "draining"),
        (kind.fresh, "fresh"),
        (kind.stopped, "stopped"),
    ];
    let says: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", wording::count(*count)))
        .collect();
    KindRow {
        kind: kind.kind.clone(),
        total: wording::count(kind.total()),
        says: says.join(", "),
        is_ill: kind.stale > 0,
    }
}

/// A worker as a row of a list.
pub(super) fn row(worker: &Worker) -> WorkerRow {
    let load = match (worker.running, worker.capacity) {
        (Some(running), Some(capacity)) => format!("{running}/{capacity}"),
        (Some(running), None) => running.to_string(),
        (None, _) => String::new(),
    };
    WorkerRow {
        name: worker.name.clone(),
        condition: worker.condition.as_str().to_owned(),
        silent: silence(worker),
        bar: bar(worker),
        load,
        queue: worker.queue.clone().unwrap_or_default(),
        version: worker.version.clone().unwrap_or_default(),
        probe: probe(worker),
        down: match worker.down_today_seconds {
            0 => String::new(),
            seconds => wording::span(seconds),
        },
        letters: worker.letters_last_hour.map(wording::count).unwrap_or_default(),
    }
}

/// How long it has not been heard.
pub(super) fn silence(worker: &Worker) -> String {
    match worker.silent_ms / 1_000 {
        0 => "now".to_owned(),
        seconds => wording::span(seconds),
    }
}

fn bar(worker: &Worker) -> u8 {
    let line = i64::from(worker.interval_ms) * i64::from(MISSED);
    let percent = worker.silent_ms.saturating_mul(50) / line.max(1);
    u8::try_from(percent.clamp(0, 100)).unwrap_or(100)
}

fn probe(worker: &Worker) -> String {
    let Some(probe) = &worker.probe else {
        return String::new();
    };
    if worker.condition == Condition::Stale {
        return "not probed, already stale".to_owned();
    }
    probe_words(probe)
}

fn probe_words(probe: &Probe) -> String {
    let answer = probe.status.zip(probe.millis);
    match (answer, &probe.fault) {
        (Some((status, millis)), _) => format!("{status} in {millis} ms"),
        (None, Some(fault)) => fault.clone(),
        (None, None) => "not yet".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let said = super::heading(kinds).into_iter();
            said.map(|(words, _)| words).collect::<String>()
        };
        assert_eq!(heading(&[]), "No worker has reported yet.");
        assert_eq!(heading(&[kind(0, 0)]), "No worker is at work.");
        assert_eq!(heading(&[kind(0, 2)]), "2 workers at work, and none is silent.");
        assert_eq!(heading(&[kind(1, 3)]), "1 worker is silent, 3 at work.");
        assert_eq!(heading(&[kind(1, 3), kind(1, 0)]), "2 workers are silent, 3 at work.");
        let row = kind_row(&kind(2, 5));
        assert_eq!((row.says.as_str(), row.is_ill), ("2 stale, 5 fresh, 1 stopped", true));
    }
}
