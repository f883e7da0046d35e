//! Which marks of replays carry a label: where labels would touch, the newest speaks for the others.
//!
//! The server knows no window, so it works this out for a wide chart and for a telephone's; the
//! style sheet shows the labels that fit.

use dlo_domain::overview::ReplayMark;

use crate::wording;

/// A character of a label, and its distance from the line, in pixels, rather too wide than too narrow.
const CHARACTER: i64 = 7;
const DISTANCE: i64 = 5;

/// How wide the chart is at least, in pixels, and how the others are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// From 48rem.
    Wide,
    /// Below.
    Narrow,
}

impl Room {
    fn pixels(self) -> i64 {
        match self {
            Self::Wide => 768,
            Self::Narrow => 288,
        }
    }

    fn more(self, replays: usize) -> String {
        let replays = i64::try_from(replays).unwrap_or(i64::MAX);
        match self {
            _ if replays == 0 => String::new(),
            Self::Wide => format!(" +{}", wording::counted(replays, "replay")),
            Self::Narrow => format!(" +{}", wording::count(replays)),
        }
    }
}

/// What stands beside a mark's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    /// Its words.
    pub(super) text: String,
    /// Whether it stands left of its line.
    pub(super) is_left: bool,
}

/// The label of each mark, or none. `marks` has each mark's place in hundredths of a percent.
pub(super) fn labels(marks: &[(i64, ReplayMark)], room: Room) -> Vec<Option<Label>> {
    let mut newest_first: Vec<usize> = (0..marks.len()).collect();
    newest_first.sort_by_key(|index| std::cmp::Reverse(marks[*index].1.at));
    // A mark with a label, and the pixels that the label takes.
    let mut kept: Vec<(usize, Vec<usize>, (i64, i64))> = Vec::new();
    for index in newest_first {
        let taken = extent(marks[index], marks.len(), room);
        match kept.iter_mut().find(|(_, _, other)| taken.0 < other.1 && other.0 < taken.1) {
            Some((_, others, _)) => others.push(index),
            None => kept.push((index, Vec::new(), taken)),
        }
    }
    let mut labels = vec![None; marks.len()];
    for (index, others, _) in kept {
        let (place, mark) = marks[index];
        labels[index] = Some(Label {
            text: format!("{}{}", name(&mark), room.more(others.len())),
            is_left: is_left(place),
        });
    }
    labels
}

/// A mark in words.
fn name(mark: &ReplayMark) -> String {
    format!("replay of {}", wording::count(mark.letters))
}

fn is_left(place: i64) -> bool {
    place > 5_000
}

/// From where to where a label reaches, with room to count all the others.
fn extent((place, mark): (i64, ReplayMark), marks: usize, room: Room) -> (i64, i64) {
    let longest = format!("{}{}", name(&mark), room.more(marks - 1));
    let width = DISTANCE + CHARACTER * i64::try_from(longest.chars().count()).unwrap_or(i64::MAX);
    let x = place * room.pixels() / 10_000;
    if is_left(place) { (x - width, x + DISTANCE) } else { (x - DISTANCE, x + width) }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use dlo_domain::ids::ReplayId;

    use super::*;

    /// Marks at these places; the later place is the newer replay.
    fn marks(places: &[i64]) -> Vec<(i64, ReplayMark)> {
        places
            .iter()
            .map(|place| {
                let mark = ReplayMark {
                    id: ReplayId(uuid::Uuid::nil()),
                    at: DateTime::from_timestamp(*place, 0).expect("a time"),
                    letters: 40,
                };
                (*place, mark)
            })
            .collect()
    }

    fn texts(places: &[i64], room: Room) -> Vec<Option<String>> {
        let labels = labels(&marks(places), room);
        labels.into_iter().map(|label| label.map(|label| label.text)).collect()
    }

    #[test]
    fn the_newest_of_close_replays_counts_the_others() {
        assert_eq!(
            texts(&[3_000, 3_100, 3_200, 3_250], Room::Wide),
            [None, None, None, Some("replay of 40 +3 replays".to_owned())]
        );
        assert_eq!(
            texts(&[3_000, 3_100], Room::Narrow),
            [None, Some("replay of 40 +1".to_owned())]
        );
    }

    #[test]
    fn replays_far_apart_keep_their_labels() {
        let one = || Some("replay of 40".to_owned());
        assert_eq!(texts(&[500, 9_500], Room::Narrow), [one(), one()]);
        assert_eq!(texts(&[500, 3_500, 9_500], Room::Wide), [one(), one(), one()]);
        assert_eq!(texts(&[], Room::Wide), [] as [Option<String>; 0]);
    }

    #[test]
    fn labels_that_point_at_each_other_across_the_middle_do_not_touch() {
        assert_eq!(
            texts(&[4_000, 6_000], Room::Wide),
            [None, Some("replay of 40 +1 replay".to_owned())]
        );
    }

    #[test]
    fn every_mark_is_labelled_or_counted_once() {
        let places: Vec<i64> = (0..50).map(|index| index * 200).collect();
        for room in [Room::Wide, Room::Narrow] {
            let told: i64 = texts(&places, room)
                .into_iter()
                .flatten()
                .map(|text| {
                    let more = text.split('+').nth(1).unwrap_or("0");
                    let number = more.split(' ').next().unwrap_or("0");
                    1 + number.parse::<i64>().expect("a number")
                })
                .sum();
            assert_eq!(told, 50, "{room:?}");
        }
    }
}
