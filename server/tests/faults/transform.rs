//! jq programs that never end or eat memory: they cost their letter and no other.

use std::time::{Duration, Instant};

use dlo_server::config::Patience;
use dlo_server::transform::{Made, TransformError};

use crate::support::transform::{MOST_BYTES, bodies, no_types, transformer};

#[tokio::test]
async fn a_program_that_never_ends_costs_its_letter_and_no_other() {
    let jq = "if .loop then def f: f; f else .n += 1 end";
    let begun = Instant::now();
    let made = made(jq, &[r#"{"n":1}"#, r#"{"loop":true}"#, r#"{"n":2}"#]).await;
    assert_eq!(made[0], Made::Changed(br#"{"n":2}"#.to_vec()));
    assert!(why(&made[1]).contains("more than 2 s"), "{made:?}");
    assert_eq!(made[2], Made::Changed(br#"{"n":3}"#.to_vec()));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_program_that_eats_memory_costs_its_letter_and_no_other() {
    for hungry in [
        "[range(1000000000)]",
        r#"reduce range(60) as $i ("x"; . + .)"#,
        "def f: 1 + f; f",
        "[limit(1000000000; repeat(1))]",
    ] {
        let jq = format!("if .eat then {hungry} else .n += 1 end");
        let made = made(&jq, &[r#"{"eat":true}"#, r#"{"n":2}"#]).await;
        let why = why(&made[0]);
        assert!(
            why.contains("memory") || why.contains("more than 2 s") || why.contains("large"),
            "{hungry}: {why}"
        );
        assert_eq!(made[1], Made::Changed(br#"{"n":3}"#.to_vec()), "{hungry}");
    }
}

#[tokio::test]
async fn after_a_few_letters_beyond_the_limits_the_others_are_not_tried() {
    let texts = ["{}"; 20];
    let made = made("def f: 1 + f; f", &texts).await;
    let tried = made.iter().filter(|made| !why(made).contains("not tried"));
    assert_eq!((tried.count(), made.len()), (5, 20));
}

#[tokio::test]
async fn a_program_that_takes_too_long_for_all_letters_changes_none() {
    // Less than one letter may take, so that none is left out before.
    let within = Duration::from_millis(1500);
    let patience = Patience { transform: within, ..Patience::default() };
    let mut program =
        transformer().with_patience(&patience).begin("def f: f; f").await.expect("a program");
    let made = program.change(bodies(&["{}"]), &no_types(), MOST_BYTES).await;
    assert_eq!(made, Err(TransformError::OutOfTime(within)));
}

async fn made(jq: &str, texts: &[&str]) -> Vec<Made> {
    let mut program = transformer().begin(jq).await.expect("a program");
    program.change(bodies(texts), &no_types(), MOST_BYTES).await.expect("answers")
}

fn why(made: &Made) -> &str {
    match made {
        Made::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}
