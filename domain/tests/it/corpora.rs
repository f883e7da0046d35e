//! What the fuzzer once found holds: each target on every input of its corpus, without a fuzzer.

use std::path::Path;

#[path = "../../../fuzz/src/messages.rs"]
mod messages;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

/// Runs a target on its corpus, which is not empty.
fn replay(target: &str, run: impl Fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in std::fs::read_dir(&corpus).expect("a corpus") {
        let file = entry.expect("an entry").path();
        println!("{}", file.display());
        run(&std::fs::read(file).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", corpus.display());
}

#[test]
fn bodies() {
    replay("bodies", targets::bodies);
}

#[test]
fn filters() {
    replay("filters", targets::filters);
}

#[test]
fn grouping() {
    replay("grouping", targets::grouping);
}

#[test]
fn headers() {
    replay("headers", targets::headers);
}

#[test]
fn wire_json() {
    replay("wire_json", targets::wire_json);
}
