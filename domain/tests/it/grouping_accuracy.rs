//! How well failures are grouped, on the labelled corpus: `tests/grouping/failures.tsv`.
//!
//! GA is the share of messages whose group holds exactly the messages of their label; FGA is the
//! harmonic mean of the precision and the recall of whole groups (Zhu et al. 2019, Khan et al. 2022).

use std::collections::{BTreeMap, BTreeSet};

use dlo_domain::grouping::Lines;

const CORPUS: &str = include_str!("../grouping/failures.tsv");

/// Sets of line numbers.
type Groups = BTreeSet<Vec<usize>>;

fn groups<K: Ord>(keys: impl Iterator<Item = K>) -> Groups {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (line, key) in keys.enumerate() {
        groups.entry(key).or_default().push(line);
    }
    groups.into_values().collect()
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).expect("a small corpus"));
    number(part) / number(whole)
}

#[test]
fn failures_are_grouped_as_a_person_would() {
    let rows: Vec<(&str, &str)> = CORPUS
        .lines()
        .skip(1)
        .map(|line| line.split_once('\t').expect("a label and a message"))
        .collect();
    let mut lines = Lines::new();
    for (_, message) in &rows {
        lines.push(message.as_bytes());
    }
    let wanted = groups(rows.iter().map(|(label, _)| label));
    let got = groups(lines.groups());
    assert!(rows.len() >= 500 && wanted.len() >= 60, "the corpus has shrunk");

    let right: Vec<&Vec<usize>> = wanted.intersection(&got).collect();
    let accuracy = ratio(right.iter().map(|group| group.len()).sum(), rows.len());
    let of_groups = 2.0 * ratio(right.len(), wanted.len() + got.len());
    println!("GA {accuracy:.4}, FGA {of_groups:.4}, {} groups of {}", got.len(), wanted.len());
    assert!(accuracy >= 0.95, "GA is {accuracy:.4}");
    assert!(of_groups >= 0.90, "FGA is {of_groups:.4}");
}

/// Texts whose values are words, and words to fill them with.
const TEXTS: [&str; 14] = [
    "while resolving keytab {}",
    "Unauthorized request: {}, client={}",
    "Key for {} (hex):",
    "{}: syntax error at line 254 <{}...>",
    "{}: cannot rename the spool of {}",
    "{}: cannot remove the spool of {}",
    "cannot read the policy of {}",
    "no consumer took {} from {} in time",
    "the lease of {} was given to {}",
    "Template {} wants a field {} that {} lacks",
    "rename failed, {} ({} -> {})",
    "user {} may not write to {}",
    "could not lock {}. It is held by {}",
    "option {} requires an argument, not {}",
];

const WORDS: [&str; 12] = [
    "app_user",
    "readonly",
    "etl_worker",
    "refunds",
    "sessions",
    "orders",
    "customer_id",
    "billing",
    "nightly",
    "OrderPlaced",
    "carts",
    "alice",
];

#[test]
fn one_failure_is_one_group_though_its_values_are_words() {
    let mut lines = Lines::new();
    let mut labels = Vec::new();
    let mut word = 0;
    for _ in 0..5 {
        for (label, text) in TEXTS.iter().enumerate() {
            let mut message = (*text).to_owned();
            while message.contains("{}") {
                message = message.replacen("{}", WORDS[word % WORDS.len()], 1);
                word += 5;
            }
            word += 1;
            lines.push(message.as_bytes());
            labels.push(label);
        }
    }
    let mixed = groups(lines.groups())
        .into_iter()
        .find(|group| group.iter().any(|line| labels[*line] != labels[group[0]]));
    assert_eq!(mixed, None, "what differs is not merged");
    let (wanted, got) = (groups(labels.into_iter()), groups(lines.groups()));
    // Five messages of a text with three words each are few.
    assert!(wanted.intersection(&got).count() >= TEXTS.len() - 2, "{got:?}");
}
