//! Rules over HTTP: what is done, and what is refused.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::{Counter, ID, problem};

/// The first of the rules that come with the product.
const FULL_QUEUE: &str = "01900000-0000-7000-8000-000000000001";

fn rule(filter: &str) -> Value {
    json!({"name": "late", "filter": filter, "verdict": {"severity": "high"}})
}

async fn send(counter: &Counter, method: Method, path: &str, body: &Value) -> reqwest::Response {
    let path = format!("/api/v1/rules/{path}");
    let request = counter.as_role(Role::Admin, method, &path).json(body);
    request.send().await.expect("an answer")
}

async fn told(counter: &Counter, method: Method, path: &str, body: &Value) -> Value {
    let response = send(counter, method, path, body).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.expect("JSON")
}

/// How often a rule was changed, and who did.
async fn changes(pool: &PgPool) -> (i64, Vec<String>) {
    let changes = "select revision from rule_book";
    let revision: i64 = sqlx::query_scalar(changes).fetch_one(pool).await.expect("read");
    let by = "select distinct actor from audit";
    (revision - 1, sqlx::query_scalar(by).fetch_all(pool).await.expect("read"))
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_of_a_kind_are_listed_and_each_has_its_address(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let list = told(&counter, Method::GET, "severity", &json!(null)).await;
    assert_eq!((&list["revision"], list["items"].as_array().map(Vec::len)), (&json!(1), Some(5)));
    let first = &list["items"][0];
    assert_eq!(first["filter"], "reason:maxlen");
    assert_eq!(first["verdict"], json!({"severity": "critical"}));
    assert!(list.get("judging_again").is_none(), "{list}");
    let path = format!("severity/{FULL_QUEUE}");
    let one = told(&counter, Method::GET, &path, &json!(null)).await;
    assert_eq!(&one, first);
    let grouping = told(&counter, Method::GET, "grouping", &json!(null)).await;
    assert_eq!(grouping["items"], json!([]));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn changes_are_made_in_the_name_of_the_token(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    bench.letter("orders.work", b"{}").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let late = rule("queue:orders.*");
    let preview = told(&counter, Method::POST, "preview", &late).await;
    assert_eq!(preview["matched"], 1, "{preview}");
    let added = send(&counter, Method::POST, "severity", &late).await;
    assert_eq!(added.status(), 201);
    let place = added.headers()["location"].to_str().expect("text").to_owned();
    let added: Value = added.json().await.expect("JSON");
    let path = format!("severity/{}", added["id"].as_str().expect("an id"));
    assert_eq!(place, format!("/api/v1/rules/{path}"));
    assert_eq!((&added["changed_by"], &added["position"]), (&json!("admin"), &json!(6)));
    let changed = told(&counter, Method::PUT, &path, &rule("queue:a")).await;
    assert_eq!(changed["filter"], "queue:a");
    let list = told(&counter, Method::GET, "severity", &json!(null)).await;
    let ids = list["items"].as_array().expect("items").iter().rev();
    let backwards: Vec<Value> = ids.map(|rule| rule["id"].clone()).collect();
    let order = json!({"order": backwards});
    let ordered = told(&counter, Method::PUT, "severity", &order).await;
    assert_eq!(ordered["items"][0]["id"], added["id"]);
    let removed = send(&counter, Method::DELETE, &path, &json!(null)).await;
    assert_eq!(removed.status(), 204);
    assert_eq!(changes(&pool).await, (4, vec!["admin".to_owned()]));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn unknown_kinds_and_rules_are_not_found(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let strange = (Method::GET, "masking".to_owned(), "`masking`: there are");
    let gone = format!("there is no severity rule {ID}");
    let cases = [
        strange.clone(),
        (Method::POST, strange.1.clone(), strange.2),
        (Method::PUT, strange.1.clone(), strange.2),
        (Method::GET, format!("masking/{FULL_QUEUE}"), strange.2),
        (Method::GET, format!("severity/{ID}"), &gone),
        (Method::PUT, format!("severity/{ID}"), &gone),
        (Method::DELETE, format!("severity/{ID}"), &gone),
        (Method::DELETE, format!("grouping/{FULL_QUEUE}"), "no grouping rule"),
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
    assert_eq!(changes(&pool).await, (0, Vec::new()));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_that_cannot_be_read_are_refused_with_the_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let broken = rule("queue:a colour:red");
    for (method, path) in [
        (Method::POST, "severity".to_owned()),
        (Method::POST, "preview".to_owned()),
        (Method::PUT, format!("severity/{FULL_QUEUE}")),
    ] {
        let response = send(&counter, method.clone(), &path, &broken).await;
        assert_eq!(response.status(), 400, "{method} {path}");
        let body: Value = response.json().await.expect("JSON");
        assert_eq!((&body["position"], &body["length"]), (&8.into(), &6.into()), "{body}");
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
    assert_eq!(changes(&pool).await, (0, Vec::new()));
    counter.close().await;
}
