//! What the fuzzer once found holds: each target on every input of its corpus, without a fuzzer. So do the messages
//! of frameworks that are among them, which end in `.json`.

use std::path::{Path, PathBuf};

#[path = "../../../fuzz/src/messages.rs"]
mod messages;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target)
}

/// Runs a target on its corpus, which is not empty.
fn replay(target: &str, run: impl Fn(&[u8])) {
    let corpus = corpus(target);
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
fn ranking() {
    replay("ranking", targets::ranking);
}

#[test]
fn wire_json() {
    replay("wire_json", targets::wire_json);
}

#[test]
fn the_messages_of_frameworks_are_read_as_messages() {
    let mut read = 0;
    for target in ["bodies", "headers"] {
        for entry in std::fs::read_dir(corpus(target)).expect("a corpus") {
            let file = entry.expect("an entry").path();
            if file.extension().is_some_and(|name| name == "json") {
                let input = std::fs::read(&file).expect("an input");
                assert!(messages::written_message(&input).is_some(), "{}", file.display());
                read += 1;
            }
        }
    }
    assert!(read > 0, "there are none");
}
