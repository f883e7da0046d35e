//! From two samples to what stands out, ranked.

use std::collections::{HashMap, HashSet};

use super::odds::{Part, is_no_chance, percent};
use super::{
    Axis, Breakdown, FEWEST_LETTERS, Facet, FacetKind, FacetValue, LEAST_SHARE, MOST_FACETS,
    MOST_VALUES, Sampled,
};
use crate::reading::cut;

/// Fewer occurrences than this do not show whether values repeat.
const FEWEST_OCCURRENCES: u64 = 5;
/// Names and values in the sentence are cut to so many bytes.
const MOST_SHOWN_BYTES: usize = 80;

/// Compares letters of a set with letters of all kinds, some of which are of the set too. The
/// counts of the whole set and of all letters are the caller's to tell.
#[must_use]
pub fn compare(
    set: &[Sampled],
    all: &[Sampled],
    is_of_set: impl Fn(&Sampled) -> bool,
) -> Breakdown {
    let samples = Samples::count(set, all, is_of_set);
    let mut facets: Vec<Ranked> =
        samples.axes.iter().filter_map(|(axis, tallies)| samples.rank(axis, tallies)).collect();
    facets.sort_by(|a, b| {
        let equals = b.rounded().cmp(&a.rounded());
        let better = b.score.total_cmp(&a.score);
        equals
            .then(b.finding.is_some().cmp(&a.finding.is_some()))
            // Where nothing stands out, people look for the queue first.
            .then(b.is_plain_queue().cmp(&a.is_plain_queue()))
            .then(a.facet.kind.cmp(&b.facet.kind))
            .then(better)
            .then(b.letters.cmp(&a.letters))
            .then_with(|| a.facet.name.cmp(&b.facet.name))
    });
    let mut breakdown = Breakdown {
        letters: count(set.len()),
        letters_in_set: count(set.len()),
        compared_with: count(all.len()),
        letters_in_all: count(all.len()),
        sentence: None,
        facets: worth_telling(facets),
    };
    breakdown.sentence = breakdown.strongest().map(|(facet, found)| sentence(facet, found));
    breakdown
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// "96 % of these have version=2.3.1, 11 % of all letters do."
pub(super) fn sentence(facet: &Facet, found: &FacetValue) -> String {
    format!(
        "{} of these have {}={}, {} of all letters do.",
        percent(found.share),
        shown(&facet.name),
        shown(&found.value),
        percent(found.share_of_all)
    )
}

/// A name in a sentence: not too long, and on one line.
fn shown(name: &str) -> String {
    let printable = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    cut(&name.chars().map(printable).collect::<String>(), MOST_SHOWN_BYTES)
}

/// Leaves out what says the same as something before it, and what nobody asks for.
fn worth_telling(ranked: Vec<Ranked>) -> Vec<Facet> {
    let mut said = HashSet::new();
    let mut unremarkable = HashSet::new();
    ranked
        .into_iter()
        .filter(|ranked| {
            let is_new = ranked.finding.is_some_and(|letters| said.insert(letters));
            if ranked.facet.kind.is_asked_for() {
                // Where nothing stands out, one version header says as much as four.
                ranked.finding.is_some()
                    || ranked.is_usual && unremarkable.insert(ranked.facet.kind)
            } else {
                is_new
            }
        })
        .take(MOST_FACETS)
        .map(|ranked| ranked.facet)
        .collect()
}

/// How many letters have a value.
#[derive(Debug, Default)]
struct Tally {
    set: u32,
    all: u32,
    elsewhere: u32,
    /// The same for values that the same letters have.
    letters: u64,
}

/// A facet with its place among the others.
#[derive(Debug)]
struct Ranked {
    facet: Facet,
    score: f64,
    /// Letters of the set that have it at all.
    letters: i64,
    /// Whether enough of the set has it.
    is_usual: bool,
    /// Which letters the strongest finding is about.
    finding: Option<u64>,
}

impl Ranked {
    fn is_plain_queue(&self) -> bool {
        self.finding.is_none() && self.facet.kind == FacetKind::Queue
    }

    /// The score, so rough that what tells as much is equal.
    fn rounded(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a score is below 50")]
        let rounded = (self.score * 10.0).round() as i64;
        rounded
    }
}

#[derive(Debug)]
struct Samples<'a> {
    set: u32,
    all: u32,
    elsewhere: u32,
    axes: HashMap<&'a Axis, HashMap<&'a str, Tally>>,
}

impl<'a> Samples<'a> {
    fn count(set: &'a [Sampled], all: &'a [Sampled], is_of_set: impl Fn(&Sampled) -> bool) -> Self {
        let mut samples = Self { set: 0, all: 0, elsewhere: 0, axes: HashMap::new() };
        for (mark, letter) in (0..).zip(set) {
            samples.set += 1;
            samples.each(letter, |tally| {
                tally.set += 1;
                tally.letters = tally.letters.wrapping_add(mixed(2 * mark));
            });
        }
        for (mark, letter) in (0..).zip(all) {
            let is_elsewhere = !is_of_set(letter);
            samples.all += 1;
            samples.elsewhere += u32::from(is_elsewhere);
            samples.each(letter, |tally| {
                tally.all += 1;
                tally.elsewhere += u32::from(is_elsewhere);
                tally.letters = tally.letters.wrapping_add(mixed(2 * mark + 1));
            });
        }
        samples
    }

    fn each(&mut self, letter: &'a Sampled, count: impl Fn(&mut Tally)) {
        for (axis, value) in &letter.facts {
            count(self.axes.entry(axis).or_default().entry(value).or_default());
        }
    }

    /// One axis with its values; none when the set has nothing of it, or every letter its own.
    fn rank(&self, axis: &Axis, tallies: &HashMap<&str, Tally>) -> Option<Ranked> {
        let mut here: Vec<(&str, &Tally)> = tallies
            .iter()
            .filter(|(_, tally)| tally.set > 0)
            .map(|(value, tally)| (*value, tally))
            .collect();
        if here.is_empty() || (*axis != Axis::Queue && nearly_all_differ(tallies)) {
            return None;
        }
        here.sort_by(|(a, one), (b, other)| other.set.cmp(&one.set).then_with(|| a.cmp(b)));
        let mut told = Vec::new();
        let mut strongest: Option<(f64, u64)> = None;
        for (value, tally) in here.iter().take(MOST_VALUES) {
            let Some(filter) = axis.term(value) else {
                continue;
            };
            let value = self.value(value, tally, filter);
            let score = value.telling();
            if value.stands_out && strongest.is_none_or(|(best, _)| score > best) {
                strongest = Some((score, tally.letters));
            }
            told.push(value);
        }
        let had: u32 = here.iter().map(|(_, tally)| tally.set).sum();
        let letters = i64::from(had);
        let told_letters: i64 = told.iter().map(|value| value.letters).sum();
        Some(Ranked {
            letters,
            is_usual: f64::from(had) >= LEAST_SHARE * f64::from(self.set),
            score: strongest.map_or(0.0, |(score, _)| score),
            finding: strongest.map(|(_, letters)| letters),
            facet: Facet {
                name: axis.name(),
                kind: axis.kind(),
                other_values: count(here.len() - told.len()),
                other_letters: letters - told_letters,
                values: told,
            },
        })
    }

    fn value(&self, value: &str, tally: &Tally, filter: String) -> FacetValue {
        let part = |letters, of| Part { letters, of };
        let here = part(tally.set, self.set);
        let elsewhere = part(tally.elsewhere, self.elsewhere);
        let letters = i64::from(tally.set);
        let (share, share_of_all) = (here.share(), part(tally.all, self.all).share());
        let is_enough = letters >= FEWEST_LETTERS;
        let stands_out = is_enough
            && share >= LEAST_SHARE
            && share > share_of_all
            && is_no_chance(here, elsewhere);
        FacetValue {
            value: value.to_owned(),
            letters,
            share,
            share_of_all,
            lift: (is_enough && tally.all > 0).then(|| share / share_of_all),
            stands_out,
            filter,
        }
    }
}

/// Whether a value is hardly ever there twice: ids, and other things that divide nothing.
fn nearly_all_differ(tallies: &HashMap<&str, Tally>) -> bool {
    let occurrences = |tally: &Tally| u64::from(tally.set) + u64::from(tally.elsewhere);
    let (mut sum, mut different) = (0, 0);
    for tally in tallies.values() {
        let times = occurrences(tally);
        sum += times;
        different += u64::from(times > 0);
    }
    sum >= FEWEST_OCCURRENCES && different * 10 > sum * 8
}

/// Spreads the place of a letter over all bits (`SplitMix64`), so that sums of places tell sets of
/// letters apart.
fn mixed(place: u64) -> u64 {
    let z = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
