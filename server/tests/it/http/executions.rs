//! Executions over HTTP: what is asked of the desk, and what is refused before it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::Counter;

const EXECUTIONS: &str = "/api/v1/executions";

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn reports_come_one_by_one_and_together(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let one = counter
        .post(
            &format!("{EXECUTIONS}/42"),
            &json!({"state": "running", "worker": "a"}),
        )
        .await;
    assert_eq!(one.status(), 200);
    assert_eq!(counter.desk.asked(), ["42 is running"]);
    // A name with a slash is one part of the path.
    counter
        .post(
            &format!("{EXECUTIONS}/jobs%2F7"),
            &json!({"state": "requested"}),
        )
        .await;
    assert_eq!(counter.desk.asked(), ["jobs/7 is requested"]);
    let over = counter
        .post(&format!("{EXECUTIONS}/over"), &json!({"state": "running"}))
        .await;
    assert_eq!(over.status(), 409);
    let problem: Value = over.json().await.expect("JSON");
    assert_eq!(problem["detail"], "it is over");
    let many = json!({"reports": [
        {"id": "1", "state": "scheduled"}, {"id": "over", "state": "completed"},
    ]});
    let many = counter.post(EXECUTIONS, &many).await;
    assert_eq!(many.status(), 200);
    let many: Value = many.json().await.expect("JSON");
    assert_eq!(many["items"][0].get("refused"), None);
    assert_eq!(many["items"][1]["refused"], "it is over");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn executions_are_ended_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (verb, wanted) in [
        ("fail", "admin makes 7 failed: late"),
        ("cancel", "admin makes 7 cancelled: late"),
    ] {
        let path = format!("{EXECUTIONS}/7/{verb}");
        let ended = counter.post(&path, &json!({"reason": "late"})).await;
        assert_eq!(ended.status(), 200);
        let asked = counter.desk.asked();
        assert!(asked.contains(&wanted.to_owned()), "{asked:?}");
        let viewer = counter.as_role(Role::Viewer, Method::POST, &path);
        let refused = viewer.json(&json!({"reason": "late"})).send().await;
        assert_eq!(refused.expect("an answer").status(), 403);
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
        (
            &EXECUTIONS.to_owned(),
            json!({"reports": 7}),
            "invalid type",
        ),
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
    let list = counter
        .get(&format!("{EXECUTIONS}?state=failed&worker=a&limit=7"))
        .await;
    assert_eq!(list.status(), 200);
    let asked = counter.desk.asked();
    assert_eq!(asked, [r#"executions Some(Failed) Some("a") false 7"#]);
    assert_eq!(counter.get("/api/v1/execution-figures").await.status(), 200);
    counter.close().await;
}
