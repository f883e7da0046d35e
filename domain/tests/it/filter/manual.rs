//! The manual says what the table says, and its examples are read.

use dlo_domain::filter::{FIELDS, LetterFilter, PATHS};

const MANUAL: &str = include_str!("../../../../docs/filter.md");

/// The field table as the manual shows it.
fn table() -> String {
    let head = "| field | what it is | values | example |\n|---|---|---|---|\n".to_owned();
    let fields = FIELDS.iter().map(|info| {
        let names = std::iter::once(&info.name).chain(info.aliases);
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let (names, values) = (names.join(", "), info.kind.help());
        format!("| {names} | {} | {values} | `{}` |\n", info.help, info.example)
    });
    let paths = PATHS.iter().map(|path| {
        format!(
            "| `{}`name | {} | a text, a number, `true`, `false` or `null` | `{}` |\n",
            path.prefix, path.help, path.example
        )
    });
    std::iter::once(head).chain(fields).chain(paths).collect()
}

#[test]
fn the_manual_has_the_table_of_fields() {
    let table = table();
    assert!(MANUAL.contains(&table), "docs/filter.md lacks this table:\n{table}");
}

#[test]
fn every_example_of_the_manual_and_the_table_is_read() {
    let blocks = MANUAL.split("```filter\n").skip(1);
    let in_blocks = blocks.flat_map(|block| {
        let (examples, _) = block.split_once("```").expect("a closed block");
        examples.lines()
    });
    let examples: Vec<&str> = in_blocks.filter(|line| !line.is_empty()).collect();
    assert!(examples.len() >= 20, "{}", examples.len());
    let in_table = FIELDS.iter().map(|info| info.example);
    let of_paths = PATHS.iter().map(|path| path.example);
    for example in examples.into_iter().chain(in_table).chain(of_paths) {
        let filter =
            LetterFilter::parse(example).unwrap_or_else(|fault| panic!("{example}: {fault}"));
        let again = LetterFilter::parse(&filter.to_string());
        assert_eq!(again, Ok(filter), "{example}");
    }
}

#[test]
fn every_fault_of_the_manual_is_a_fault() {
    let (_, block) = MANUAL.split_once("```fault\n").expect("a block of faults");
    let (faults, _) = block.split_once("```").expect("a closed block");
    assert!(faults.lines().count() >= 3);
    for line in faults.lines() {
        let (text, wanted) = line.split_once("   ").expect("a text and its fault");
        let fault = LetterFilter::parse(text).expect_err(text);
        assert_eq!(fault.to_string(), wanted.trim(), "{text}");
    }
}
