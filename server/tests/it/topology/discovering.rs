//! Dead-letter queues that nobody watches, found on a real broker, and watched.

use std::sync::Arc;

use dlo_domain::source::SourceMode;
use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, problem};
use crate::support::office::watch;
use crate::support::topology::{Watcher, dying};

const PATH: &str = "/api/v1/sources/discover";

async fn discover(counter: &Counter) -> Value {
    let request = counter.as_role(Role::Operator, Method::POST, PATH);
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    response.json().await.expect("JSON")
}

/// What was found: the queue, by what, and whose dead letters come to it.
fn found(discovery: &Value) -> Vec<Value> {
    let items = discovery["items"].as_array().expect("a list");
    let told = items.iter().map(|one| json!([one["source"]["queue"], one["kind"], one["fed_by"]]));
    told.collect()
}

/// `work` dies into `letters`, which nobody watches, and `late` into `watched`; nothing into `x_error`.
async fn open(pool: &PgPool) -> (Watcher, Counter) {
    let watcher = Watcher::start(pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "letters").await;
    vhost.dead_letter_pair("other", "watched").await;
    vhost.queue("work", &dying("fan")).await;
    vhost.queue("late", &dying("other")).await;
    vhost.queue("x_error", &[]).await;
    watch(pool, &vhost.name, "watched", SourceMode::Take).await;
    let counter = Counter::open_before(pool, Arc::new(watcher.desk())).await;
    (watcher, counter)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn dead_letter_queues_are_found_and_what_is_found_can_be_watched(pool: PgPool) {
    let (watcher, counter) = open(&pool).await;
    let unread = discover(&counter).await;
    assert_eq!(unread["items"], json!([]));
    assert_eq!(unread["unread"][0]["broker"], "main");
    let trouble = unread["unread"][0]["trouble"].as_str().expect("a reason");
    assert!(trouble.contains("not read yet"), "{trouble}");

    watcher.look().await;
    let discovery = discover(&counter).await;
    assert_eq!(
        found(&discovery),
        [json!(["letters", "dead_letters", ["work"]]), json!(["x_error", "named", []]),]
    );
    let (total, next) = (&discovery["estimated_total"], &discovery["next_cursor"]);
    assert_eq!((total, next), (&json!(2), &Value::Null));
    for (index, left) in [(0_usize, vec!["x_error"]), (1, vec![])] {
        let source = &discovery["items"][index]["source"];
        let added = counter.post("/api/v1/sources", source).await;
        assert_eq!(added.status(), 201, "{source}");
        let rest = discover(&counter).await;
        let items = rest["items"].as_array().expect("a list");
        let queues: Vec<_> = items.iter().map(|one| &one["source"]["queue"]).collect();
        assert_eq!(queues, left);
    }
    counter.close().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn it_is_looked_where_it_is_asked_and_said_where_nothing_could_be_seen(pool: PgPool) {
    let (watcher, counter) = open(&pool).await;
    watcher.look().await;
    let here = json!({"broker": "main", "vhost": watcher.vhost.name});
    let there: Value = counter.post(PATH, &here).await.json().await.expect("JSON");
    assert_eq!(there["estimated_total"], 2);
    let elsewhere = json!({"vhost": "elsewhere"});
    let none = counter.post(PATH, &elsewhere).await;
    let none: Value = none.json().await.expect("JSON");
    assert_eq!(none["items"], json!([]));
    assert_eq!(none["unread"][0]["vhost"], "elsewhere", "{none}");
    let moon = json!({"broker": "moon"});
    let (status, detail) = problem(counter.post(PATH, &moon).await).await;
    assert_eq!(status, 400);
    assert!(detail.contains("moon"), "{detail}");
    counter.close().await;
    watcher.end().await;
}

async fn sources_page(counter: &Counter) -> String {
    let request = counter.request(Method::GET, "/sources");
    let answer = request.send().await.expect("an answer");
    answer.text().await.expect("text")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_page_of_sources_offers_to_watch_them_without_a_script(pool: PgPool) {
    const HEADING: &str = "Dead-letter queues that nobody takes letters from";
    let (watcher, counter) = open(&pool).await;
    let before = sources_page(&counter).await;
    assert!(!before.contains(HEADING), "{before}");
    // What cannot be read may hold letters.
    assert!(!before.contains("all is well"), "{before}");
    watcher.look().await;
    let vhost = &*watcher.vhost.name;
    for queue in ["letters", "x_error"] {
        let page = sources_page(&counter).await;
        let field = format!("name=\"queue\" value=\"{queue}\"");
        assert!(page.contains(HEADING) && page.contains(&field), "{page}");
        assert!(!page.contains("all is well"), "{queue}: {page}");
        let says = match queue {
            "letters" => "2 more dead-letter queues are not",
            _ => "1 more dead-letter queue is not",
        };
        assert!(page.contains(says), "{says}: {page}");
        let fields = [("queue", queue), ("vhost", vhost), ("broker", "main"), ("mode", "take")];
        let form = reqwest::Url::parse_with_params("http://office", fields).expect("fields");
        let answer = counter
            .request(Method::POST, "/ui/sources/add")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "text/html")
            .body(form.query().expect("fields").to_owned())
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.headers()["location"], "/sources?notice=added");
    }
    let after = sources_page(&counter).await;
    assert!(!after.contains(HEADING), "{after}");
    counter.close().await;
    watcher.end().await;
}
