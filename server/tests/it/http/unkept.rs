//! What Postgres cannot keep: NUL characters, and times before its first. Whoever sends them is told so
//! before Postgres is asked; nothing of it is a fault of ours.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::{Counter, ID, problem};

/// A real desk at the counter, and a bench for its letters.
async fn open(pool: &PgPool) -> (Bench, Counter) {
    let bench = Bench::offline(pool).await;
    let counter = Counter::open_before(pool, bench.desk.clone()).await;
    (bench, counter)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn texts_with_a_nul_character_are_refused_wherever_they_are_taken(pool: PgPool) {
    let (bench, counter) = open(&pool).await;
    let letter = bench.letter("work", b"{}").await.to_string();
    let these = json!({"ids": [letter]});
    let jq = json!({"jq": ". # \0"});
    let policy = |name: &str, filter: &str| json!({"name": name, "filter": filter});
    let headers = json!({"error_class": "\0"});
    let cases = [
        ("/replays", json!({"selection": these, "transform": jq}), 422),
        ("/replays/preview", json!({"selection": these, "transform": jq}), 422),
        ("/replays", json!({"selection": {"filter": "\0"}}), 400),
        ("/replays", json!({"selection": these, "edit": {"body": "", "content_type": "\0"}}), 422),
        (
            "/replays",
            json!({"selection": these, "target": {"mode": "worker", "worker": "\0"}}),
            400,
        ),
        ("/discards", json!({"selection": these, "reason": "a\0"}), 400),
        ("/retry-policies", policy("a\0b", ""), 400),
        ("/retry-policies", policy("a", "queue:\0"), 400),
        ("/views", policy("a\0b", ""), 400),
        ("/sources", json!({"vhost": "/", "queue": "a", "headers": headers}), 400),
        ("/executions/7", json!({"state": "failed", "error": "\0"}), 400),
        ("/executions/%00", json!({"state": "running"}), 400),
        ("/workers/%00/heartbeat", json!({}), 400),
    ];
    for (path, body, status) in cases {
        let answer = counter.post(&format!("/api/v1{path}"), &body).await;
        assert_eq!(problem(answer).await.0, status, "{path} {body}");
    }
    for (path, status) in [
        ("/executions/%00", 404),
        ("/workers/%00", 404),
        ("/queues/%00/work", 400),
        ("/queues/%2F/%00", 400),
    ] {
        let answer = counter.get(&format!("/api/v1{path}")).await;
        assert_eq!(problem(answer).await.0, status, "{path}");
    }
    let setting = "/api/v1/queues/%00/orders/dead-lettering";
    let put = counter.as_role(Role::Admin, Method::PUT, setting);
    let put = put.json(&json!({"dead_letter_queue": "dead"})).send().await;
    assert_eq!(problem(put.expect("an answer")).await.0, 400);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_that_was_to_begin_long_ago_begins_now(pool: PgPool) {
    let (bench, counter) = open(&pool).await;
    for start in ["-9999-01-01T00:00:00Z", "2001-01-01T00:00:00Z"] {
        let letter = bench.letter("work", b"{}").await.to_string();
        let wanted = json!({"selection": {"ids": [letter]}, "start_at": start});
        let answer = counter.post("/api/v1/replays", &wanted).await;
        assert_eq!(answer.status(), 201, "{start}");
        let made: Value = answer.json().await.expect("JSON");
        assert_eq!(
            (&made["state"], &made["start_at"]),
            (&json!("running"), &json!(null)),
            "{start}"
        );
    }
    let letter = bench.letter("work", b"{}").await.to_string();
    let late = json!({"selection": {"ids": [letter]}, "start_at": "+200000-01-01T00:00:00Z"});
    let (status, why) = problem(counter.post("/api/v1/replays", &late).await).await;
    assert_eq!(status, 400, "{why}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn times_that_postgres_does_not_know_are_refused(pool: PgPool) {
    let (_, counter) = open(&pool).await;
    let long_ago = [&i64::to_be_bytes(-8_000_000_000_000_000_000)[..], &[0; 16]].concat();
    let cursor = URL_SAFE_NO_PAD.encode(long_ago);
    for path in [
        format!("/letters?cursor={cursor}"),
        format!("/groups?cursor={cursor}"),
        format!("/replays?cursor={cursor}"),
        format!("/replays/{ID}/items?cursor={cursor}"),
        format!("/executions?cursor={cursor}"),
        "/letters?since=-9999-01-01T00:00:00Z".to_owned(),
        "/letters?until=%2B200000-01-01T00:00:00Z".to_owned(),
        "/letters?q=since:-9999-01-01T00:00:00Z".to_owned(),
    ] {
        let answer = counter.get(&format!("/api/v1{path}")).await;
        let (status, why) = problem(answer).await;
        assert_eq!(status, 400, "{path}: {why}");
    }
    counter.close().await;
}
