//! Executions over HTTP: what is reported and ended, and what is refused.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::Counter;

const EXECUTIONS: &str = "/api/v1/executions";

async fn read(counter: &Counter, path: &str) -> Value {
    let answer = counter.get(&format!("{EXECUTIONS}{path}")).await;
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.expect("JSON")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn reports_come_one_by_one_and_together(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let report = async |id: &str, body: Value| {
        let answer = counter.post(&format!("{EXECUTIONS}/{id}"), &body).await;
        answer.status().as_u16()
    };
    let running = json!({"state": "running", "worker": "a"});
    assert_eq!(report("42", running).await, 200);
    // A name with a slash is one part of the path.
    assert_eq!(report("jobs%2F7", json!({"state": "requested"})).await, 200);
    assert_eq!(read(&counter, "/jobs%2F7").await["id"], "jobs/7");
    assert_eq!(report("over", json!({"state": "completed"})).await, 200);
    assert_eq!(report("over", json!({"state": "running"})).await, 409);
    let many = json!({"reports": [
        {"id": "1", "state": "scheduled"}, {"id": "over", "state": "failed"},
    ]});
    let many = counter.post(EXECUTIONS, &many).await;
    assert_eq!(many.status(), 200);
    let many: Value = many.json().await.expect("JSON");
    assert_eq!(many["items"][0].get("refused"), None);
    assert!(many["items"][1]["refused"].is_string(), "{many}");
    for (query, count) in [("", 4), ("?state=running&worker=a&limit=7", 1), ("?worker=b", 0)] {
        let list = read(&counter, query).await;
        assert_eq!(list["items"].as_array().map(Vec::len), Some(count), "{query}");
    }
    assert_eq!(counter.get("/api/v1/execution-figures").await.status(), 200);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn executions_are_ended_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (verb, state) in [("fail", "failed"), ("cancel", "cancelled")] {
        let path = format!("{EXECUTIONS}/{verb}");
        counter.post(&path, &json!({"state": "running"})).await;
        let path = format!("{path}/{verb}");
        let ended = counter.as_role(Role::Operator, Method::POST, &path);
        let ended = ended.json(&json!({"reason": "late"})).send().await;
        assert_eq!(ended.expect("an answer").status(), 200);
        let one = read(&counter, &format!("/{verb}")).await;
        assert_eq!((&one["state"], &one["failed_by"]), (&json!(state), &json!("operator")));
        assert!(one["error"].as_str().is_some_and(|why| why.contains("late")), "{one}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_read_is_refused(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let path = format!("{EXECUTIONS}/7");
    for (path, body, wanted) in [
        (&path, json!({"state": "sleeping"}), "sleeping"),
        (&path, json!({}), "state"),
        (&path, json!({"state": "running", "wroker": "a"}), "wroker"),
        (&path, json!({"id": "8", "state": "running"}), "names `7`"),
        (&EXECUTIONS.to_owned(), json!({"reports": 7}), "invalid type"),
        (&format!("{path}/fail"), json!({}), "reason"),
    ] {
        let refused = counter.post(path, &body).await;
        assert_eq!(refused.status(), 400, "{body}");
        let text = refused.text().await.expect("a body");
        assert!(text.contains(wanted), "{body}: {text}");
    }
    for query in [
        "state=sleeping",
        "stuck=perhaps",
        "stuck=true&state=failed",
        "worker=%00",
        "q=x",
        "limit=0",
    ] {
        let refused = counter.get(&format!("{EXECUTIONS}?{query}")).await;
        assert_eq!(refused.status(), 400, "{query}");
    }
    assert_eq!(read(&counter, "").await["items"], json!([]), "nothing was taken");
    counter.close().await;
}
