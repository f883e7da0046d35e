//! jq programs in a process of their own: what they may not do, and that the office outlives it.

use std::time::{Duration, Instant};

use dlo_server::transform::{Made, TransformError, Transformer, Unchanged};

/// What may be made of bodies, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

fn transformer() -> Transformer {
    Transformer::new(env!("CARGO_BIN_EXE_dlo").into())
}

fn bodies(texts: &[&str]) -> Vec<Unchanged> {
    let body = |text: &&str| Unchanged {
        encoding: None,
        body: text.as_bytes().to_vec(),
    };
    texts.iter().map(body).collect()
}

async fn made(jq: &str, texts: &[&str]) -> Vec<Made> {
    let mut program = transformer().begin(jq).await.expect("a program");
    program
        .change(&bodies(texts), MOST_BYTES)
        .await
        .expect("answers")
}

fn why(made: &Made) -> &str {
    match made {
        Made::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn bodies_are_changed_one_after_the_other_in_their_order() {
    let texts: Vec<String> = (0..5_000)
        .map(|n| format!(r#"{{"n":{n},"pad":"x"}}"#))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut program = transformer()
        .begin("if .n % 2 == 0 then .n += 1 end")
        .await
        .expect("a program");
    for chunk in texts.chunks(1_000) {
        let made = program
            .change(&bodies(chunk), MOST_BYTES)
            .await
            .expect("answers");
        for (text, made) in chunk.iter().zip(made) {
            let n: u32 = text["{\"n\":".len()..]
                .split(',')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            let expected = if n.is_multiple_of(2) {
                Made::Changed(format!(r#"{{"n":{},"pad":"x"}}"#, n + 1).into_bytes())
            } else {
                Made::Same
            };
            assert_eq!(made, expected);
        }
    }
}

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
async fn a_program_that_cannot_be_read_is_told_with_its_place() {
    let fault = transformer()
        .begin(".a | nosuch")
        .await
        .expect_err("a fault");
    let TransformError::Fault {
        position, length, ..
    } = fault
    else {
        panic!("{fault:?}");
    };
    assert_eq!((position, length), (5, 6));
    let long = "1".repeat(20_000);
    let fault = transformer().begin(&long).await.expect_err("too long");
    assert!(matches!(fault, TransformError::TooLong(20_000)));
}

#[tokio::test]
async fn an_office_that_cannot_start_a_worker_says_so() {
    let nobody = Transformer::new("/no/such/program".into());
    let fault = nobody.begin(".").await.expect_err("nobody");
    assert!(matches!(fault, TransformError::NoWorker(_)), "{fault:?}");
}

#[tokio::test]
async fn what_is_read_of_the_answers_is_bounded() {
    let mut program = transformer().begin(". * 1000").await.expect("a program");
    let texts = bodies(&["\"x\""; 100]);
    let made = program.change(&texts, 50_000).await;
    assert_eq!(made, Err(TransformError::TooMuch(50_000)));
    let made = program.change(&texts, 101_000_000).await.expect("answers");
    assert_eq!(made.len(), 100);
}
