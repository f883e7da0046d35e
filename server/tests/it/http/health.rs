//! Health, as supervisors ask for it: without a token.

use dlo_server::http::Beginning;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::Counter;

async fn readiness(counter: &Counter) -> (u16, Value) {
    let response = counter.request(Method::GET, "/readyz").send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_is_ready_when_its_database_is_and_says_what_it_waits_for(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    counter.beginning.send_replace(Beginning::Waiting("the migrations run".to_owned()));
    let (status, said) = readiness(&counter).await;
    assert_eq!((status, &said["reasons"]), (503, &json!(["the migrations run"])));

    counter.beginning.send_replace(Beginning::Done);
    let (status, said) = readiness(&counter).await;
    assert_eq!((status, &said["ready"]), (200, &json!(true)));
    assert_eq!(said["sources"], json!([]));
    sqlx::query("update sources set condition = 'queue_missing', condition_detail = 'it is gone'")
        .execute(&pool)
        .await
        .expect("set");
    let (_, said) = readiness(&counter).await;
    let trouble = json!({"source": "dead", "condition": "queue_missing", "detail": "it is gone"});
    assert_eq!(said["sources"], json!([trouble]));

    pool.close().await;
    let (status, said) = readiness(&counter).await;
    assert_eq!((status, &said["reasons"]), (503, &json!(["the database does not answer"])));
    let alive = counter.request(Method::GET, "/healthz").send().await.expect("an answer");
    assert_eq!(alive.status(), 200, "the process is up all the same");
    counter.close().await;
}
