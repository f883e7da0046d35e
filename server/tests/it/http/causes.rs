//! What may be why letters die: for programs, and on the first page.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, ID};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn programs_are_told_of_one_thing_on_one_axis(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for odd in ["reach=5h", "span=1h", "worker=a&queue=b", "group=7"] {
        let answer = counter.get(&format!("/api/v1/timeline?{odd}")).await;
        assert_eq!(answer.status(), 400, "{odd}");
    }
    assert!(counter.desk.asked().is_empty());
    let path = "/api/v1/timeline?worker=worker%207%2F%25&reach=24h";
    let told: Value = counter.get(path).await.json().await.expect("JSON");
    assert_eq!(told["deaths"][71], 412);
    assert_eq!(told["workers"][0]["bands"][0]["away"], "silent");
    for query in ["", "queue=orders.work", &format!("group={ID}")] {
        let answer = counter.get(&format!("/api/v1/timeline?{query}")).await;
        assert_eq!(answer.status(), 200, "{query}");
    }
    let asked = counter.desk.asked();
    assert_eq!(
        asked[..3],
        [
            r#"timeline Worker("worker 7/%") 24h"#,
            "timeline Everything 6h",
            r#"timeline Queue("orders.work") 6h"#,
        ]
    );
    assert!(asked[3].starts_with("timeline Group("), "{asked:?}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn pages_show_the_axis_without_a_script(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in ["/?span=24h&reach=24h", "/workers/worker-7"] {
        let page = counter.get(path).await.text().await.expect("a page");
        assert!(page.contains("Silence, queues and deaths"), "{path}");
        assert!(page.contains("&lt;b&gt;7: silent since"), "{path}: {page}");
        assert!(!page.contains("<b>7"), "{path}: a name is no markup");
        assert!(page.contains("at most 1,204 messages in it"), "{path}");
        assert!(page.contains(r#"class="away silent""#), "{path}");
    }
    let page = counter
        .get("/?span=24h")
        .await
        .text()
        .await
        .expect("a page");
    assert!(page.contains("/?span=24h&amp;reach=24h"), "the span stays");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
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
