//! jq programs in a process of their own: what they may not do, and that the office outlives it.

use dlo_server::transform::{Made, TransformError, Transformer};

use crate::support::transform::{MOST_BYTES, bodies, no_types, transformer};

#[tokio::test]
async fn bodies_are_changed_one_after_the_other_in_their_order() {
    let texts: Vec<String> = (0..5_000).map(|n| format!(r#"{{"n":{n},"pad":"x"}}"#)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut program =
        transformer().begin("if .n % 2 == 0 then .n += 1 end").await.expect("a program");
    for chunk in texts.chunks(1_000) {
        let made = program.change(bodies(chunk), &no_types(), MOST_BYTES).await.expect("answers");
        for (text, made) in chunk.iter().zip(made) {
            let n: u32 = text["{\"n\":".len()..].split(',').next().unwrap().parse().unwrap();
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
async fn bodies_without_values_fail_alone_and_in_their_place() {
    let texts = ["{\"n\":1}", "words", "<a/>", "{\"n\":2}", "words", "n=1&m=2"];
    let mut program = transformer().begin(".n = 7").await.expect("a program");
    let made = program.change(bodies(&texts), &no_types(), MOST_BYTES).await.expect("answers");
    let made: Vec<String> = made
        .into_iter()
        .map(|made| match made {
            Made::Changed(body) => String::from_utf8(body).expect("text"),
            Made::Failed(why) => why,
            Made::Same => "the same".to_owned(),
        })
        .collect();
    assert_eq!((&*made[0], &*made[3], &*made[5]), ("{\"n\":7}", "{\"n\":7}", "n=7&m=2"));
    assert!(made[1].contains("neither JSON nor") && made[4] == made[1], "{made:?}");
    assert!(
        made[2].contains("it cannot be written as XML: a document is one element, `a`"),
        "{made:?}"
    );
}

#[tokio::test]
async fn a_program_that_cannot_be_read_is_told_with_its_place() {
    let fault = transformer().begin(".a | nosuch").await.expect_err("a fault");
    let TransformError::Fault { position, length, .. } = fault else {
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
    let made = program.change(texts.clone(), &no_types(), 50_000).await;
    assert_eq!(made, Err(TransformError::TooMuch(50_000)));
    let made = program.change(texts, &no_types(), 101_000_000).await.expect("answers");
    assert_eq!(made.len(), 100);
}
