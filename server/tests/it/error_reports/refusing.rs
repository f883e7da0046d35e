//! Reports that are not taken, and why.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, problem};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_left_out_or_malformed_is_told_and_nothing_is_kept(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (report, why) in [
        (json!({"error_message": "e"}), "which message is it about"),
        (json!({"message_id": "m", "queue": "q"}), "what happened"),
        (json!({"body_sha256": "0".repeat(64), "error_message": "e"}), "needs `queue`"),
        (json!({"body_sha256": "xyz", "queue": "q", "error_message": "e"}), "64 hexadecimal"),
        (json!({"message_id": "", "error_message": "e"}), "`message_id` has 1 to 255 bytes"),
        (json!({"message_id": "a\u{0}", "error_message": "e"}), "no NUL"),
        (json!({"message_id": "m", "queue": "q".repeat(256), "error_message": "e"}), "`queue` has"),
        (json!({"message_id": "m", "error_mesage": "e"}), "error_mesage"),
        (json!({"message_id": 7, "error_message": "e"}), "string"),
        (json!([]), "does not fit"),
    ] {
        let answer = counter.post("/api/v1/error-reports", &report).await;
        let (status, detail) = problem(answer).await;
        assert!(status == 400 && detail.contains(why), "{report}: {status} {detail}");
    }
    let kept: i64 = sqlx::query_scalar("select count(*) from error_reports")
        .fetch_one(&pool)
        .await
        .expect("read");
    assert_eq!(kept, 0);
    let unknown = counter.get("/api/v1/error-reports/019a0f3e-5a4b-7c2d-8e1f-0123456789ab").await;
    assert_eq!(problem(unknown).await.0, 404);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_no_text_of_postgres_holds_is_replaced_and_what_is_long_cut(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let report = json!({
        "message_id": "m", "error_message": "a\u{0}b",
        "stack_trace": "at x\n".repeat(60_000),
        "circumstances": {"host": "h\u{0}".repeat(1_000)},
    });
    let path = "/api/v1/error-reports";
    let request = counter.as_role(Role::Worker, Method::POST, path).json(&report);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 201);
    let kept: Value = answer.json().await.expect("JSON");
    assert_eq!(kept["error_message"], "a\u{fffd}b");
    assert!(kept["stack_trace"].as_str().expect("a stack").len() <= 128 * 1024);
    assert!(kept["circumstances"]["host"].as_str().expect("a host").len() <= 512);
    counter.close().await;
}
