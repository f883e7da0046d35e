//! A timeline in words and measures.

use std::fmt::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::reading::cut;
use dlo_domain::timeline::{AlertBand, Away, BARS, Band, QueueLane, Reach, Timeline, WorkerLane};

use super::{Drawing, Lane, Shape, Stretch, Table};
use crate::{links, wording};

/// A bar's own measures: within 720 times 100, with a gap of 1.
const BAR: usize = 10;
const HEIGHT: i64 = 100;
/// Names may be as long as 255 bytes: so much of them is shown.
const MOST_OF_NAME: usize = 60;
/// The narrowest band, in hundredths of a percent: what was short is seen.
const NARROWEST: i64 = 40;
/// Rows of the table.
const ROWS: usize = 6;

pub(in crate::pages) fn draw(timeline: &Timeline) -> Drawing {
    let lanes = std::iter::once(deaths(timeline))
        .chain((!timeline.alerts.is_empty()).then(|| alerts(timeline)))
        .chain(timeline.workers.iter().map(|lane| worker(timeline, lane)))
        .chain(timeline.queues.iter().map(queue));
    Drawing {
        reach: timeline.reach.as_str().to_owned(),
        says: says(timeline),
        is_plain: timeline.workers.is_empty()
            && timeline.queues.is_empty()
            && timeline.alerts.is_empty(),
        lanes: lanes.collect(),
        hours: hours(timeline),
        table: table(timeline),
    }
}

/// The time that it shows, in words.
fn time(reach: Reach) -> &'static str {
    match reach {
        Reach::Shift => "6 hours",
        Reach::Day => "24 hours",
    }
}

fn bar_words(reach: Reach) -> &'static str {
    match reach {
        Reach::Shift => "5 minutes",
        Reach::Day => "20 minutes",
    }
}

fn says(timeline: &Timeline) -> String {
    let died: i64 = timeline.deaths.iter().sum();
    let workers = of_all(timeline.workers.len(), timeline.workers_left);
    let queues = of_all(timeline.queues.len(), timeline.queues_left);
    let mut parts = vec![wording::counted(died, "death")];
    if workers > 0 {
        let away = wording::counted(workers, "worker");
        parts.push(format!("{away} away, draining or stopped"));
    }
    if queues > 0 {
        let grew = wording::counted(queues, "queue");
        parts.push(format!("{grew} with messages"));
    }
    let left = [(timeline.workers_left, "worker"), (timeline.queues_left, "queue")]
        .into_iter()
        .filter(|(left, _)| *left > 0)
        .map(|(left, noun)| wording::counted(left, noun))
        .collect::<Vec<_>>();
    let off = match left.join(" and ") {
        none if none.is_empty() => none,
        some => format!("; {some} left off"),
    };
    // Other numbers of a page count from another moment on: each says from which.
    format!(
        "In {}, since {}: {}{off}.",
        time(timeline.reach),
        wording::minute(timeline.from),
        parts.join(", ")
    )
}

fn of_all(shown: usize, left: i64) -> i64 {
    i64::try_from(shown).unwrap_or(i64::MAX).saturating_add(left)
}

fn deaths(timeline: &Timeline) -> Lane {
    let most = timeline.deaths.iter().copied().max().unwrap_or(0);
    let died: i64 = timeline.deaths.iter().sum();
    let says = match died {
        0 => "none".to_owned(),
        _ => format!(
            "{}, at most {} in {}",
            wording::count(died),
            wording::count(most),
            bar_words(timeline.reach)
        ),
    };
    let mut path = String::new();
    for (bar, count) in timeline.deaths.iter().enumerate() {
        if *count > 0 {
            let (x, height, wide) = (bar * BAR, tall(*count, most), BAR - 1);
            let y = HEIGHT - height;
            write!(path, "M{x} {y}h{wide}v{height}h-{wide}z").expect("a String takes every write");
        }
    }
    Lane { name: "deaths".to_owned(), href: String::new(), says, shape: Shape::Bars(path) }
}

/// How high something stands; a single one beside thousands is seen.
fn tall(count: i64, most: i64) -> i64 {
    let share = i128::from(count) * i128::from(HEIGHT) / i128::from(most.max(1));
    i64::try_from(share).unwrap_or(HEIGHT).clamp(3, HEIGHT)
}

fn queue(lane: &QueueLane) -> Lane {
    let known = || lane.depths.iter().flatten().copied();
    let most = known().max().unwrap_or(0);
    let last = known().last().unwrap_or(0);
    let mut path = String::new();
    let mut is_drawn = false;
    for (bar, depth) in lane.depths.iter().enumerate() {
        let Some(depth) = depth else {
            is_drawn = false;
            continue;
        };
        // The lowest line is that of an empty queue.
        let y = match depth {
            0 => HEIGHT - 1,
            _ => HEIGHT - tall(*depth, most),
        };
        let step =
            if is_drawn { format!("V{y}h{BAR}") } else { format!("M{} {y}h{BAR}", bar * BAR) };
        path.push_str(&step);
        is_drawn = true;
    }
    let place = match lane.vhost.as_str() {
        "/" => lane.queue.clone(),
        vhost => format!("{} in {}", lane.queue, cut(vhost, MOST_OF_NAME)),
    };
    Lane {
        name: cut(&place, 2 * MOST_OF_NAME),
        href: links::queue(&lane.broker, &lane.vhost, &lane.queue),
        says: format!(
            "at most {} in it, {} when last seen",
            wording::counted(most, "message"),
            wording::count(last)
        ),
        shape: Shape::Line(path),
    }
}

/// When there were alerts, in one row.
fn alerts(timeline: &Timeline) -> Lane {
    let open = timeline.alerts.iter().filter(|band| band.until.is_none()).count();
    let open = i64::try_from(open).unwrap_or(i64::MAX);
    let all = wording::counted(of_all(timeline.alerts.len(), 0), "alert");
    let stretches = timeline.alerts.iter().map(|band| {
        let (from, width) = extent(timeline, band.since, band.until);
        let away = format!("alert {}", band.severity);
        Stretch { away, from, width, says: alert_says(band) }
    });
    Lane {
        name: "alerts".to_owned(),
        href: links::ALERTS.to_owned(),
        says: format!("{all}, {} of them not over", wording::count(open)),
        shape: Shape::Bands(stretches.collect()),
    }
}

fn alert_says(band: &AlertBand) -> String {
    let name = cut(&band.rule_name, MOST_OF_NAME);
    format!("{name}, {}: {}", band.severity, span_says(band.since, band.until))
}

fn worker(timeline: &Timeline, lane: &WorkerLane) -> Lane {
    let stretches = lane.bands.iter().map(|band| stretch(timeline, *band));
    Lane {
        name: cut(&lane.worker, MOST_OF_NAME),
        href: links::worker(&lane.worker),
        says: worker_says(timeline, &lane.bands),
        shape: Shape::Bands(stretches.collect()),
    }
}

fn worker_says(timeline: &Timeline, bands: &[Band]) -> String {
    let silent = bands.iter().filter(|band| band.away == Away::Silent);
    let times = silent.clone().count();
    let within = |band: &Band| band.until.unwrap_or(timeline.at) - band.since.max(timeline.from);
    let sum: TimeDelta = silent.map(within).map(|span| span.max(TimeDelta::zero())).sum();
    let mut parts = Vec::new();
    if times > 0 {
        let often = wording::times(i32::try_from(times).unwrap_or(i32::MAX));
        let long = wording::span(sum.num_seconds());
        parts.push(format!("silent {often}, {long} of this time"));
    }
    if let Some(open) = bands.iter().find(|band| band.until.is_none()) {
        let since = wording::absolute(open.since);
        parts.push(match open.away {
            Away::Silent => format!("still, since {since}"),
            away => format!("{} since {since}", away.as_str()),
        });
    }
    parts.join("; ")
}

fn stretch(timeline: &Timeline, band: Band) -> Stretch {
    let (from, width) = extent(timeline, band.since, band.until);
    Stretch { away: band.away.as_str().to_owned(), from, width, says: band_says(band) }
}

/// Where a band begins, and how wide it is.
fn extent(timeline: &Timeline, since: DateTime<Utc>, until: Option<DateTime<Utc>>) -> (i64, i64) {
    let (from, to) = (place(timeline, since), place(timeline, until.unwrap_or(timeline.at)));
    let from = from.min(10_000 - NARROWEST);
    (from, (to - from).max(NARROWEST))
}

fn band_says(band: Band) -> String {
    format!("{} {}", band.away.as_str(), span_says(band.since, band.until))
}

/// `from … to …`, or `since …`.
fn span_says(since: DateTime<Utc>, until: Option<DateTime<Utc>>) -> String {
    let since = wording::absolute(since);
    match until {
        Some(until) => format!("from {since} to {}", wording::absolute(until)),
        None => format!("since {since}"),
    }
}

/// Where a moment stands, in hundredths of a percent.
fn place(timeline: &Timeline, at: DateTime<Utc>) -> i64 {
    let whole = timeline.bar_seconds * i64::try_from(BARS).unwrap_or(1);
    ((at - timeline.from).num_seconds().clamp(0, whole) * 10_000) / whole.max(1)
}

/// Round hours below the rows; none so near to an end that it would be cut, or run into the word that
/// stands there.
fn hours(timeline: &Timeline) -> Vec<(i64, DateTime<Utc>)> {
    let every = match timeline.reach {
        Reach::Shift => 3_600,
        Reach::Day => 14_400,
    };
    let first = timeline.from.timestamp().div_euclid(every) + 1;
    (first..)
        .map_while(|number| DateTime::from_timestamp(number * every, 0))
        .take_while(|at| *at <= timeline.at)
        .map(|at| (place(timeline, at), at))
        .filter(|(place, _)| (400..=9_000).contains(place))
        .collect()
}

fn table(timeline: &Timeline) -> Table {
    let mut heads = vec!["from".to_owned(), "deaths".to_owned()];
    let names = timeline.queues.iter().map(|lane| queue(lane).name);
    heads.extend(names.map(|name| format!("most in {name}")));
    let a_row = BARS / ROWS;
    let rows = (0..ROWS).map(|row| {
        let bars = row * a_row..(row + 1) * a_row;
        let begin = timeline.bar_seconds * i64::try_from(bars.start).unwrap_or(0);
        let died: i64 = timeline.deaths.get(bars.clone()).into_iter().flatten().sum();
        let mut cells = vec![wording::count(died)];
        cells.extend(timeline.queues.iter().map(|lane| {
            let seen = lane.depths.get(bars.clone()).into_iter().flatten().flatten();
            seen.max().map_or("not seen".to_owned(), |most| wording::count(*most))
        }));
        (timeline.from + TimeDelta::seconds(begin), cells)
    });
    let bands = timeline.workers.iter().flat_map(|lane| {
        let name = cut(&lane.worker, MOST_OF_NAME);
        let bands = lane.bands.iter();
        bands.map(move |band| format!("{name}: {}", band_says(*band)))
    });
    let alerts = timeline.alerts.iter().map(|band| format!("alert: {}", alert_says(band)));
    Table { heads, rows: rows.collect(), bands: bands.chain(alerts).collect() }
}

#[cfg(test)]
mod tests;
