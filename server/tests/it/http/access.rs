//! Who may ask what. The endpoints come from the router's own list, so that a new one is held to
//! this by itself.

use dlo_server::access::Role;
use dlo_server::http::api::endpoints;
use dlo_server::store::tokens;
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem, token};
use crate::support::token::workers_token;

fn path_of(template: &str) -> String {
    template
        .replace("{id}", ID)
        .replace("{ordinal}", "1")
        .replace("{kind}", "severity")
        .replace("{vhost}", "%2F")
        .replace("{name}", "work")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_a_good_token_every_endpoint_answers_401(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let revoked = token(&pool, "revoked", Role::Admin).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = chrono::DateTime::UNIX_EPOCH;
    assert!(
        tokens::revoke(&mut conn, "revoked", now)
            .await
            .expect("asked")
    );
    let basic = format!("Basic {}", counter.token(Role::Admin));
    let revoked = format!("Bearer {}", revoked.reveal());
    let shown = [
        None,
        Some("Bearer dlo_unknown"),
        Some("Bearer"),
        Some(&*basic),
        Some(&*revoked),
    ];
    for endpoint in endpoints() {
        for authorization in shown {
            let mut request = counter.request(endpoint.method.clone(), &path_of(endpoint.path));
            if let Some(value) = authorization {
                request = request.header("authorization", value);
            }
            let response = request.send().await.expect("an answer");
            let challenge = response.headers().get("www-authenticate").cloned();
            assert!(challenge.is_some_and(|value| value.as_bytes().starts_with(b"Bearer ")));
            let (status, _) = problem(response).await;
            assert_eq!(
                status, 401,
                "{} {} {authorization:?}",
                endpoint.method, endpoint.path
            );
        }
    }
    assert_eq!(
        counter.desk.asked(),
        [""; 0],
        "nobody came through to the desk"
    );
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn each_role_may_do_what_its_endpoints_say_and_no_more(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for endpoint in endpoints() {
        for role in Role::ALL {
            let path = path_of(endpoint.path);
            let request = counter.as_role(role, endpoint.method.clone(), &path);
            let status = request.send().await.expect("an answer").status().as_u16();
            let what = format!("{} {} as {role}: {status}", endpoint.method, endpoint.path);
            assert_eq!(status == 403, !role.may(endpoint.role), "{what}");
            assert_ne!(status, 401, "{what}");
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_workers_token_reports_and_does_nothing_else(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let mut allowed = Vec::new();
    for endpoint in endpoints() {
        let path = path_of(endpoint.path);
        let request = counter.as_role(Role::Worker, endpoint.method.clone(), &path);
        let response = request.send().await.expect("an answer");
        if response.status() == 403 {
            let (_, detail) = problem(response).await;
            assert!(detail.contains("has the role worker"), "{detail}");
        } else {
            allowed.push(format!("{} {}", endpoint.method, endpoint.path));
        }
    }
    allowed.sort();
    assert_eq!(
        allowed,
        [
            "POST /api/v1/executions",
            "POST /api/v1/executions/{id}",
            "POST /api/v1/letters/{id}/processed",
            "POST /api/v1/workers/{name}/heartbeat",
        ]
    );
    let beat = counter.as_role(
        Role::Worker,
        reqwest::Method::POST,
        "/api/v1/workers/w/heartbeat",
    );
    let beat = beat
        .json(&serde_json::json!({}))
        .send()
        .await
        .expect("an answer");
    assert_eq!(beat.status(), 200);
    for role in [Role::Viewer, Role::Worker] {
        let path = "/api/v1/workers/w/drain";
        let drain = counter.as_role(role, reqwest::Method::POST, path);
        assert_eq!(drain.send().await.expect("an answer").status(), 403);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_workers_token_speaks_for_its_workers_alone(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let token = workers_token(&pool, "crew", "crew-*, 7").await;
    let post = async |path: &str, body: serde_json::Value| {
        let request = counter.request(reqwest::Method::POST, path);
        let request = request.bearer_auth(token.reveal()).json(&body);
        request.send().await.expect("an answer")
    };
    let running = |worker: &str| serde_json::json!({"state": "running", "worker": worker});
    for (path, body) in [
        (
            "/api/v1/workers/payments-1/heartbeat",
            serde_json::json!({}),
        ),
        ("/api/v1/executions/42", running("payments-1")),
        (
            "/api/v1/executions",
            serde_json::json!({"reports": [
                {"id": "42", "state": "running", "worker": "7"},
                {"id": "43", "state": "running", "worker": "payments-1"},
            ]}),
        ),
    ] {
        let (status, detail) = problem(post(path, body).await).await;
        assert_eq!(status, 403, "{path}: {detail}");
        assert!(
            detail.contains("`crew` speaks for the workers crew-*, 7"),
            "{detail}"
        );
    }
    assert_eq!(
        counter.desk.asked(),
        Vec::<String>::new(),
        "nothing was taken"
    );
    for (path, body) in [
        ("/api/v1/workers/crew-1/heartbeat", serde_json::json!({})),
        ("/api/v1/executions/42", running("7")),
        (
            "/api/v1/executions/42",
            serde_json::json!({"state": "requested"}),
        ),
    ] {
        assert_eq!(post(path, body).await.status(), 200, "{path}");
    }
    counter.close().await;
}

#[test]
fn what_changes_something_is_no_get_and_no_viewers_business() {
    for endpoint in endpoints() {
        let reads = endpoint.method == reqwest::Method::GET;
        assert_eq!(
            reads,
            endpoint.role == Role::Viewer,
            "{} {}",
            endpoint.method,
            endpoint.path
        );
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
