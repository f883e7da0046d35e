//! Letters that have something in common with a letter.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::relations::MOST_RELATED;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
use dlo_server::judging::Walker;
use sqlx::PgPool;

use crate::support::desk::Bench;

/// What letters have in common: how, what, and which others have it.
type Common = (String, String, Vec<LetterId>);

async fn related(bench: &Bench, id: LetterId) -> Vec<Common> {
    let related = bench.desk.related_letters(id).await.expect("related");
    let told = related.into_iter();
    told.map(|one| (one.by, one.value, one.letters.iter().map(|letter| letter.id).collect()))
        .collect()
}

/// What is stored is read once more, as the upgrade that brought this had it.
async fn walk(pool: &PgPool) {
    sqlx::query(
        "update judging set severity_is_due = true, signature_is_due = true, contents_are_due = true",
    )
    .execute(pool)
    .await
    .expect("due");
    let mut walker = Walker::new(pool.clone());
    while walker.walk_on().await.expect("walked") {}
}

fn header(name: &str, value: &str) -> FieldTable {
    FieldTable(vec![Field { name: name.into(), value: FieldValue::LongString(value.into()) }])
}

fn correlated(id: &str) -> Properties {
    Properties { correlation_id: Some(id.into()), ..Properties::default() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_are_related_by_correlation_id_and_by_trace_in_any_form(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let w3c = header("traceparent", &format!("00-{trace}-b7ad6b7169203331-01"));
    let b3 = header("X-B3-TraceId", &trace.to_ascii_uppercase());
    let first = bench.letter_of("orders", &correlated("saga:\"17\""), &w3c, b"1").await;
    let second =
        bench.letter_of("billing", &correlated("saga:\"17\""), &header("a", "b"), b"2").await;
    let third = bench.letter_of("billing", &correlated("saga:\"18\""), &b3, b"3").await;
    let alone = bench.letter_of("billing", &Properties::default(), &header("a", "b"), b"4").await;

    assert_eq!(related(&bench, first).await, [], "not read yet");
    walk(&pool).await;
    let by_id = ("correlation_id".to_owned(), "saga:\"17\"".to_owned());
    assert_eq!(
        related(&bench, first).await,
        [
            (by_id.0.clone(), by_id.1.clone(), vec![second]),
            ("trace".to_owned(), trace.to_owned(), vec![third]),
        ]
    );
    assert_eq!(related(&bench, second).await, [(by_id.0, by_id.1, vec![first])]);
    assert_eq!(related(&bench, alone).await, []);
    let told = bench.desk.related_letters(first).await.expect("related");
    for one in &told {
        let filter = LetterFilter::parse(&one.filter).expect("is read back");
        let found = bench.desk.letters(&filter, None, 10).await.expect("letters");
        assert_eq!(found.items.len(), 2, "{}", one.filter);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_names_its_business_key_and_many_letters_are_told_in_part(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    sqlx::query(r#"update sources set headers = '{"business_key": "/order/number"}'"#)
        .execute(&pool)
        .await
        .expect("named");
    let mut ids = Vec::new();
    for number in 0..MOST_RELATED + 2 {
        let body = format!("{{\"order\": {{\"number\": \"A\\u0000-7\"}}, \"n\": {number}}}");
        let properties = Properties::default();
        ids.push(bench.letter_of("orders", &properties, &header("n", "1"), body.as_bytes()).await);
    }
    walk(&pool).await;

    let told = bench.desk.related_letters(ids[0]).await.expect("related");
    assert_eq!(told.len(), 1);
    let one = &told[0];
    assert_eq!((one.by.as_str(), one.value.as_str()), ("business_key", "A\u{fffd}-7"));
    assert_eq!((one.letters.len(), one.has_more), (MOST_RELATED, true));
    assert!(one.letters.iter().all(|letter| letter.id != ids[0]));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_is_not_there_has_none(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let answer = bench.desk.related_letters(LetterId(uuid::Uuid::nil())).await;
    assert!(matches!(answer, Err(DeskError::NotFound(_))), "{answer:?}");
}
