//! Rules over HTTP: what is asked of the desk, and what is refused before it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem};

fn rule(filter: &str) -> Value {
    json!({"name": "late", "filter": filter, "verdict": {"severity": "high"}})
}

async fn send(counter: &Counter, method: Method, path: &str, body: &Value) -> reqwest::Response {
    let path = format!("/api/v1/rules/{path}");
    let request = counter.as_role(Role::Admin, method, &path).json(body);
    request.send().await.expect("an answer")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_of_a_kind_are_listed_and_each_has_its_address(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let list = counter.get("/api/v1/rules/severity").await;
    assert_eq!(list.status(), 200);
    let list: Value = list.json().await.expect("JSON");
    assert_eq!(list["revision"], 7);
    assert_eq!(list["items"][0]["name"], "the queue was full");
    assert_eq!(list["items"][0]["verdict"], json!({"severity": "critical"}));
    assert!(list.get("judging_again").is_none(), "{list}");
    let one = counter.get(&format!("/api/v1/rules/severity/{ID}")).await;
    let one: Value = one.json().await.expect("JSON");
    assert_eq!(one, list["items"][0]);
    let grouping: Value = counter
        .get("/api/v1/rules/grouping")
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(grouping["items"], json!([]));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn changes_are_made_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let late = rule("queue:orders.*");
    let one = format!("severity/{ID}");
    let cases = [
        (
            Method::POST,
            "severity",
            late.clone(),
            201,
            "adds the rule late",
        ),
        (Method::PUT, &one, late.clone(), 200, "the rule late"),
        (
            Method::PUT,
            "severity",
            json!({"order": [ID]}),
            200,
            "orders 1 rules of severity",
        ),
        (Method::DELETE, &one, json!(null), 204, "removes the rule"),
        (
            Method::POST,
            "preview",
            late,
            200,
            "preview of late [queue:orders.*]",
        ),
    ];
    for (method, path, body, status, wanted) in cases {
        let response = send(&counter, method.clone(), path, &body).await;
        assert_eq!(response.status(), status, "{method} {path}");
        let place = response.headers().get("location");
        let place = place.map(|place| place.to_str().expect("text").to_owned());
        let wanted_place = (status == 201).then(|| format!("/api/v1/rules/severity/{ID}"));
        assert_eq!(place, wanted_place, "{method} {path}");
        let asked = counter.desk.asked().join("; ");
        assert!(asked.contains(wanted), "{method} {path}: {asked}");
        let is_named = path == "preview" || asked.contains("admin ");
        assert!(is_named, "{asked}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn unknown_kinds_and_rules_are_not_found(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let other = "019a0f3e-5a4b-7c2d-8e1f-ba9876543210";
    let strange = (Method::GET, "masking".to_owned(), "`masking`: there are");
    let gone = format!("there is no severity rule {other}");
    let cases = [
        strange.clone(),
        (Method::POST, strange.1.clone(), strange.2),
        (Method::PUT, strange.1.clone(), strange.2),
        (Method::GET, format!("masking/{ID}"), strange.2),
        (Method::GET, format!("severity/{other}"), &gone),
        (Method::PUT, format!("severity/{other}"), &gone),
        (Method::DELETE, format!("severity/{other}"), &gone),
        (Method::DELETE, format!("grouping/{ID}"), "no grouping rule"),
    ];
    for (method, path, wanted) in cases {
        let body = match (method.as_str(), path.contains('/')) {
            ("PUT", false) => json!({"order": []}),
            _ => rule(""),
        };
        let (status, detail) = problem(send(&counter, method.clone(), &path, &body).await).await;
        assert_eq!(status, 404, "{method} {path}: {detail}");
        assert!(detail.contains(wanted), "{method} {path}: {detail}");
    }
    let changed = counter
        .desk
        .asked()
        .into_iter()
        .any(|asked| asked != "rules");
    assert!(!changed, "nothing was changed");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_that_cannot_be_read_are_refused_with_the_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let broken = rule("queue:a colour:red");
    for (method, path) in [
        (Method::POST, "severity".to_owned()),
        (Method::POST, "preview".to_owned()),
        (Method::PUT, format!("severity/{ID}")),
    ] {
        let response = send(&counter, method.clone(), &path, &broken).await;
        assert_eq!(response.status(), 400, "{method} {path}");
        let body: Value = response.json().await.expect("JSON");
        assert_eq!(
            (&body["position"], &body["length"]),
            (&8.into(), &6.into()),
            "{body}"
        );
    }
    let cases = [
        ("grouping", rule(""), "send it to /api/v1/rules/severity"),
        (
            "severity",
            json!({"name": "a", "filter": "", "verdict": {"grouping": {"key": "k"}}}),
            "send it to /api/v1/rules/grouping",
        ),
        (
            "severity",
            json!({"name": "a", "filter": "", "verdict": {"severity": "worst"}}),
            "unknown variant `worst`",
        ),
        (
            "severity",
            json!({"name": "a", "filter": "", "verdict": {"severity": "low"}, "state": "x"}),
            "unknown field `state`",
        ),
    ];
    for (path, body, wanted) in cases {
        let (status, detail) = problem(send(&counter, Method::POST, path, &body).await).await;
        assert_eq!(status, 400, "{body}: {detail}");
        assert!(detail.contains(wanted), "{body}: {detail}");
    }
    let changed = counter
        .desk
        .asked()
        .into_iter()
        .any(|asked| asked != "rules");
    assert!(!changed, "nothing wrong reaches the desk");
    counter.close().await;
}
