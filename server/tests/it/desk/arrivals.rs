//! Arrivals of a letter, one beside the other.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::changing::DiffMark;
use dlo_domain::comparing::ArrivalChanges;
use dlo_domain::ids::LetterId;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
use sqlx::PgPool;

use crate::support::desk::Bench;

/// A header that differs from arrival to arrival.
fn version(number: i32) -> FieldTable {
    FieldTable(vec![Field { name: "version".into(), value: FieldValue::LongInt(number) }])
}

/// A letter that arrived with each of these bodies.
async fn arrived(bench: &Bench, pool: &PgPool, bodies: &[&[u8]]) -> LetterId {
    let headers = version(1);
    let id = bench.letter_of("work", &Properties::default(), &headers, bodies[0]).await;
    for (body, ordinal) in bodies[1..].iter().zip(2_i32..) {
        sqlx::query(
            "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
                 properties, headers, deaths, body, body_sha256)
             select letter_id, $2, now(), source_id, exchange, routing_key, properties, $3, deaths, $4, sha256($4)
             from arrivals where letter_id = $1 and ordinal = 1",
        )
        .bind(id.0)
        .bind(ordinal)
        .bind(serde_json::to_value(version(ordinal)).expect("JSON"))
        .bind(body)
        .execute(pool)
        .await
        .expect("an arrival");
    }
    id
}

async fn last(bench: &Bench, pool: &PgPool, bodies: [&[u8]; 2]) -> ArrivalChanges {
    let id = arrived(bench, pool, &bodies).await;
    bench.desk.compare_arrivals(id, 2, None).await.expect("compared")
}

fn paths(changes: &ArrivalChanges) -> Vec<&str> {
    let values = changes.values.as_deref().expect("values");
    values.iter().map(|value| value.path.as_str()).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn bodies_are_compared_by_their_values_whatever_they_are_written_in(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    // MessagePack: {"id": 7, "paid": false} and {"id": 7, "paid": true}.
    let packed: [&[u8]; 2] = [b"\x82\xa2id\x07\xa4paid\xc2", b"\x82\xa2id\x07\xa4paid\xc3"];
    let changes = last(&bench, &pool, packed).await;
    assert_eq!(paths(&changes), ["paid"]);
    let headers: Vec<_> = changes.headers.lines.iter().map(|line| &*line.text).collect();
    assert_eq!(headers, ["version: 1", "version: 2"]);
    // The same values in base64, and as JSON.
    let same = last(&bench, &pool, [b"{\"a\": [1, 2]}", b"eyJhIjpbMSwyXX0="]).await;
    assert_eq!((paths(&same), same.same_body), (vec![], false));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_has_no_values_is_compared_line_by_line(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let text = last(&bench, &pool, [b"one\ntwo", b"{\"a\":1}"]).await;
    let lines = text.text.expect("lines").lines;
    assert!(
        lines.iter().any(|line| line.mark == DiffMark::Removed && line.text == "two"),
        "{lines:?}"
    );
    let long = vec![0xff_u8; 5_000];
    let mut other = long.clone();
    other[4_500] = 0;
    let bytes = last(&bench, &pool, [&long, &other]).await.text.expect("rows");
    let added = bytes.lines.iter().filter(|line| line.mark == DiffMark::Added);
    assert_eq!(added.count(), 1, "far behind what is shown of a body");
    let large = vec![0xff_u8; 1024 * 1024 + 1];
    assert!(last(&bench, &pool, [&large, &other]).await.cut, "larger than is compared");
    let same = last(&bench, &pool, [&long, &long]).await;
    assert!(same.same_body && same.text.is_none() && same.values.is_none());
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_arrival_is_compared_with_an_earlier_one(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = arrived(&bench, &pool, &[b"{\"a\":1}", b"{\"a\":2}", b"{\"a\":1}"]).await;
    let compare = |ordinal, since| bench.desk.compare_arrivals(id, ordinal, since);
    assert_eq!(compare(3, None).await.expect("compared").since, 2);
    assert!(compare(3, Some(1)).await.expect("compared").same_body);
    for (ordinal, since) in
        [(1, None), (2, Some(2)), (2, Some(3)), (2, Some(0)), (3, Some(i32::MIN))]
    {
        let refused = compare(ordinal, since).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{ordinal} {since:?}: {refused:?}");
    }
    for ordinal in [0, 4, i32::MAX, i32::MIN] {
        let missing = compare(ordinal, None).await;
        assert!(matches!(missing, Err(DeskError::NotFound(_))), "{ordinal}: {missing:?}");
    }
}
