//! What the map is drawn of: boxes, lines, and words beside them.

use dlo_domain::severity::Severity;
use dlo_domain::topology::Delay;

use super::places::{HEIGHT, cut};
use crate::pages::said::Said;

/// A map, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in super::super) struct TopologyMap {
    /// Its height; its width is always the same.
    pub(super) height: i32,
    /// In a sentence.
    pub(super) says: String,
    /// Lines.
    pub(super) lines: Vec<MapLine>,
    /// Boxes.
    pub(super) boxes: Vec<MapBox>,
    /// Words beside lines: how they look, where, and what.
    pub(super) words: Vec<(String, i32, i32, String)>,
    /// Numbers of findings: how bad it is, where, and which.
    pub(super) marks: Vec<(Severity, i32, i32, usize)>,
    /// The same in lines, for a narrow screen.
    pub(super) routes: Vec<MapRoute>,
}

/// The way of one queue's dead letters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MapRoute {
    /// The queue.
    pub(super) name: String,
    /// Its page.
    pub(super) href: String,
    /// How full and busy it is.
    pub(super) note: String,
    /// The finding: its number and how bad it is.
    pub(super) finding: Option<(usize, Severity)>,
    /// The exchange that they go over; empty where there is none.
    pub(super) over: String,
    /// Where they come to.
    pub(super) ends: Said,
}

/// A line of the map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MapLine {
    /// How it looks.
    pub(super) class: String,
    /// Its way, as SVG has it.
    pub(super) path: String,
}

/// A box of the map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MapBox {
    /// How it looks.
    pub(super) class: String,
    /// From the left.
    pub(super) x: i32,
    /// From the top.
    pub(super) y: i32,
    /// How wide.
    pub(super) width: i32,
    /// What it is called.
    pub(super) name: String,
    /// Where it leads; empty where it leads nowhere.
    pub(super) href: String,
    /// What is said of it, at its end.
    pub(super) note: String,
}

/// A column: where it begins, how wide it is, and how many characters fit in.
#[derive(Clone, Copy)]
pub(super) struct Column(pub(super) i32, pub(super) i32, usize);

pub(super) const EXCHANGES: Column = Column(0, 200, 18);
/// What the disc of a finding takes before a queue: its middle, and all of it.
pub(super) const MARK: (i32, i32) = (14, 23);
pub(super) const QUEUES: Column = Column(330, 260, 24);
pub(super) const DEAD_EXCHANGES: Column = Column(732, 210, 19);
pub(super) const DEAD_QUEUES: Column = Column(1090, 270, 26);

/// A map in the making.
#[derive(Default)]
pub(super) struct MapBuilder<'a> {
    pub(super) delays: &'a [Delay],
    pub(super) map: TopologyMap,
    pub(super) lowest: i32,
}

impl MapBuilder<'_> {
    /// A line that ends in a cross, and why.
    pub(super) fn stub(&mut self, (x, y): (i32, i32), class: &str, colour: &str, words: &str) {
        let lines = &mut self.map.lines;
        let path = format!("M{x} {y}H{}", x + 20);
        lines.push(MapLine { class: format!("edge {class}"), path });
        let path = format!("M{} {}l10 10m0-10l-10 10", x + 20, y - 5);
        lines.push(MapLine { class: format!("edge {class} end"), path });
        let at = (format!("label {colour}"), x + 36, y + 4, words.to_owned());
        self.map.words.push(at);
    }

    /// Words in the middle of a line.
    pub(super) fn label(&mut self, class: &str, x: i32, y: i32, words: &str) {
        if !words.is_empty() {
            let at = (format!("{class} on"), x, y, words.to_owned());
            self.map.words.push(at);
        }
    }

    pub(super) fn node(
        &mut self,
        Column(x, width, fits): Column,
        middle: i32,
        class: &str,
        (name, href): (&str, &str),
        note: &str,
    ) {
        self.lowest = self.lowest.max(middle);
        self.map.boxes.push(MapBox {
            class: format!("node {class}"),
            x,
            y: middle - HEIGHT / 2,
            width,
            name: cut(name, fits.saturating_sub(note.chars().count() / 2)),
            href: href.to_owned(),
            note: note.to_owned(),
        });
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (i32, i32), (x2, y2): (i32, i32)) {
        let bend = i32::midpoint(x1, x2);
        let path = format!("M{x1} {y1}C{bend} {y1} {bend} {y2} {x2} {y2}");
        let line = MapLine { class: class.to_owned(), path };
        if !self.map.lines.contains(&line) {
            self.map.lines.push(line);
        }
    }
}
