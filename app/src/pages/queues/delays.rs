//! What is said of the delays of frameworks: 28 queues each, told as one.

use chrono::TimeDelta;
use dlo_domain::topology::{Delay, QueueReport};

use super::rows::{QueueRow, target};
use crate::{links, wording};

/// The delay whose lowest level a queue is: it stands for all of them.
pub(super) fn of_lowest<'a>(delays: &'a [Delay], queue: &QueueReport) -> Option<&'a Delay> {
    queue.delay.as_ref()?;
    delays.iter().find(|delay| delay.lowest == queue.name)
}

/// Whether a queue is a level that another one stands for.
pub(super) fn is_within(delays: &[Delay], queue: &QueueReport) -> bool {
    let level = queue.delay.as_ref();
    level.is_some_and(|level| {
        delays.iter().any(|delay| delay.name == level.delay && delay.lowest != queue.name)
    })
}

/// What it is called.
pub(super) fn called(delay: &Delay) -> String {
    format!("delay {}", delay.name)
}

/// The page of the queue in which the next message waits; of the lowest level, `lowest`, if none waits.
pub(super) fn page(delay: &Delay, lowest: &QueueReport) -> String {
    let queue = delay.next_in.as_ref().unwrap_or(&lowest.name);
    links::queue(&lowest.broker, &lowest.vhost, queue)
}

/// How many messages wait in it.
pub(super) fn waiting(delay: &Delay) -> String {
    let number = delay.waiting.map_or_else(|| "?".to_owned(), wording::count);
    format!("{number} waiting")
}

/// When the next message has come out at the latest. `None` if none waits.
pub(super) fn next(delay: &Delay) -> Option<String> {
    let by = delay.next_by?;
    Some(if by <= crate::request::now() {
        "the next is due".to_owned()
    } else {
        // Rounded up: a message may come out until then.
        format!("next by {}", wording::minute(by + TimeDelta::seconds(59)))
    })
}

/// Both in a line.
pub(super) fn says(delay: &Delay) -> String {
    let next = next(delay).map(|next| format!(" · {next}"));
    format!("{}{}", waiting(delay), next.unwrap_or_default())
}

/// A delay as a row of the table.
pub(super) fn row(delay: &Delay, lowest: &QueueReport) -> QueueRow {
    let levels = wording::counted(i64::from(delay.levels), "queue");
    let next = next(delay).map(|next| format!(", {next}"));
    QueueRow {
        name: called(delay),
        href: page(delay, lowest),
        kind: format!("{levels}{}", next.unwrap_or_default()),
        ready: delay.waiting.map_or_else(|| "?".to_owned(), wording::count),
        rates: "–".to_owned(),
        consumers: "–".to_owned(),
        target: target(lowest),
        finding: None,
        link: None,
    }
}
