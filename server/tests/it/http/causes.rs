//! What may be why letters die: for programs, and on pages.

use chrono::TimeDelta;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::selection::Selection;
use dlo_server::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::{Counter, ID};
use crate::support::yard::worker;

/// A worker that has been silent for an hour, and what its queue held meanwhile.
async fn fall_silent(pool: &PgPool) {
    let now = SystemClock.now();
    worker(pool, "<b>7", "shell", Some(now - TimeDelta::hours(1)), now).await;
    for sql in [
        "update workers set queue = 'orders'",
        "insert into worker_downtimes (worker, since, found_at)
         select name, silent_since, silent_since from workers",
        "insert into queue_depths
         select date_bin('5 minutes', now(), 'epoch'), 'orders', 'main', '/', 1204",
        "insert into queue_deaths select date_bin('5 minutes', now(), 'epoch'), 'orders', 412",
        "insert into death_counts select date_trunc('minute', now()), 'normal', 412",
        "insert into topology_findings (id, broker, vhost, kind, subject, other, severity, finding,
             first_seen_at, last_seen_at)
         values (gen_random_uuid(), 'main', '/', 'unbound', 'a', '', 'critical', '{}', now(), now())",
    ] {
        sqlx::query(sql).execute(pool).await.expect("written");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn programs_are_told_of_causes(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    fall_silent(&pool).await;
    let odd = counter.get("/api/v1/causes?span=1h").await;
    assert_eq!(odd.status(), 400);
    let answer = counter.get("/api/v1/causes").await;
    assert_eq!(answer.status(), 200);
    let told: Value = answer.json().await.expect("JSON");
    assert_eq!(told["stale_workers"], 1);
    assert_eq!(told["findings"][0], json!(["critical", 1]));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn programs_are_told_of_one_thing_on_one_axis(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    fall_silent(&pool).await;
    for odd in ["reach=5h", "span=1h", "worker=a&queue=b", "group=7"] {
        let answer = counter.get(&format!("/api/v1/timeline?{odd}")).await;
        assert_eq!(answer.status(), 400, "{odd}");
    }
    for (query, bar_seconds) in
        [("worker=%3Cb%3E7&reach=24h", 1200), ("", 300), ("queue=orders", 300)]
    {
        let answer = counter.get(&format!("/api/v1/timeline?{query}")).await;
        assert_eq!(answer.status(), 200, "{query}");
        let told: Value = answer.json().await.expect("JSON");
        let deaths = told["deaths"].as_array().expect("deaths");
        let sum: i64 = deaths.iter().filter_map(Value::as_i64).sum();
        assert_eq!((&told["bar_seconds"], sum), (&json!(bar_seconds), 412), "{query}: {told}");
        assert_eq!(told["workers"][0]["bands"][0]["away"], "silent", "{query}: {told}");
    }
    let nobody = counter.get(&format!("/api/v1/timeline?group={ID}")).await;
    assert_eq!(nobody.status(), 404);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn pages_show_the_axis_and_lead_to_the_lists_without_a_script(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    bench.letter("orders", b"{}").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    fall_silent(&pool).await;
    let page = async |path: &str| counter.get(path).await.text().await.expect("a page");
    for path in ["/?span=24h&reach=24h", "/workers/%3Cb%3E7"] {
        let page = page(path).await;
        assert!(page.contains("Silence, queues and deaths"), "{path}");
        assert!(page.contains("&lt;b&gt;7: silent since"), "{path}: {page}");
        assert!(!page.contains("<b>7"), "{path}: a name is no markup");
        assert!(page.contains("at most 1,204 messages in it"), "{path}: {page}");
        assert!(page.contains(r#"class="away silent""#), "{path}");
    }
    let page = page("/?span=24h").await;
    assert!(page.contains("/?span=24h&amp;reach=24h"), "the span stays");
    for words in ["stale worker", r#"href="/workers?state=stale""#, "1 critical"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_says_nothing_takes_no_room_on_the_first_page(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut put_away = Vec::new();
    for number in 0..20_u8 {
        put_away.push(bench.letter("orders", &[number]).await);
    }
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let page = async || counter.get("/").await.text().await.expect("a page");
    let quiet = page().await;
    for section in ["What waits has in common", "Silence, queues and deaths", "stale worker"] {
        assert!(!quiet.contains(section), "{section}: {quiet}");
    }
    assert!(quiet.contains("No alert fires, no worker is stale"), "{quiet}");
    let selection = Selection::of_ids(put_away);
    let actor = Actor("anna".to_owned());
    bench.desk.discard(&actor, &selection, "done").await.expect("discarded");
    for number in 0..20_u8 {
        bench.letter("mails", &[number]).await;
    }
    fall_silent(&pool).await;
    let told = page().await;
    for words in [
        "What waits has in common",
        "mails",
        ">1</b> stale worker",
        "died behind <span class=\"unbroken\"><a",
        "&lt;b&gt;7</bdi></a>,</span> silent for ",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    counter.close().await;
}
