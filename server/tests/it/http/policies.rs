//! Retry policies over HTTP: what is asked of the desk, and what is refused before it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, ID};

const POLICIES: &str = "/api/v1/retry-policies";

async fn send(counter: &Counter, method: Method, path: &str, body: &Value) -> reqwest::Response {
    let request = counter.as_role(Role::Admin, method, path).json(body);
    request.send().await.expect("an answer")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn policies_are_listed_with_how_they_go(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let list: Value = counter.get(POLICIES).await.json().await.expect("JSON");
    let first = &list["items"][0];
    assert_eq!(first["name"], "timeouts");
    assert_eq!(first["schedule"]["delays_seconds"], json!([10, 100, 1000]));
    assert_eq!(first["figures"]["breaker_state"], "closed");
    let one = counter.get(&format!("{POLICIES}/{ID}")).await;
    let text = one.text().await.expect("text");
    assert_eq!(text.matches(r#""shadow":"#).count(), 1, "once: {text}");
    let one: Value = serde_json::from_str(&text).expect("JSON");
    assert!(one["shadow"].is_boolean() && one["shadow_results"]["retries"].is_number());
    assert_eq!((&one["name"], &one["failed"]), (&first["name"], &json!([])));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn changes_of_policies_are_made_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let policy = json!({"name": "late", "filter": "queue:orders.*"});
    let one = format!("{POLICIES}/{ID}");
    let cases = [
        (
            Method::POST,
            POLICIES.to_owned(),
            policy.clone(),
            201,
            "admin adds the policy late",
        ),
        (
            Method::PUT,
            one.clone(),
            policy.clone(),
            200,
            "admin changes the policy",
        ),
        (
            Method::PUT,
            POLICIES.to_owned(),
            json!({"order": [ID]}),
            200,
            "orders 1 policies",
        ),
        (
            Method::POST,
            format!("{one}/apply"),
            json!(null),
            200,
            "applies the policy",
        ),
        (
            Method::DELETE,
            one.clone(),
            json!(null),
            204,
            "removes the policy",
        ),
        (
            Method::POST,
            format!("{POLICIES}/preview"),
            json!({"policy": policy, "instead_of": ID}),
            200,
            "preview of late instead of",
        ),
        (
            Method::POST,
            "/api/v1/holds".to_owned(),
            json!({"selection": {"ids": [ID]}}),
            200,
            "admin holds",
        ),
    ];
    for (method, path, body, status, wanted) in cases {
        let response = send(&counter, method.clone(), &path, &body).await;
        assert_eq!(response.status(), status, "{method} {path}");
        let place = response.headers().get("location");
        let place = place.map(|place| place.to_str().expect("text").to_owned());
        assert_eq!(
            place,
            (status == 201).then(|| one.clone()),
            "{method} {path}"
        );
        let asked = counter.desk.asked().join("; ");
        assert!(asked.contains(wanted), "{method} {path}: {asked}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_policy_is_refused_with_its_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (body, wanted) in [
        (json!({"name": "a", "filter": "colour:red"}), "colour"),
        (json!({"name": "a"}), "filter"),
        (json!({"name": "a", "filter": "", "delay": 3}), "delay"),
        (
            json!({"name": "a", "filter": "", "verdict": "explode"}),
            "explode",
        ),
        (
            json!({"name": "a", "filter": "", "window": {"from": "9", "until": "10:00"}}),
            "no time of the day",
        ),
    ] {
        let response = send(&counter, Method::POST, POLICIES, &body).await;
        assert_eq!(response.status(), 400, "{body}");
        let text = response.text().await.expect("a body");
        assert!(text.contains(wanted), "{text}");
    }
    let viewer = counter.as_role(Role::Operator, Method::POST, POLICIES);
    let refused = viewer
        .json(&json!({"name": "a", "filter": ""}))
        .send()
        .await;
    assert_eq!(refused.expect("an answer").status(), 403);
    counter.close().await;
}
