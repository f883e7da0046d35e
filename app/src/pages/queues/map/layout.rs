//! The map: exchanges on the left, queues, dead-letter exchanges, dead-letter queues on the right.
//! Only places are reckoned here; the page draws them.

use dlo_domain::severity::Severity;
use dlo_domain::topology::{BoundTo, Delay, End, QueueReport};

use super::super::delays;
use super::super::rows::{Numbers, target};
use super::places::{HEIGHT, Places, ROW, TOP, cut, spread};
use super::shapes::{
    DEAD_EXCHANGES, DEAD_QUEUES, EXCHANGES, MARK, MapBuilder, MapRoute, QUEUES, TopologyMap,
};
use crate::{links, wording};

/// Queues that are drawn.
const MOST_DRAWN: usize = 40;

/// Draws the queues that dead-letter: all, or those with findings, and each delay as one; nothing when there are none.
pub(in super::super) fn of(
    queues: &[QueueReport],
    delays: &[Delay],
    numbers: &Numbers,
    all: bool,
) -> Option<TopologyMap> {
    let is_drawn = |queue: &&QueueReport| {
        if queue.delay.is_some() {
            return delays::of_lowest(delays, queue).is_some();
        }
        let dies = queue.dead_letters.is_some();
        let has_finding = |name: &str| numbers.contains_key(name);
        let mut into = queue.dead_letters.iter().flat_map(|route| &route.to);
        let feeds_one = into.any(|name| has_finding(name));
        if all { dies || has_finding(&queue.name) } else { has_finding(&queue.name) || feeds_one }
    };
    let mut drawn: Vec<&QueueReport> = queues.iter().filter(is_drawn).collect();
    // Those that share an exchange stand together.
    drawn.sort_by_key(|queue| (exchange_of(queue), first_source(queue), &queue.name));
    drawn.truncate(MOST_DRAWN);
    if drawn.is_empty() {
        return None;
    }
    let mut builder = MapBuilder { delays, ..MapBuilder::default() };
    let rows: Places<'_> = drawn
        .iter()
        .zip(0_i32..)
        .map(|(queue, at)| (queue.name.as_str(), TOP + at * ROW + HEIGHT / 2))
        .collect();
    builder.sources(&drawn, &rows);
    builder.targets(queues, &drawn, &rows);
    for queue in &drawn {
        builder.queue(queue, rows[queue.name.as_str()], numbers);
    }
    let height = builder.lowest + HEIGHT / 2 + 8;
    builder.map.height = height.max(TOP + i32::try_from(drawn.len()).unwrap_or(0) * ROW);
    builder.map.says = format!(
        "{} on the left, where their dead letters go on the right. The same is in the table below.",
        wording::counted(i64::try_from(drawn.len()).unwrap_or(0), "queue")
    );
    builder.map.routes = drawn.iter().map(|queue| route(queue, delays, numbers)).collect();
    Some(builder.map)
}

/// The way of a queue's dead letters as a line.
fn route(queue: &QueueReport, delays: &[Delay], numbers: &Numbers) -> MapRoute {
    let delay = delays::of_lowest(delays, queue);
    let own_page = || links::queue(&queue.broker, &queue.vhost, &queue.name);
    MapRoute {
        name: delay.map_or_else(|| queue.name.clone(), delays::called),
        href: delay.map_or_else(own_page, |delay| delays::page(delay, queue)),
        note: delay.map_or_else(|| figures(queue), delays::says),
        finding: numbers.get(&queue.name).map(|(at, severity, _)| (*at, *severity)),
        over: exchange_of(queue).map(shown).unwrap_or_default().to_owned(),
        ends: target(queue),
    }
}

/// Ready, consumers, and what comes a second where that is told.
fn figures(queue: &QueueReport) -> String {
    let figure = |figure: Option<i64>| figure.map_or_else(|| "?".to_owned(), wording::count);
    let (ready, consumers) = (queue.figures.ready, queue.figures.consumers);
    let rate = queue.figures.in_per_second.filter(|rate| *rate >= 0.05);
    let rate = rate.map_or_else(String::new, |rate| format!(" · {rate:.1}/s"));
    format!("{} · {}{rate}", figure(ready), figure(consumers))
}

fn shown(exchange: &str) -> &str {
    match exchange {
        "" => "(default exchange)",
        name => name,
    }
}

fn exchange_of(queue: &QueueReport) -> Option<&str> {
    Some(queue.dead_letters.as_ref()?.exchange.as_str())
}

fn first_source(queue: &QueueReport) -> Option<&str> {
    Some(bound_to(queue).first()?.exchange.as_str())
}

impl MapBuilder<'_> {
    /// The exchanges that messages come from.
    fn sources(&mut self, drawn: &[&QueueReport], rows: &Places<'_>) {
        let mut wanted: Vec<(&str, &str, i32)> = Vec::new();
        for queue in drawn {
            for bound in bound_to(queue) {
                let row = rows[queue.name.as_str()];
                wanted.push((&bound.exchange, &bound.exchange_type, row));
            }
        }
        let places = spread(wanted.iter().map(|(name, _, row)| (*name, *row)));
        for (name, middle) in &places {
            let kind = wanted.iter().find(|one| one.0 == *name).map_or("", |one| one.1);
            self.node(EXCHANGES, *middle, "", (name, ""), kind);
        }
        for (name, _, row) in wanted {
            let from = (EXCHANGES.0 + EXCHANGES.1, places[name]);
            self.line("edge", from, (QUEUES.0, row));
        }
        for queue in drawn {
            let Some(bound) = bound_to(queue).first() else {
                continue;
            };
            let (from, to) = (places[bound.exchange.as_str()], rows[queue.name.as_str()]);
            // Left of the disc that stands before the queue.
            let x = i32::midpoint(EXCHANGES.0 + EXCHANGES.1, QUEUES.0 - MARK.1);
            let more = match queue.bound_to.len() {
                1 => String::new(),
                many => format!(" +{}", many - 1),
            };
            let key = format!("{}{more}", cut(&bound.routing_key, 12));
            self.label("label", x, i32::midpoint(from, to) - 4, &key);
        }
    }

    /// The dead-letter exchanges and queues, and the lines to them.
    fn targets(&mut self, queues: &[QueueReport], drawn: &[&QueueReport], rows: &Places<'_>) {
        let routes: Vec<(&str, &QueueReport)> = drawn
            .iter()
            .filter_map(|queue| Some((exchange_of(queue)?, *queue)))
            .filter(|(_, queue)| end_of(queue) != Some(End::ExchangeMissing))
            .collect();
        let row = |queue: &QueueReport| rows[queue.name.as_str()];
        let exchanges = spread(routes.iter().map(|(name, queue)| (*name, row(queue))));
        let mut wanted: Vec<(&str, i32)> = Vec::new();
        for (name, queue) in &routes {
            let into = queue.dead_letters.iter().flat_map(|route| &route.to).take(5);
            wanted.extend(into.map(|target| (target.as_str(), exchanges[name])));
        }
        let ends = spread(wanted.iter().copied());
        for (name, middle) in &exchanges {
            self.node(DEAD_EXCHANGES, *middle, "", (shown(name), ""), "");
        }
        for (name, middle) in &ends {
            let report = queues.iter().find(|queue| queue.name == **name);
            let is_watched = report.is_some_and(|queue| queue.source_id.is_some());
            let class = if is_watched { "dead watch" } else { "dead" };
            let ready = report.and_then(|queue| queue.figures.ready);
            let note =
                ready.map_or_else(String::new, |ready| format!("{} ready", wording::count(ready)));
            let place = drawn.first().map(|queue| (&*queue.broker, &*queue.vhost));
            let href =
                place.map_or_else(String::new, |(broker, vhost)| links::queue(broker, vhost, name));
            self.node(DEAD_QUEUES, *middle, class, (name, &href), &note);
        }
        for (name, queue) in &routes {
            let from = (QUEUES.0 + QUEUES.1, row(queue));
            let class = match end_of(queue) {
                Some(End::Nowhere) => "edge lost",
                _ if queue.dead_letters.iter().any(|route| !route.lost_keys.is_empty()) => {
                    "edge bad"
                }
                _ => "edge deadly",
            };
            self.line(class, from, (DEAD_EXCHANGES.0, exchanges[name]));
            let route = queue.dead_letters.as_ref();
            if let Some(key) = route.and_then(|route| route.key.as_deref()) {
                let x = i32::midpoint(from.0, DEAD_EXCHANGES.0);
                let y = i32::midpoint(from.1, exchanges[name]) - 4;
                self.label("label", x, y, &cut(key, 14));
            }
        }
        for (name, middle) in &exchanges {
            self.loss(*middle, routes.iter().filter(|one| one.0 == *name));
        }
        for (target, exchange) in wanted {
            let from = (DEAD_EXCHANGES.0 + DEAD_EXCHANGES.1, exchange);
            self.line("edge deadly", from, (DEAD_QUEUES.0, ends[target]));
        }
    }

    fn queue(&mut self, queue: &QueueReport, middle: i32, numbers: &Numbers) {
        if let Some(delay) = delays::of_lowest(self.delays, queue) {
            let (name, href) = (delays::called(delay), delays::page(delay, queue));
            self.node(QUEUES, middle, "delay", (&name, &href), &delays::waiting(delay));
            if let Some(next) = delays::next(delay) {
                let x = i32::midpoint(QUEUES.0 + QUEUES.1, DEAD_EXCHANGES.0);
                self.label("label", x, middle + 20, &next);
            }
            return;
        }
        let found = numbers.get(&queue.name);
        let href = links::queue(&queue.broker, &queue.vhost, &queue.name);
        self.node(QUEUES, middle, "", (&queue.name, &href), &figures(queue));
        let ends = match end_of(queue) {
            Some(End::ExchangeMissing) => Some("its exchange is missing"),
            None if found.is_some_and(|(_, severity, _)| *severity == Severity::Critical) => {
                Some("nowhere to go")
            }
            Some(_) | None => None,
        };
        if let Some(words) = ends {
            self.stub((QUEUES.0 + QUEUES.1, middle), "lost", "c-critical", words);
        }
        if let Some((number, severity, _)) = found {
            let mark = (*severity, QUEUES.0 - MARK.0, middle, *number);
            self.map.marks.push(mark);
        }
    }

    /// What an exchange of dead letters does not hand on.
    fn loss<'a>(
        &mut self,
        middle: i32,
        routes: impl Iterator<Item = &'a (&'a str, &'a QueueReport)>,
    ) {
        let (mut is_all, mut keys, mut some) = (false, Vec::new(), 0_usize);
        for (_, queue) in routes {
            let Some(route) = &queue.dead_letters else {
                continue;
            };
            is_all |= route.end == End::Nowhere;
            some += usize::from(!route.lost_keys.is_empty());
            let named = route.key.iter().filter(|_| route.end == End::Nowhere);
            keys.extend(route.lost_keys.iter().chain(named).cloned());
        }
        if !is_all && some == 0 {
            return;
        }
        let first = keys.first().map(|key| format!(" {}", cut(key, 12)));
        let key = first.unwrap_or_default();
        let (class, colour) = if is_all { ("lost", "c-critical") } else { ("bad", "c-high") };
        let words = match keys.len() {
            0 => "no queue takes them".to_owned(),
            1 => format!("no queue takes{key}"),
            many => format!("no queue takes{key} +{}", many - 1),
        };
        let from = (DEAD_EXCHANGES.0 + DEAD_EXCHANGES.1, middle + 10);
        self.stub(from, class, colour, &words);
    }
}

/// The exchanges that a queue is drawn with: the levels of a delay hand on to each other over theirs.
fn bound_to(queue: &QueueReport) -> &[BoundTo] {
    if queue.delay.is_some() { &[] } else { &queue.bound_to }
}

fn end_of(queue: &QueueReport) -> Option<End> {
    queue.dead_letters.as_ref().map(|route| route.end)
}

#[cfg(test)]
mod tests;
