//! Postgres reads a body as memory does.

use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::{Contents, MessageTypes};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use sqlx::PgPool;

use super::*;

/// JSON as others write it: with any number, escape and space.
fn json() -> impl Strategy<Value = String> {
    let number = "-?(0|[1-9][0-9]{0,25})([.][0-9]{1,25})?([eE][+-]?[0-9]{1,5})?";
    let short = "-?(0|[1-9][0-9]{0,17})([.][0-9]{1,3})?";
    let text = r#""([a-zé€😀 ]|\\u[0-9a-fA-F]{4}|\\ud83d\\ude00|\\[nrtbf"/\\]){0,5}""#;
    let leaf = prop_oneof![1 => number, 4 => short, 4 => text, 1 => "true|false|null"];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let member = (text, " ?", inner.clone())
            .prop_map(|(name, space, value)| format!("{name}{space}:{value}"));
        let list =
            prop::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(", ")));
        let object = prop::collection::vec(member, 0..4);
        prop_oneof![1 => list, 2 => object.prop_map(|all| format!("{{\n{}}}", all.join(",")))]
    })
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_body_that_is_not_kept_twice_says_the_same_in_postgres(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let mut runner = TestRunner::default();
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let long = format!("{{\"a\": 0.{}}}", "1".repeat(20_000));
    let twice = r#"{"a": 1, "b": {"c": 1, "c": [2]}, "a": "x"}"#.to_owned();
    let made = std::iter::repeat_with(|| json().new_tree(&mut runner).expect("JSON").current());
    let (mut once, mut apart) = (0, 0);
    for json in [deep, long, twice].into_iter().chain(made.take(2_000)) {
        let delivered = Delivered { body: json.clone().into_bytes(), ..Delivered::default() };
        let contents = Contents::of(&delivered, &MessageTypes::default());
        let extract = Extract::of(&delivered, Relations::default(), contents, None);
        let Some(body) = extract.body.as_ref() else { continue };
        if !body.are_in_body() {
            apart += 1;
            continue;
        }
        once += 1;
        let is_same: bool = sqlx::query_scalar("select json_of($1) = $2::jsonb")
            .bind(&delivered.body)
            .bind(body.read().to_string())
            .fetch_one(&mut *conn)
            .await
            .unwrap_or_else(|error| panic!("{json}: {error}"));
        assert!(is_same, "{json}");
    }
    assert!(once > 500 && apart > 100, "{once} {apart}");
}
