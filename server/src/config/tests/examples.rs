//! The example files: good, complete, and telling the defaults.

use std::cell::RefCell;
use std::collections::HashMap;

use super::*;

/// The example's lines, with those that are commented out.
fn example_variables() -> HashMap<String, String> {
    include_str!("../../../../.env.example")
        .lines()
        .filter_map(|line| line.strip_prefix("# ").unwrap_or(line).split_once('='))
        .filter(|(name, _)| name.starts_with("DLO_") && !name.contains(' '))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn the_example_environment_names_every_variable_and_its_default() {
    let variables = example_variables();
    for name in VARIABLES {
        assert!(variables.contains_key(name), "{name} is missing from .env.example");
    }
    for name in variables.keys() {
        assert!(VARIABLES.contains(&name.as_str()), "{name} is in .env.example but unknown");
    }
    let asked = RefCell::new(Vec::new());
    let lookup = |name: &str| {
        asked.borrow_mut().push(name.to_owned());
        variables.get(name).cloned().filter(|_| name != "DLO_CONFIG")
    };
    let surroundings = Surroundings { file: None, lookup: &lookup, program_dir: None };
    let config = surroundings.parse(None, Needs::Office).expect("the example is good");
    assert_eq!(config.intake, IntakeConfig::default());
    assert_eq!(config.replay, ReplayConfig::default());
    assert_eq!(config.retry, RetryConfig::default());
    assert_eq!(config.fleet, FleetConfig::default());
    assert_eq!(config.executions, ExecutionsConfig::default());
    assert_eq!(config.patience, Patience::default());
    assert_eq!(config.indexed, IndexedParts::default());
    assert_eq!(config.log, LogConfig::default());
    assert_eq!(config.http, HttpConfig::default());
    for name in asked.borrow().iter() {
        assert!(VARIABLES.contains(&name.as_str()), "{name} is read but not listed");
    }
}

#[test]
fn the_example_file_is_good_and_holds_the_defaults() {
    let config = parse(include_str!("../../../../dlo.example.toml"), &[]).expect("good");
    assert_eq!(config.intake, IntakeConfig::default());
    assert_eq!(config.replay, ReplayConfig::default());
    assert_eq!(config.retry, RetryConfig::default());
    assert_eq!(config.executions, ExecutionsConfig::default());
    assert_eq!(config.fleet, FleetConfig::default());
    assert_eq!(config.patience, Patience::default());
    assert_eq!(config.indexed, IndexedParts::default());
    assert_eq!(config.log, LogConfig::default());
    assert_eq!(config.http, HttpConfig::default());
    assert_eq!(config.sources.len(), 2);
}
