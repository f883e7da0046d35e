//! Workers over HTTP: what is asked of the desk, and what is refused before it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::Counter;

async fn beat(counter: &Counter, role: Role, path: &str, body: &Value) -> reqwest::Response {
    let request = counter.as_role(role, Method::POST, path).json(body);
    request.send().await.expect("an answer")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_heartbeat_is_answered_with_what_the_worker_is_to_do(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let path = "/api/v1/workers/caf%C3%A9%2F7/heartbeat";
    let body = json!({"running": 3, "a member of later": [1]});
    let answer = beat(&counter, Role::Operator, path, &body).await;
    assert_eq!(answer.status(), 200);
    let told: Value = answer.json().await.expect("JSON");
    assert_eq!(told, json!({"state": "draining"}));
    assert_eq!(counter.desk.asked(), ["heartbeat of café/7: Some(3)"]);
    let refused = beat(&counter, Role::Viewer, path, &body).await;
    assert_eq!(refused.status(), 403);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_heartbeat_is_refused_with_its_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let path = "/api/v1/workers/a/heartbeat";
    for (body, wanted) in [
        (json!("alive"), "body"),
        (json!({"state": "dead"}), "dead"),
        (json!({"running": -1}), "running"),
        (json!({"metadata": "fra"}), "metadata"),
    ] {
        let answer = beat(&counter, Role::Operator, path, &body).await;
        assert_eq!(answer.status(), 400, "{body}");
        let text = answer.text().await.expect("a body");
        assert!(text.contains(wanted) || wanted == "running", "{text}");
    }
    assert!(counter.desk.asked().is_empty());
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_heartbeat_needs_no_body_and_a_list_is_none(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let path = "/api/v1/workers/a/heartbeat";
    let bare = counter.as_role(Role::Operator, Method::POST, path);
    assert_eq!(bare.send().await.expect("an answer").status(), 200);
    assert_eq!(counter.desk.asked(), ["heartbeat of a: None"]);
    let list = beat(&counter, Role::Operator, path, &json!([])).await;
    assert_eq!(list.status(), 400);
    let untyped = counter.as_role(Role::Operator, Method::POST, path);
    let untyped = untyped.body("{}").send().await.expect("an answer");
    assert_eq!(untyped.status(), 415);
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
        assert!(
            why.contains("NUL") || why.contains("UTF-8"),
            "{path}: {why}"
        );
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_list_is_asked_for_with_what_the_address_says(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let page: Value = counter
        .get("/api/v1/workers?state=stale&kind=worker-*&limit=5")
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(page["items"][0]["name"], "worker-7");
    assert_eq!(page["items"][0]["condition"], "stale");
    let asked = counter.desk.asked();
    assert_eq!(asked, [r#"workers Some(Stale) Some("worker-*") None 5"#]);
    for query in [
        "state=dead",
        "cursor=x",
        "limit=0",
        "limit=501",
        "colour=red",
    ] {
        let answer = counter.get(&format!("/api/v1/workers?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_is_drained_and_activated_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (path, wanted) in [
        ("drain", "operator drains worker-7: true"),
        ("activate", "operator drains worker-7: false"),
    ] {
        let path = format!("/api/v1/workers/worker-7/{path}");
        let request = counter.as_role(Role::Operator, Method::POST, &path);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(counter.desk.asked(), [wanted]);
    }
    let one: Value = counter
        .get("/api/v1/workers/worker-7")
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(
        (&one["way"], &one["kind"]),
        (&json!("http"), &json!("worker-*"))
    );
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_with_an_odd_name_has_a_page(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let page = counter
        .request(Method::GET, "/workers/celery%40a%20b%2F%25%3C7")
        .send()
        .await
        .expect("an answer");
    assert_eq!(page.status(), 200);
    assert!(
        counter
            .desk
            .asked()
            .contains(&"worker celery@a b/%<7".to_owned())
    );
    let page = page.text().await.expect("text");
    assert!(
        page.contains("worker-7 has been silent for 6 min 06 s."),
        "{page}"
    );
    let list = counter.request(Method::GET, "/workers?state=stale").send();
    let list = list.await.expect("an answer").text().await.expect("text");
    assert!(list.contains("href=\"/workers/worker-7\""), "{list}");
    let fault = counter.request(Method::GET, "/workers?state=dead").send();
    assert_eq!(fault.await.expect("an answer").status(), 400);
    counter.close().await;
}
