//! The database gives the answers of memory, and plans as it should.

use dlo_domain::ids::LetterId;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use sqlx::PgPool;

use super::*;
use crate::store::letter_list;
use crate::store::{extracts, texts};

#[path = "../../../../domain/tests/it/filter/any.rs"]
mod any;

const LETTERS: u128 = 60;
const FILTERS: usize = 800;

/// Groups 1 and 2 with a signature of their own each, and 3 and 4, which were merged into 2.
/// Signature 5 is not placed yet.
async fn group(conn: &mut PgConnection) {
    let groups = "insert into groups (id, state, state_since, title, why, created_at, merged_into)
         select lpad(id::text, 32, '0')::uuid, 'open', now(), '', '{}', now(),
             lpad(joined::text, 32, '0')::uuid
         from (values (1, null), (2, null), (3, 2), (4, 2)) as made (id, joined)";
    sqlx::query(groups).execute(&mut *conn).await.expect("groups");
    let signatures =
        "insert into signatures (id, version, content, sample_letter_id, first_seen_at,
             position, group_id)
         select decode(lpad(id::text, 32, '0'), 'hex'), 1, '{}', gen_random_uuid(), now(), place,
             lpad(joined::text, 32, '0')::uuid
         from (values (1, 0, 1), (2, 1, 2), (3, 2, 2), (5, null, null)) as seen (id, place, joined)";
    sqlx::query(signatures).execute(conn).await.expect("signatures");
}

async fn workers(conn: &mut PgConnection) {
    let idle = [("OR", None)];
    let busy = any::WORKERS.map(|(name, queue)| (name, Some(queue)));
    for (name, queue) in busy.into_iter().chain(idle) {
        sqlx::query(
            "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
                 last_heartbeat_at, way, heard_ms, interval_ms, queue)
             values ($1, '', false, 'active', now(), now(), now(), 'http', 0, 10000, $2)",
        )
        .bind(name)
        .bind(queue)
        .execute(&mut *conn)
        .await
        .expect("a worker");
    }
}

async fn executions(conn: &mut PgConnection) {
    for (id, worker) in any::EXECUTIONS {
        sqlx::query(
            "insert into executions (id, key, state, worker, first_seen_at, state_since)
             values ($1, gen_random_uuid(), 'running', $2, now(), now())",
        )
        .bind(id)
        .bind(worker)
        .execute(&mut *conn)
        .await
        .expect("an execution");
    }
}

/// A signature of a letter's group: one of two where it was made of several; where it has none,
/// none or one that is not placed yet.
fn signature(letter: &any::Sample) -> Option<Vec<u8>> {
    let is_odd = !letter.id.0.as_u128().is_multiple_of(2);
    let id: u128 = match (letter.groups.len(), is_odd) {
        (0, true) => return None,
        (0, false) => 5,
        (1, _) => 1,
        (_, true) => 2,
        (_, false) => 3,
    };
    Some(Uuid::from_u128(id).as_bytes().to_vec())
}

async fn store(conn: &mut PgConnection, letter: &any::Sample) {
    let source: Uuid = sqlx::query_scalar(
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values (gen_random_uuid(), 'main', '/', gen_random_uuid()::text, $1, 'take', false, $2, $2)
         returning id",
    )
    .bind(&letter.source)
    .bind(any::now())
    .fetch_one(&mut *conn)
    .await
    .expect("a source");
    sqlx::query(
        "insert into letters (id, source_id, state, severity, queue, exchange, routing_key, reason,
             error_class, error_message, message_type, message_id, size_bytes, arrivals, replays,
             first_arrived_at, last_arrived_at, signature, exhausted_at, claimed_at)
         values ($1, $2, $3, $4, $5[1], $5[2], $5[3], $6, $5[4], $5[5], $5[6], $5[7], $7, $8, $9,
             $10, $11, $12, case when $13 then $11 end, $11)",
    )
    .bind(letter.id.0)
    .bind(source)
    .bind(letter.state.as_str())
    .bind(letter.severity.as_str())
    .bind(&letter.names)
    .bind(letter.reason.as_str())
    .bind(letter.size_bytes)
    .bind(letter.arrivals)
    .bind(letter.replays)
    .bind(letter.first_arrived_at)
    .bind(letter.last_arrived_at)
    .bind(signature(letter))
    .bind(letter.exhausted)
    .execute(&mut *conn)
    .await
    .expect("a letter");
    sqlx::query(
        "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
             properties, headers, deaths, body, body_sha256)
         values ($1, $2, $3, $4, '', '', '{}', '[]', $5, $6, '')",
    )
    .bind(letter.id.0)
    .bind(letter.arrivals)
    .bind(letter.last_arrived_at)
    .bind(source)
    .bind(serde_json::to_value(&letter.deaths).expect("JSON"))
    .bind(&letter.delivered.body)
    .execute(&mut *conn)
    .await
    .expect("an arrival");
    for (place, name) in (0..).zip(&letter.executions) {
        sqlx::query("insert into letter_executions values ($1, $2, $3)")
            .bind(letter.id.0)
            .bind(letter.first_arrived_at + chrono::TimeDelta::seconds(place))
            .bind(name)
            .execute(&mut *conn)
            .await
            .expect("named");
    }
    if let Some(extract) = &letter.extract {
        let row = extracts::Row::from(extract);
        extracts::put(conn, &[(letter.id, &row)]).await.expect("an extract");
        // Some of them stay without the index.
        if letter.id.0.as_u128().is_multiple_of(2) {
            let number = letter.id.0.as_u128() / 2;
            let parts = texts::IndexedParts {
                headers: number.is_multiple_of(2),
                body_bytes: i32::try_from(number % 16).expect("it is small"),
            };
            texts::index_some(conn, 1, parts).await.expect("indexed");
        }
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn memory_and_database_give_the_same_answers(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    group(&mut conn).await;
    workers(&mut conn).await;
    executions(&mut conn).await;
    let mut runner = TestRunner::default();
    let mut letters = Vec::new();
    for place in 1..=LETTERS {
        let tree = any::sample().new_tree(&mut runner).expect("a letter");
        let mut letter = tree.current();
        letter.id = LetterId(Uuid::from_u128(place));
        store(&mut conn, &letter).await;
        letters.push(letter);
    }
    let (mut some, mut none) = (0, 0);
    for _ in 0..FILTERS {
        let tree = any::filter().new_tree(&mut runner).expect("a filter");
        let filter = tree.current();
        let matching = Matching::look_up(&mut conn, &filter, any::now()).await.expect("looked up");
        let found = letter_list::ids(&mut conn, &matching, 1_000)
            .await
            .unwrap_or_else(|error| panic!("{filter}: {error}"));
        for letter in &letters {
            let in_memory = filter.matches(&letter.facts(), any::now());
            let in_database = found.contains(&letter.id);
            assert_eq!(
                in_memory, in_database,
                "memory and database differ on {filter} and {letter:#?}"
            );
        }
        match found.len() {
            0 => none += 1,
            _ => some += 1,
        }
    }
    // Filters that never meet a letter would hold nothing together.
    assert!(some > FILTERS / 4 && none > FILTERS / 20, "{some} {none}");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn nothing_of_a_text_is_sql(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let hostile = "'; drop table letters; --";
    let text = format!(
        "queue:\"{hostile}\" error:\"{hostile}\" \"{hostile}\" header.\"{hostile}\":\"{hostile}\" \
         -has:body.\"{hostile}\" source:\"{hostile}*\" death.queue:\"*{hostile}\""
    );
    let filter = LetterFilter::parse(&text).expect("a filter");
    let matching = Matching::look_up(&mut conn, &filter, any::now()).await.expect("looked up");
    let mut sql = Sql::new("select l.id from letters l where ");
    matching.write(&mut sql);
    assert!(!sql.into_string().contains("drop"));
    let found = letter_list::ids(&mut conn, &matching, 1).await;
    assert_eq!(found.expect("asked"), []);
}
