//! Where the chart's parts stand. All in whole numbers: the same on the server and in a browser.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use dlo_domain::overview::DeathBar;

/// The line of the scale's top, in pixels from above.
pub(in crate::pages) const TOP: i64 = 32;

/// The line that the bars stand on, in pixels from above.
pub(in crate::pages) const BASE: i64 = 152;

/// The line of half of it.
pub(in crate::pages) const MIDDLE: i64 = i64::midpoint(TOP, BASE);

/// The drawing's own width and height.
const WIDTH: i64 = 6_000;
const HEIGHT: i64 = 1_000;

/// The deaths of one bar.
pub(in crate::pages) fn sum(bar: &DeathBar) -> i64 {
    bar.counts.iter().sum()
}

/// How high the chart reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scale {
    /// The deaths at its top line.
    pub(crate) top: i64,
}

impl Scale {
    /// The smallest round number that no bar passes: 10, 20, 50, 100, 200, …
    pub(crate) fn of(bars: &[DeathBar]) -> Self {
        let most = bars.iter().map(sum).max().unwrap_or(0);
        let mut top = 10;
        let mut factors = [2, 5, 10].into_iter().cycle();
        let mut decade = 10_i64;
        while top < most {
            let factor = factors.next().unwrap_or(10);
            top = decade.saturating_mul(factor);
            if factor == 10 {
                decade = top;
            }
        }
        Self { top }
    }
}

/// Where a figure stands, in pixels from above; nothing where the chart does not reach so high.
pub(crate) fn height_of(figure: i64, scale: Scale) -> Option<i64> {
    (figure <= scale.top).then(|| BASE - figure * (BASE - TOP) / scale.top)
}

/// One path a severity, in the order of `Severity::ALL`; the worst stands at the bottom.
pub(in crate::pages) fn paths(bars: &[DeathBar], top: i64) -> [String; 4] {
    let mut paths: [String; 4] = Default::default();
    let number = i64::try_from(bars.len()).unwrap_or(1).max(1);
    for (index, bar) in (0_i64..).zip(bars) {
        let left = index * WIDTH / number + WIDTH / number / 10;
        let right = (index + 1) * WIDTH / number - WIDTH / number / 10;
        let mut below = 0;
        for (path, count) in paths.iter_mut().zip(bar.counts) {
            if count > 0 {
                let foot = HEIGHT - below * HEIGHT / top;
                let head = HEIGHT - (below + count) * HEIGHT / top;
                write!(
                    path,
                    "M{} {}h{}v{}h-{}z",
                    tenths(left),
                    tenths(head),
                    tenths(right - left),
                    tenths(foot - head),
                    tenths(right - left)
                )
                .expect("a String takes every write");
            }
            below += count;
        }
    }
    paths
}

fn tenths(number: i64) -> String {
    if number % 10 == 0 {
        (number / 10).to_string()
    } else {
        format!("{}.{}", number / 10, number % 10)
    }
}

/// A part of a whole in hundredths of a percent, kept within it.
pub(super) fn place(part: i64, whole: i64) -> i64 {
    (part * 10_000 / whole.max(1)).clamp(0, 10_000)
}

/// A part of a whole in percent, kept within it.
pub(in crate::pages) fn share(part: i64, whole: i64) -> String {
    let hundredths = place(part, whole);
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// Labels of the axis: place, anchor, time.
pub(crate) fn label_at(bars: &[DeathBar]) -> Vec<(String, &'static str, DateTime<Utc>)> {
    let number = i64::try_from(bars.len()).unwrap_or(0);
    [0, 1, 2, 3, 4]
        .into_iter()
        .filter_map(|quarter| {
            let index = (number * quarter / 4).min(number - 1);
            let bar = bars.get(usize::try_from(index).ok()?)?;
            let anchor = match quarter {
                0 => "start",
                4 => "end",
                _ => "middle",
            };
            Some((share(quarter, 4), anchor, bar.from))
        })
        .collect()
}

/// The figures in at most seven rows.
pub(in crate::pages) fn table_rows(bars: &[DeathBar]) -> Vec<(DateTime<Utc>, [i64; 4])> {
    let a_row = bars.len().div_ceil(6).max(1);
    bars.chunks(a_row)
        .map(|bars| {
            let mut counts = [0; 4];
            for bar in bars {
                for (sum, count) in counts.iter_mut().zip(bar.counts) {
                    *sum += count;
                }
            }
            (bars[0].from, counts)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(counts: &[[i64; 4]]) -> Vec<DeathBar> {
        let from = |minute: i64| DateTime::from_timestamp(60 * minute, 0).expect("a time");
        (0..)
            .zip(counts)
            .map(|(minute, counts)| DeathBar { from: from(minute), counts: *counts })
            .collect()
    }

    #[test]
    fn the_scale_ends_at_a_round_number() {
        for (most, top) in
            [(0, 10), (10, 10), (11, 20), (21, 50), (51, 100), (101, 200), (999, 1_000)]
        {
            assert_eq!(Scale::of(&bars(&[[most, 0, 0, 0]])).top, top, "{most}");
        }
    }

    #[test]
    fn severities_are_stacked_with_the_worst_below() {
        let [critical, high, normal, low] = paths(&bars(&[[5, 0, 5, 0], [0, 0, 0, 0]]), 10);
        assert_eq!(critical, "M30 50h240v50h-240z");
        assert_eq!(high, "");
        assert_eq!(normal, "M30 0h240v50h-240z");
        assert_eq!(low, "");
    }

    #[test]
    fn the_table_holds_every_death_of_the_chart() {
        let bars = bars(&[[1, 2, 3, 4]; 60]);
        let rows = table_rows(&bars);
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[0].1, [10, 20, 30, 40]);
    }

    #[test]
    fn shares_stay_within_the_chart() {
        assert_eq!(share(-5, 100), "0.00%");
        assert_eq!(share(1, 3), "33.33%");
        assert_eq!(share(9, 3), "100.00%");
    }
}
