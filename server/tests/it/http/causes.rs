//! What may be why letters die: for programs, and on the first page.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, ID};

#[sqlx::test(migrations = "../migrations")]
async fn programs_are_told_of_causes(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let odd = counter.get("/api/v1/causes?span=1h").await;
    assert_eq!(odd.status(), 400);
    assert!(counter.desk.asked().is_empty());
    let answer = counter.get("/api/v1/causes").await;
    assert_eq!(answer.status(), 200);
    let told: Value = answer.json().await.expect("JSON");
    assert_eq!(told["stale_workers"], 2);
    assert_eq!(told["findings"][0], json!(["critical", 1]));
    assert_eq!(counter.desk.asked(), ["causes"]);
    counter.close().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn the_first_page_leads_to_their_lists(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let page = counter.get("/").await.text().await.expect("a page");
    assert!(page.contains("stale workers"), "{page}");
    assert!(page.contains(r#"href="/workers?state=stale""#), "{page}");
    assert!(page.contains(r#"href="/executions?tab=stuck""#), "{page}");
    assert!(page.contains("10,000+"), "{page}");
    assert!(page.contains("1 critical"), "{page}");
    assert!(counter.desk.asked().contains(&"causes".to_owned()));
    counter.close().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn programs_are_told_who_stands_behind_a_group(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let answer = counter.get("/api/v1/groups/7/causes").await;
    assert_eq!(answer.status(), 400, "no id");
    let answer = counter.get(&format!("/api/v1/groups/{ID}/causes")).await;
    assert_eq!(answer.status(), 200);
    let told: Value = answer.json().await.expect("JSON");
    let wanted = json!({"letters": 3, "workers": [["worker 7", 2]], "executions": [["job/42", 1]]});
    assert_eq!(told, wanted);
    assert_eq!(counter.desk.asked(), [format!("behind {ID}")]);
    counter.close().await;
}
