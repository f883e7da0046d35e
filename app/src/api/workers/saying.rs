//! Workers put into words.

use chrono::{DateTime, Utc};
use dlo_domain::worker::{
    Condition, Downtime, KindSummary, MISSED, Opinion, Probe, Worker, WorkerQueue, WorkerReport,
};

use super::{KindRow, WorkerList, WorkerRow, WorkerSheet};
use crate::error::ApiError;
use crate::wording;

/// Tags of consumers that are shown.
const MOST_TAGS: usize = 5;

/// Workers of one page.
const MOST_ROWS: u32 = 100;

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
    let page = desk
        .workers(condition, only, after.as_ref(), MOST_ROWS)
        .await?;
    let kinds = desk.worker_kinds().await?;
    Ok(WorkerList {
        heading: heading(&kinds),
        note: "stale after 3 missed heartbeats; draining workers are not stale".to_owned(),
        is_empty: kinds.is_empty(),
        kinds: kinds.iter().map(kind_row).collect(),
        total: wording::counted(page.estimated_total, "worker"),
        rows: page.items.iter().map(row).collect(),
        next: page.next_cursor.unwrap_or_default(),
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "so that it can be handed to map_err"
)]
fn invalid(why: impl ToString) -> ApiError {
    ApiError::invalid(why.to_string())
}

fn heading(kinds: &[KindSummary]) -> String {
    let sum = |of: fn(&KindSummary) -> i64| kinds.iter().map(of).sum::<i64>();
    let (stale, all) = (sum(|kind| kind.stale), sum(KindSummary::total));
    if all == 0 {
        return "No worker has reported yet.".to_owned();
    }
    let at_work = sum(|kind| kind.fresh);
    match stale {
        0 if at_work == 0 => "No worker is at work.".to_owned(),
        0 => format!(
            "{} at work, and none is silent.",
            wording::counted(at_work, "worker")
        ),
        n => format!(
            "{} silent, {} at work.",
            match n {
                1 => "1 worker is".to_owned(),
                n => format!("{} workers are", wording::count(n)),
            },
            wording::count(at_work)
        ),
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

fn row(worker: &Worker) -> WorkerRow {
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
    }
}

fn silence(worker: &Worker) -> String {
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

pub(super) fn sheet(report: WorkerReport, now: DateTime<Utc>) -> WorkerSheet {
    let worker = &report.worker;
    let metadata = if report.metadata.is_empty() {
        String::new()
    } else {
        serde_json::to_string_pretty(&report.metadata).unwrap_or_default()
    };
    WorkerSheet {
        heading: sentence(worker),
        kind: worker.kind.clone(),
        opinion: report.opinion.map(opinion).unwrap_or_default().to_owned(),
        facts: facts(&report, now),
        metadata,
        downtimes: report
            .downtimes
            .iter()
            .map(|away| downtime(*away, now))
            .collect(),
        can_drain: worker.drained_by.is_none() && worker.condition != Condition::Stopped,
        can_activate: worker.condition == Condition::Draining,
        row: row(worker),
    }
}

fn sentence(worker: &Worker) -> String {
    let (name, silent) = (&worker.name, silence(worker));
    match worker.condition {
        Condition::Stale => format!("{name} has been silent for {silent}."),
        Condition::Fresh => format!("{name} is at work."),
        Condition::Stopped => format!("{name} has stopped in good order."),
        Condition::Draining => match &worker.drained_by {
            Some(by) => format!("{name} is draining: {by} asked for it."),
            None => format!("{name} is draining: it takes nothing more."),
        },
    }
}

fn opinion(opinion: Opinion) -> &'static str {
    match opinion {
        Opinion::SilentButConsumes => {
            "It is silent, but the broker still has a consumer of its queue that is called like it: it \
             may hang, or be cut off from this office alone."
        }
        Opinion::SilentOthersConsume => {
            "It is silent. Its queue has consumers whose names do not tell whether it is one of them."
        }
        Opinion::SilentAndGone => {
            "It is silent, and the broker has no consumer of its queue: nobody works on it."
        }
        Opinion::BeatsButConsumesNothing => {
            "It beats, but the broker has no consumer of its queue: it lives, and takes nothing."
        }
        Opinion::LeavesButConsumes => {
            "It said that it takes nothing more, but the broker still has a consumer of its queue that \
             is called like it."
        }
    }
}

/// Who consumes a queue.
fn consumers(queue: &WorkerQueue, now: DateTime<Utc>) -> String {
    let count = queue.consumers.map_or_else(
        || "consumers are not told".to_owned(),
        |count| wording::counted(count, "consumer"),
    );
    let tags = queue.tags.as_deref().unwrap_or_default();
    let first: Vec<&str> = tags.iter().take(MOST_TAGS).map(String::as_str).collect();
    let names = match first.len() {
        0 => String::new(),
        some if some < tags.len() => format!(" ({}, …)", first.join(", ")),
        _ => format!(" ({})", first.join(", ")),
    };
    let ago = wording::span((now - queue.read_at).num_seconds().max(0));
    let WorkerQueue { broker, vhost, .. } = queue;
    format!("{count}{names}, by {broker}, vhost {vhost}, {ago} ago")
}

fn facts(report: &WorkerReport, now: DateTime<Utc>) -> Vec<(String, String)> {
    let worker = &report.worker;
    let row = row(worker);
    let probe = worker.probe.as_ref();
    let asked = probe.and_then(|probe| probe.at).map(wording::absolute);
    [
        (
            "last heartbeat",
            wording::absolute(worker.last_heartbeat_at),
        ),
        (
            "interval",
            format!("{} s", f64::from(worker.interval_ms) / 1_000.0),
        ),
        ("by", report.way.clone()),
        ("first seen", wording::absolute(worker.first_seen_at)),
        ("state since", wording::absolute(worker.state_since)),
        ("running, of slots", row.load),
        ("version", row.version),
        ("queue", row.queue),
        (
            "probe",
            probe.map(|probe| probe.url.clone()).unwrap_or_default(),
        ),
        ("answer", row.probe),
        ("asked at", asked.unwrap_or_default()),
        ("away today", row.down),
    ]
    .into_iter()
    .chain(
        report
            .queues
            .iter()
            .map(|queue| ("its queue has", consumers(queue, now))),
    )
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn downtime(away: Downtime, now: DateTime<Utc>) -> (String, String, String) {
    let until = away
        .until
        .map_or("still away".to_owned(), wording::absolute);
    let lasted = (away.until.unwrap_or(now) - away.since)
        .num_seconds()
        .max(0);
    (wording::absolute(away.since), until, wording::span(lasted))
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
        assert_eq!(heading(&[]), "No worker has reported yet.");
        assert_eq!(heading(&[kind(0, 0)]), "No worker is at work.");
        assert_eq!(
            heading(&[kind(0, 2)]),
            "2 workers at work, and none is silent."
        );
        assert_eq!(heading(&[kind(1, 3)]), "1 worker is silent, 3 at work.");
        assert_eq!(
            heading(&[kind(1, 3), kind(1, 0)]),
            "2 workers are silent, 3 at work."
        );
        let row = kind_row(&kind(2, 5));
        assert_eq!(
            (row.says.as_str(), row.is_ill),
            ("2 stale, 5 fresh, 1 stopped", true)
        );
    }
}
