//! Retry policies over HTTP: what is done, and what is refused.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::Counter;

const POLICIES: &str = "/api/v1/retry-policies";

async fn send(counter: &Counter, method: Method, path: &str, body: &Value) -> reqwest::Response {
    let request = counter.as_role(Role::Admin, method, path).json(body);
    request.send().await.expect("an answer")
}

async fn told(counter: &Counter, method: Method, path: &str, body: &Value) -> Value {
    let response = send(counter, method, path, body).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.expect("JSON")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn policies_are_changed_in_the_name_of_the_token(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    bench.letter("orders.work", b"{}").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let mut late = json!({"name": "late", "filter": "queue:orders.*",
        "schedule": {"delays_seconds": [10, 100, 1000]}});
    let added = send(&counter, Method::POST, POLICIES, &late).await;
    assert_eq!(added.status(), 201);
    let late_at = added.headers()["location"].to_str().expect("text").to_owned();
    let added: Value = added.json().await.expect("JSON");
    assert_eq!((&added["changed_by"], &added["position"]), (&json!("admin"), &json!(1)));
    let never = json!({"name": "never", "filter": "queue:b", "shadow": true});
    let never = send(&counter, Method::POST, POLICIES, &never).await;
    let never: Value = never.json().await.expect("JSON");

    let list = told(&counter, Method::GET, POLICIES, &json!(null)).await;
    let first = &list["items"][0];
    assert_eq!(first["schedule"]["delays_seconds"], json!([10, 100, 1000]));
    assert_eq!(first["figures"]["breaker_state"], "closed");
    let one = send(&counter, Method::GET, &late_at, &json!(null)).await;
    let text = one.text().await.expect("text");
    assert_eq!(text.matches(r#""shadow":"#).count(), 1, "once: {text}");
    let one: Value = serde_json::from_str(&text).expect("JSON");
    assert!(one["shadow"].is_boolean() && one["shadow_results"]["retries"].is_number());
    assert_eq!((&one["name"], &one["failed"]), (&json!("late"), &json!([])));

    late["name"] = json!("later");
    told(&counter, Method::PUT, &late_at, &late).await;
    let order = json!({"order": [never["id"], added["id"]]});
    told(&counter, Method::PUT, POLICIES, &order).await;
    let list = told(&counter, Method::GET, POLICIES, &json!(null)).await;
    let names = [&list["items"][0]["name"], &list["items"][1]["name"]];
    assert_eq!(names, ["never", "later"]);
    let asked = json!({"policy": late, "instead_of": added["id"]});
    let preview = told(&counter, Method::POST, &format!("{POLICIES}/preview"), &asked).await;
    assert_eq!(preview["matched"], 1, "{preview}");
    told(&counter, Method::POST, &format!("{late_at}/apply"), &json!(null)).await;
    let removed = send(&counter, Method::DELETE, &late_at, &json!(null)).await;
    assert_eq!(removed.status(), 204);
    let by: Vec<String> = sqlx::query_scalar("select distinct actor from audit")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert_eq!(by, ["admin"]);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_policy_is_refused_with_its_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (body, wanted) in [
        (json!({"name": "a", "filter": "colour:red"}), "colour"),
        (json!({"name": "a"}), "filter"),
        (json!({"name": "a", "filter": "", "delay": 3}), "delay"),
        (json!({"name": "a", "filter": "", "verdict": "explode"}), "explode"),
        (
            json!({"name": "a", "filter": "", "window": {"from": "9", "until": "10:00"}}),
            "not a time of the day",
        ),
    ] {
        let response = send(&counter, Method::POST, POLICIES, &body).await;
        assert_eq!(response.status(), 400, "{body}");
        let text = response.text().await.expect("a body");
        assert!(text.contains(wanted), "{text}");
    }
    counter.close().await;
}
