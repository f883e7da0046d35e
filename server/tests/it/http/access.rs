//! Who is known. Which role may ask what is in `roles`.

use dlo_server::access::Role;
use dlo_server::http::api::endpoints;
use dlo_server::store::tokens;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, problem, token};
use crate::support::token::workers_token;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_good_token_is_answered_with_401(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let revoked = token(&pool, "revoked", Role::Admin).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = chrono::DateTime::UNIX_EPOCH;
    let is_revoked = tokens::revoke(&mut conn, "revoked", now).await;
    assert!(is_revoked.expect("asked"));
    let shown = [
        "Bearer dlo_unknown".to_owned(),
        "Bearer".to_owned(),
        format!("Basic {}", counter.token(Role::Admin)),
        format!("Bearer {}", revoked.reveal()),
    ];
    for authorization in shown {
        let request = counter.request(Method::GET, "/api/v1/letters");
        let response = request.header("authorization", &authorization).send().await;
        let response = response.expect("an answer");
        let challenge = response.headers()["www-authenticate"].as_bytes().to_vec();
        assert!(challenge.starts_with(b"Bearer "), "{authorization}");
        assert_eq!(problem(response).await.0, 401, "{authorization}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_workers_token_speaks_for_its_workers_alone(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let token = workers_token(&pool, "crew", "crew-*, 7").await;
    let post = async |path: &str, body: Value| {
        let request = counter.request(Method::POST, path);
        let request = request.bearer_auth(token.reveal()).json(&body);
        request.send().await.expect("an answer")
    };
    let running = |worker: &str| json!({"state": "running", "worker": worker});
    for (path, body) in [
        ("/api/v1/workers/payments-1/heartbeat", json!({})),
        ("/api/v1/executions/42", running("payments-1")),
        (
            "/api/v1/executions",
            json!({"reports": [
                {"id": "42", "state": "running", "worker": "7"},
                {"id": "43", "state": "running", "worker": "payments-1"},
            ]}),
        ),
    ] {
        let (status, detail) = problem(post(path, body).await).await;
        assert_eq!(status, 403, "{path}: {detail}");
        assert!(detail.contains("`crew` speaks for the workers crew-*, 7"), "{detail}");
    }
    let taken = "select (select count(*) from workers) + (select count(*) from executions)";
    let taken: i64 = sqlx::query_scalar(taken).fetch_one(&pool).await.expect("counted");
    assert_eq!(taken, 0, "nothing was taken");
    for (path, body) in [
        ("/api/v1/workers/crew-1/heartbeat", json!({})),
        ("/api/v1/executions/42", running("7")),
        ("/api/v1/executions/43", json!({"state": "requested"})),
    ] {
        assert_eq!(post(path, body).await.status(), 200, "{path}");
    }
    counter.close().await;
}

#[test]
fn what_changes_something_is_no_get_and_no_viewers_business() {
    for endpoint in endpoints() {
        let reads = endpoint.method == Method::GET;
        assert_eq!(reads, endpoint.role == Role::Viewer, "{} {}", endpoint.method, endpoint.path);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn while_the_database_is_away_nobody_is_turned_away_as_unknown(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    pool.close().await;
    let response = counter.get("/api/v1/letters").await;
    assert_eq!(response.headers()["retry-after"], "5");
    let (status, detail) = problem(response).await;
    assert_eq!(status, 503);
    assert!(detail.contains("nothing was done"), "{detail}");
    counter.close().await;
}
