//! What is said of the delays of frameworks: 28 queues each, told as one.

use dlo_domain::topology::{Delay, QueueReport};

use super::QueueRow;
use super::rows::target;
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

/// The page of the queue in which the next message waits; else of the lowest level, or of a queue that is none.
pub(super) fn page(queue: &QueueReport, delay: Option<&Delay>) -> String {
    let next = delay.and_then(|delay| delay.next_in.as_ref());
    links::queue(&queue.broker, &queue.vhost, next.unwrap_or(&queue.name))
}

/// How many messages wait in it.
pub(super) fn waiting(delay: &Delay) -> String {
    let number = delay.waiting.map_or_else(|| "?".to_owned(), wording::count);
    format!("{number} waiting")
}

/// When the next message has come out at the latest. `None` if none waits.
pub(super) fn next(delay: &Delay) -> Option<String> {
    let by = delay.next_by?;
    let now = crate::request::now();
    Some(match wording::day(by) == wording::day(now) {
        _ if by <= now => "the next is due".to_owned(),
        true => format!("next by {}", wording::clock(by)),
        false => format!("next by {} {}", wording::day(by), wording::hour(by)),
    })
}

/// Both in a line.
pub(super) fn says(delay: &Delay) -> String {
    let next = next(delay).map(|next| format!(" · {next}"));
    format!("{}{}", waiting(delay), next.unwrap_or_default())
}

/// A delay as a row of the table, under the report of its lowest level.
pub(super) fn row(delay: &Delay, queue: &QueueReport) -> QueueRow {
    let levels = wording::counted(i64::from(delay.levels), "queue");
    let next = next(delay).map(|next| format!(", {next}"));
    QueueRow {
        name: called(delay),
        href: page(queue, Some(delay)),
        kind: format!("{levels}{}", next.unwrap_or_default()),
        ready: delay.waiting.map_or_else(|| "?".to_owned(), wording::count),
        rates: "–".to_owned(),
        consumers: "–".to_owned(),
        target: target(queue),
        finding: None,
        link: None,
    }
}
