//! Scores the grouping on labelled files: `grouping_score FILE.tsv…`, each with a header and the
//! columns label and message. Prints the accuracy and the speed of each file and the means.
//!
//! GA is the share of messages whose group holds exactly the messages of their label; FGA is the
//! harmonic mean of the precision and the recall of whole groups.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use dlo_domain::grouping::Lines;

/// How often a file is grouped, to measure the speed: the fastest counts.
const ROUNDS: usize = 5;

/// How well and how fast one file was grouped.
struct Score {
    accuracy: f64,
    of_groups: f64,
    lines: u32,
    took: Duration,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        return Err("give the files to score: grouping_score FILE.tsv…".into());
    }
    let mut scores = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let score = score(&text).ok_or_else(|| format!("{file}: a line has no tab"))?;
        println!(
            "{name:20} GA {:.4}  FGA {:.4}  {:>9.0} lines/s",
            score.accuracy,
            score.of_groups,
            f64::from(score.lines) / score.took.as_secs_f64()
        );
        scores.push(score);
    }
    let count = f64::from(u32::try_from(scores.len())?);
    let mean = |value: fn(&Score) -> f64| scores.iter().map(value).sum::<f64>() / count;
    let (lines, took) = (
        scores.iter().map(|s| s.lines).sum::<u32>(),
        scores.iter().map(|s| s.took).sum::<Duration>(),
    );
    println!(
        "mean of {count:<12} GA {:.4}  FGA {:.4}  {:>9.0} lines/s",
        mean(|score| score.accuracy),
        mean(|score| score.of_groups),
        f64::from(lines) / took.as_secs_f64()
    );
    Ok(())
}

fn score(text: &str) -> Option<Score> {
    let rows: Option<Vec<(&str, &str)>> =
        text.lines().skip(1).map(|line| line.split_once('\t')).collect();
    let rows = rows?;
    let mut took = Duration::MAX;
    let mut got = BTreeSet::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut lines = Lines::new();
        for (_, message) in &rows {
            lines.push(message.as_bytes());
        }
        let keys: Vec<_> = lines.groups().collect();
        took = took.min(begun.elapsed());
        got = groups(keys.into_iter());
    }
    let wanted = groups(rows.iter().map(|(label, _)| label));
    let right: Vec<&Vec<usize>> = wanted.intersection(&got).collect();
    Some(Score {
        accuracy: ratio(right.iter().map(|group| group.len()).sum(), rows.len()),
        of_groups: 2.0 * ratio(right.len(), wanted.len() + got.len()),
        lines: u32::try_from(rows.len()).ok()?,
        took,
    })
}

fn groups<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeSet<Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (line, key) in keys.enumerate() {
        groups.entry(key).or_default().push(line);
    }
    groups.into_values().collect()
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}
