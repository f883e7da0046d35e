//! Workers over HTTP: their heartbeats, what is told of them, and what is refused.

use dlo_server::access::Role;
use dlo_server::clock::{Clock as _, SystemClock};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::Counter;
use crate::support::yard::worker;

async fn beat(counter: &Counter, path: &str, body: &Value) -> reqwest::Response {
    let path = format!("/api/v1/workers/{path}/heartbeat");
    let request = counter.as_role(Role::Operator, Method::POST, &path);
    request.json(body).send().await.expect("an answer")
}

async fn read(counter: &Counter, path: &str) -> Value {
    let answer = counter.get(&format!("/api/v1/workers{path}")).await;
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.expect("JSON")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_heartbeat_is_answered_with_what_the_worker_is_to_do(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let name = "caf%C3%A9%2F7";
    for (order, state, by) in [
        (None, "active", json!(null)),
        (Some("drain"), "draining", json!("operator")),
        (Some("activate"), "active", json!(null)),
    ] {
        if let Some(order) = order {
            let path = format!("/api/v1/workers/{name}/{order}");
            let request = counter.as_role(Role::Operator, Method::POST, &path);
            assert_eq!(request.send().await.expect("an answer").status(), 200);
        }
        let body = json!({"running": 3, "a member of later": [1]});
        let answer = beat(&counter, name, &body).await;
        assert_eq!(answer.status(), 200);
        let told: Value = answer.json().await.expect("JSON");
        assert_eq!(told, json!({"state": state}), "{order:?}");
        let one = read(&counter, &format!("/{name}")).await;
        assert_eq!((&one["name"], &one["running"]), (&json!("café/7"), &json!(3)));
        assert_eq!(one["drained_by"], by, "{one}");
        assert_eq!(one["way"], "http");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_heartbeat_is_refused_with_its_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (body, wanted) in [
        (json!("alive"), "body"),
        (json!([]), "body"),
        (json!({"state": "dead"}), "dead"),
        (json!({"running": -1}), "-1"),
        (json!({"metadata": "fra"}), "metadata"),
    ] {
        let answer = beat(&counter, "a", &body).await;
        assert_eq!(answer.status(), 400, "{body}");
        let text = answer.text().await.expect("a body");
        assert!(text.contains(wanted), "{text}");
    }
    let bare = || counter.as_role(Role::Operator, Method::POST, "/api/v1/workers/a/heartbeat");
    let untyped = bare().body("{}").send().await.expect("an answer");
    assert_eq!(untyped.status(), 415);
    assert_eq!(read(&counter, "").await["items"], json!([]), "nothing was taken");
    let answer = bare().send().await.expect("an answer");
    assert_eq!(answer.status(), 200, "it needs no body");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn no_parameter_holds_a_nul_and_names_are_utf_8(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in [
        "/api/v1/workers?kind=%00",
        "/api/v1/timeline?worker=a%00",
        "/api/v1/timeline?queue=%00",
        "/api/v1/executions?worker=%00",
        "/api/v1/executions/%FF",
        "/api/v1/workers/%FF",
    ] {
        let answer = counter.get(path).await;
        assert_eq!(answer.status(), 400, "{path}");
        let why = answer.text().await.expect("a body");
        assert!(why.contains("NUL") || why.contains("UTF-8"), "{path}: {why}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_list_is_asked_for_with_what_the_address_says(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let now = SystemClock.now();
    for name in ["worker-7", "worker-8"] {
        worker(&pool, name, "worker-*", Some(now), now).await;
    }
    worker(&pool, "other-1", "other-*", Some(now), now).await;
    worker(&pool, "worker-9", "worker-*", None, now).await;
    let page = read(&counter, "?state=stale&kind=worker-*&limit=1").await;
    assert_eq!(page["items"][0]["name"], "worker-7");
    assert_eq!(page["items"][0]["condition"], "stale");
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let rest = format!("?state=stale&kind=worker-*&limit=1&cursor={cursor}");
    let rest = read(&counter, &rest).await;
    assert_eq!(
        (&rest["items"][0]["name"], &rest["next_cursor"]),
        (&json!("worker-8"), &json!(null))
    );
    for query in ["state=dead", "cursor=x", "limit=0", "limit=501", "colour=red"] {
        let answer = counter.get(&format!("/api/v1/workers?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_with_an_odd_name_has_a_page(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let now = SystemClock.now();
    let silent = now - chrono::TimeDelta::minutes(90);
    worker(&pool, "celery@a b/%<7", "celery", Some(silent), now).await;
    let page = async |path: &str| {
        let answer = counter.request(Method::GET, path).send().await.expect("an answer");
        let status = answer.status().as_u16();
        (status, answer.text().await.expect("text"))
    };
    let address = "/workers/celery%40a%20b%2F%25%3C7";
    let (status, text) = page(address).await;
    assert_eq!(status, 200);
    assert!(text.contains("celery@a b/%&lt;7 has been silent for 1 h 30 min"), "{text}");
    let (_, list) = page("/workers?state=stale").await;
    assert!(list.contains(&format!("href=\"{address}\"")), "{list}");
    assert_eq!(page("/workers?state=dead").await.0, 400);
    counter.close().await;
}
