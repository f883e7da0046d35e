//! The picture: exchanges on the left, queues, dead-letter exchanges, dead-letter queues on the right.
//! Only places are reckoned here; the page draws them.

use std::collections::BTreeMap;

use dlo_domain::severity::Severity;
use dlo_domain::topology::{End, QueueReport};

use super::rows::Numbers;
use super::{Picture, PictureBox};
use crate::wording;

/// Queues that are drawn.
const MOST_DRAWN: usize = 40;
/// From one row to the next.
const ROW: i32 = 48;
/// Of a box.
const HEIGHT: i32 = 32;
/// The first row.
const TOP: i32 = 20;

/// A column: where it begins, how wide it is, and how many characters fit in.
#[derive(Clone, Copy)]
struct Column(i32, i32, usize);

const EXCHANGES: Column = Column(0, 200, 18);
const QUEUES: Column = Column(330, 260, 24);
const DEAD_EXCHANGES: Column = Column(732, 210, 19);
const DEAD_QUEUES: Column = Column(1090, 270, 26);

/// Boxes of a column, by name: the middle of each.
type Places<'a> = BTreeMap<&'a str, i32>;

/// Draws the queues that dead-letter: all, or those with findings, and nothing when there are none.
pub(super) fn of(queues: &[QueueReport], numbers: &Numbers, all: bool) -> Option<Picture> {
    let is_drawn = |queue: &&QueueReport| {
        let dies = queue.dead_letters.is_some();
        let has_finding = |name: &str| numbers.contains_key(name);
        let mut into = queue.dead_letters.iter().flat_map(|route| &route.to);
        let feeds_one = into.any(|name| has_finding(name));
        if all {
            dies || has_finding(&queue.name)
        } else {
            has_finding(&queue.name) || feeds_one
        }
    };
    let mut drawn: Vec<&QueueReport> = queues.iter().filter(is_drawn).collect();
    // Those that share an exchange stand together.
    drawn.sort_by_key(|queue| (exchange_of(queue), first_source(queue), &queue.name));
    drawn.truncate(MOST_DRAWN);
    if drawn.is_empty() {
        return None;
    }
    let mut sketch = Sketch::default();
    let rows: Places<'_> = drawn
        .iter()
        .zip(0_i32..)
        .map(|(queue, at)| (queue.name.as_str(), TOP + at * ROW + HEIGHT / 2))
        .collect();
    sketch.sources(&drawn, &rows);
    sketch.targets(queues, &drawn, &rows);
    for queue in &drawn {
        sketch.queue(queue, rows[queue.name.as_str()], numbers);
    }
    let height = sketch.lowest + HEIGHT / 2 + 8;
    sketch.picture.height = height.max(TOP + i32::try_from(drawn.len()).unwrap_or(0) * ROW);
    sketch.picture.says = format!(
        "{} on the left, where their dead letters go on the right. The same is in the table below.",
        wording::counted(i64::try_from(drawn.len()).unwrap_or(0), "queue")
    );
    Some(sketch.picture)
}

fn exchange_of(queue: &QueueReport) -> Option<&str> {
    Some(queue.dead_letters.as_ref()?.exchange.as_str())
}

fn first_source(queue: &QueueReport) -> Option<&str> {
    Some(queue.bound_to.first()?.exchange.as_str())
}

/// A picture in the making.
#[derive(Default)]
struct Sketch {
    picture: Picture,
    lowest: i32,
}

impl Sketch {
    /// The exchanges that messages come from.
    fn sources(&mut self, drawn: &[&QueueReport], rows: &Places<'_>) {
        let mut wanted: Vec<(&str, &str, i32)> = Vec::new();
        for queue in drawn {
            for bound in &queue.bound_to {
                let row = rows[queue.name.as_str()];
                wanted.push((&bound.exchange, &bound.exchange_type, row));
            }
        }
        let places = spread(wanted.iter().map(|(name, _, row)| (*name, *row)));
        for (name, middle) in &places {
            let kind = wanted
                .iter()
                .find(|one| one.0 == *name)
                .map_or("", |one| one.1);
            self.node(EXCHANGES, *middle, "", name, kind);
        }
        for (name, _, row) in wanted {
            self.line(
                "edge",
                (EXCHANGES.0 + EXCHANGES.1, places[name]),
                (QUEUES.0, row),
            );
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
            let into = queue
                .dead_letters
                .iter()
                .flat_map(|route| &route.to)
                .take(5);
            wanted.extend(into.map(|target| (target.as_str(), exchanges[name])));
        }
        let ends = spread(wanted.iter().copied());
        for (name, middle) in &exchanges {
            let shown = if name.is_empty() {
                "(default exchange)"
            } else {
                name
            };
            self.node(DEAD_EXCHANGES, *middle, "", shown, "");
        }
        for (name, middle) in &ends {
            let report = queues.iter().find(|queue| queue.name == **name);
            let is_watched = report.is_some_and(|queue| queue.source_id.is_some());
            let class = if is_watched { "dead watch" } else { "dead" };
            let ready = report.and_then(|queue| queue.figures.ready);
            let note = ready.map_or_else(String::new, |ready| {
                format!("{} ready", wording::count(ready))
            });
            self.node(DEAD_QUEUES, *middle, class, name, &note);
        }
        for (name, queue) in &routes {
            let from = (QUEUES.0 + QUEUES.1, row(queue));
            let class = match end_of(queue) {
                Some(End::Nowhere) => "edge lost",
                _ if queue
                    .dead_letters
                    .iter()
                    .any(|route| !route.lost_keys.is_empty()) =>
                {
                    "edge bad"
                }
                _ => "edge deadly",
            };
            self.line(class, from, (DEAD_EXCHANGES.0, exchanges[name]));
        }
        for (target, exchange) in wanted {
            let from = (DEAD_EXCHANGES.0 + DEAD_EXCHANGES.1, exchange);
            self.line("edge deadly", from, (DEAD_QUEUES.0, ends[target]));
        }
    }

    fn queue(&mut self, queue: &QueueReport, middle: i32, numbers: &Numbers) {
        let figure = |figure: Option<i64>| figure.map_or_else(|| "?".to_owned(), wording::count);
        let note = format!(
            "{} · {}",
            figure(queue.figures.ready),
            figure(queue.figures.consumers)
        );
        let found = numbers.get(&queue.name);
        self.node(QUEUES, middle, "", &queue.name, &note);
        let ends = match end_of(queue) {
            Some(End::ExchangeMissing) => Some("its exchange is missing"),
            None if found.is_some_and(|(_, severity, _)| *severity == Severity::Critical) => {
                Some("nowhere to go")
            }
            Some(_) | None => None,
        };
        if let Some(words) = ends {
            let x = QUEUES.0 + QUEUES.1;
            let lines = &mut self.picture.lines;
            lines.push(("edge lost".to_owned(), format!("M{x} {middle}H{}", x + 40)));
            let cross = format!("M{} {}l10 10m0-10l-10 10", x + 40, middle - 5);
            lines.push(("edge lost end".to_owned(), cross));
            let at = (
                "label c-critical".to_owned(),
                x + 60,
                middle + 4,
                words.to_owned(),
            );
            self.picture.words.push(at);
        }
        if let Some((number, severity, _)) = found {
            let class = format!("badge {severity}");
            let place = (class, QUEUES.0 - 14, middle, number.to_string());
            self.picture.words.push(place);
        }
    }

    fn node(
        &mut self,
        Column(x, width, fits): Column,
        middle: i32,
        class: &str,
        name: &str,
        note: &str,
    ) {
        self.lowest = self.lowest.max(middle);
        self.picture.boxes.push(PictureBox {
            class: format!("node {class}"),
            x,
            y: middle - HEIGHT / 2,
            width,
            name: cut(name, fits.saturating_sub(note.chars().count() / 2)),
            note: note.to_owned(),
        });
    }

    fn line(&mut self, class: &str, (x1, y1): (i32, i32), (x2, y2): (i32, i32)) {
        let bend = i32::midpoint(x1, x2);
        let way = format!("M{x1} {y1}C{bend} {y1} {bend} {y2} {x2} {y2}");
        let line = (class.to_owned(), way);
        if !self.picture.lines.contains(&line) {
            self.picture.lines.push(line);
        }
    }
}

fn end_of(queue: &QueueReport) -> Option<End> {
    queue.dead_letters.as_ref().map(|route| route.end)
}

/// Places boxes as near as can be to the middle of what leads to them, none upon another.
fn spread<'a>(leading: impl Iterator<Item = (&'a str, i32)>) -> Places<'a> {
    let mut by_name: BTreeMap<&str, (i32, i32)> = BTreeMap::new();
    for (name, row) in leading {
        let (sum, count) = by_name.entry(name).or_default();
        (*sum, *count) = (*sum + row, *count + 1);
    }
    let mut wished: Vec<(i32, &str)> = by_name
        .into_iter()
        .map(|(name, (sum, count))| (sum / count, name))
        .collect();
    wished.sort_unstable();
    let mut free = TOP + HEIGHT / 2;
    let placed = wished.into_iter().map(|(wish, name)| {
        let middle = wish.max(free);
        free = middle + ROW;
        (name, middle)
    });
    placed.collect()
}

/// A name that fits; its end tells more than its middle.
fn cut(name: &str, fits: usize) -> String {
    let count = name.chars().count();
    if count <= fits {
        return name.to_owned();
    }
    let tail = fits / 2;
    let head: String = name.chars().take(fits - tail - 1).collect();
    let tail: String = name.chars().skip(count - tail).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_stand_where_their_lines_come_from_and_not_upon_each_other() {
        let places = spread([("a", 36), ("b", 36), ("b", 84), ("c", 40)].into_iter());
        let mut middles: Vec<i32> = places.values().copied().collect();
        middles.sort_unstable();
        assert_eq!(places["a"], 36);
        assert!(
            middles.windows(2).all(|two| two[1] - two[0] >= ROW),
            "{middles:?}"
        );
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(cut("orders.dead", 20), "orders.dead");
        assert_eq!(cut("a-very-long-name.dead", 11), "a-ver….dead");
        assert_eq!(cut("äöüäöüäöü", 5), "äö…öü");
    }
}
