//! What the page of a worker shows.

use chrono::{DateTime, Utc};
use dlo_domain::execution::ExecutionQuery;
use dlo_domain::filter::{Field, LetterFilter};
use dlo_domain::page::Total;
use dlo_domain::timeline::About;
use dlo_domain::worker::{Condition, Downtime, Opinion, Worker, WorkerQueue, WorkerReport};

use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::said::{Link, Said, link, plain, words};
use crate::pages::timeline::{self, Drawing};
use crate::pages::workers::table::{load, probe, silence};
use crate::request::now;
use crate::{links, wording};

/// Tags of consumers that are shown.
const MOST_TAGS: usize = 5;

/// One worker.
pub(super) struct WorkerView {
    /// All that is known of it.
    pub(super) report: WorkerReport,
    /// How many letters wait that died in its queue, as far as can be counted in time.
    pub(super) waiting: Option<Total>,
    /// How many executions are stuck on it.
    pub(super) stuck: i64,
    /// When it was away, drawn.
    pub(super) drawing: Drawing,
}

/// One worker, and its course over `reach`.
///
/// # Errors
/// No such worker, or a desk that does not answer.
pub(super) async fn read(name: &str, reach: &str) -> Result<WorkerView, ApiError> {
    Ok(WorkerView {
        report: desk().worker(name).await?,
        waiting: waiting(name).await?,
        stuck: stuck(name).await?,
        drawing: timeline::drawn(&About::Worker(name.to_owned()), reach).await?,
    })
}

impl WorkerView {
    /// How it is, what waits, and what is stuck on it.
    pub(super) fn heading(&self) -> Said {
        heading(&self.report.worker, self.waiting, self.stuck)
    }

    /// Where its letters that wait can be replayed.
    pub(super) fn replay(&self) -> Option<Link> {
        replay(&self.report.worker.name, self.waiting)
    }

    /// What brokers say of it. `None` if that is as it should be, or not known.
    pub(super) fn opinion(&self) -> Option<&'static str> {
        self.report.opinion.map(opinion)
    }

    /// Names and what is known.
    pub(super) fn facts(&self) -> Vec<(&'static str, Said)> {
        facts(&self.report, now())
    }
}

/// The letters of a worker that wait for somebody, as a filter.
fn of_waiting(name: &str) -> String {
    let theirs = LetterFilter::of_name(Field::Worker, name);
    format!("{theirs} {}", links::WAITING)
}

/// How many letters wait that died in a worker's queue, as far as can be counted in time.
async fn waiting(name: &str) -> Result<Option<Total>, ApiError> {
    let filter = LetterFilter::parse(&of_waiting(name))
        .map_err(|fault| ApiError::invalid(fault.to_string()))?;
    let page = desk().letters(&filter, None, 1).await?;
    Ok((page.estimated_total > 0).then(|| page.total()))
}

/// How many executions are stuck on a worker.
async fn stuck(name: &str) -> Result<i64, ApiError> {
    let query = ExecutionQuery { state: None, worker: Some(name.to_owned()), stuck: true };
    Ok(desk().executions(&query, None, 1).await?.estimated_total)
}

fn replay(name: &str, letters: Option<Total>) -> Option<Link> {
    let filter = of_waiting(name);
    let pairs = [("scope", "matching"), ("q", &*filter)];
    let words = format!("Plan a replay of {}…", wording::how_many(letters?, "letter"));
    Some(Link::new(words, links::with_query(links::NEW_REPLAY, pairs)))
}

/// How it is, what waits, and what is stuck on it.
fn heading(worker: &Worker, letters: Option<Total>, stuck: i64) -> Said {
    let mut said = plain(sentence(worker));
    if let Some(letters) = letters {
        let many = letters.is_least || letters.count != 1;
        let theirs = links::letters_within(&of_waiting(&worker.name), "");
        said.push(words(" "));
        said.push(link(wording::how_many(letters, "letter"), theirs));
        said.push(words(if many {
            " that died in its queue wait."
        } else {
            " that died in its queue waits."
        }));
    }
    if stuck > 0 {
        let pairs = [("tab", "stuck"), ("worker", &*worker.name)];
        let href = links::with_query(links::EXECUTIONS, pairs);
        said.push(words(" "));
        said.push(link(wording::counted(stuck, "execution"), href));
        let verb = if stuck == 1 { "is" } else { "are" };
        said.push(words(format!(" {verb} stuck on it.")));
    }
    said
}

/// The same of the only worker that is silent, for the list: its name leads to its page, and how many others
/// are at work is told too.
pub(in crate::pages) async fn only_silent(worker: &Worker, at_work: i64) -> Result<Said, ApiError> {
    let name = &worker.name;
    let mut said = heading(worker, waiting(name).await?, stuck(name).await?);
    if let Some(rest) = said[0].words().strip_prefix(&**name) {
        said[0] = words(rest);
        said.insert(0, link(name.clone(), links::worker(name)));
    }
    if at_work > 0 {
        let fresh = links::with_query(links::WORKERS, [("state", "fresh")]);
        said.push(words(" "));
        said.push(link(wording::counted(at_work, "other"), fresh));
        let verb = if at_work == 1 { "is" } else { "are" };
        said.push(words(format!(" {verb} at work.")));
    }
    Ok(said)
}

fn sentence(worker: &Worker) -> String {
    let (name, silent) = (&worker.name, silence(worker));
    match worker.condition {
        Condition::Stale => match &worker.drained_by {
            Some(by) => format!(
                "{name} has been silent for {silent}. It drains when it is back, as {by} set."
            ),
            None => format!("{name} has been silent for {silent}."),
        },
        Condition::Fresh => format!("{name} is at work."),
        Condition::Stopped => format!("{name} has stopped in good order."),
        Condition::Draining => match &worker.drained_by {
            Some(by) => format!("{name} is draining, as {by} set."),
            None => format!("{name} is draining: it takes no new work."),
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
            "It sends heartbeats, but the broker has no consumer of its queue: it is alive, and takes nothing."
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
        || "consumers are not known".to_owned(),
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

/// Its queue: the page of each of that name that a broker showed, else the letters that died in it.
fn queue(report: &WorkerReport) -> Said {
    let Some(name) = &report.worker.queue else {
        return plain("");
    };
    let mut pages = report.queues.iter();
    let page = pages.next().map_or_else(
        || links::letters_of_worker(&report.worker.name),
        |queue| links::queue(&queue.broker, &queue.vhost, name),
    );
    vec![link(name.clone(), page)]
}

fn facts(report: &WorkerReport, now: DateTime<Utc>) -> Vec<(&'static str, Said)> {
    let worker = &report.worker;
    let probed = worker.probe.as_ref();
    let asked = probed.and_then(|probe| probe.at).map(wording::absolute);
    let away = worker.down_today_seconds;
    [
        ("last heartbeat", wording::absolute(worker.last_heartbeat_at)),
        ("interval", format!("{} s", f64::from(worker.interval_ms) / 1_000.0)),
        ("by", report.way.clone()),
        ("first seen", wording::absolute(worker.first_seen_at)),
        ("state since", wording::absolute(worker.state_since)),
        ("running, of slots", load(worker)),
        ("version", worker.version.clone().unwrap_or_default()),
        ("probe", probed.map(|probe| probe.url.clone()).unwrap_or_default()),
        ("answer", probe(worker)),
        ("asked at", asked.unwrap_or_default()),
        ("away today", if away > 0 { wording::span(away) } else { String::new() }),
    ]
    .map(|(name, value)| (name, plain(value)))
    .into_iter()
    .chain([("queue", queue(report)), ("queue not taken", refused_queue(worker))])
    .chain(report.queues.iter().map(|queue| ("its queue has", plain(consumers(queue, now)))))
    .filter(|(_, said)| said.iter().any(|piece| !piece.words().is_empty()))
    .collect()
}

/// The queue that it names and that is not believed.
fn refused_queue(worker: &Worker) -> Said {
    let queue = worker.refused_queue.as_deref();
    plain(queue.map_or_else(String::new, |queue| {
        format!("{queue}: workers’ queues are not called so; see worker_queues of [replay]")
    }))
}

/// When it was away: since, until, for how long.
pub(super) fn downtime(away: Downtime, now: DateTime<Utc>) -> (String, String, String) {
    let until = away.until.map_or("still away".to_owned(), wording::absolute);
    let lasted = (away.until.unwrap_or(now) - away.since).num_seconds().max(0);
    (wording::absolute(away.since), until, wording::span(lasted))
}
