//! `dlo demo` and `dlo sandbox`: everything in one, and nothing left behind.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Client;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::harness::program::Running;
use crate::support::until_within;

fn text<'a>(ready: &'a Value, name: &str) -> &'a str {
    ready[name].as_str().unwrap_or_else(|| panic!("no {name} in {ready}"))
}

/// Host and port of a URL.
fn place(url: &str) -> String {
    let url: reqwest::Url = url.parse().expect("a URL");
    format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"))
}

async fn is_open(place: &str) -> bool {
    TcpStream::connect(place).await.is_ok()
}

async fn ask(ready: &Value, path: &str) -> Value {
    let url = format!("{}/api/v1/{path}", text(ready, "http"));
    let request = Client::new().get(url).bearer_auth(text(ready, "token"));
    let answer = request.send().await.expect("an answer");
    answer.json().await.expect("JSON")
}

async fn failures(ready: &Value) -> (i64, usize) {
    let page = ask(ready, "letters?limit=500").await;
    let items = page["items"].as_array().expect("items");
    let kinds: BTreeSet<_> = items
        .iter()
        .map(|item| ["queue", "reason", "error_class"].map(|name| item[name].to_string()))
        .collect();
    (page["estimated_total"].as_i64().expect("a number"), kinds.len())
}

#[tokio::test]
async fn a_demo_is_filled_within_20_seconds_and_leaves_nothing_behind() {
    let demo = Running::start(&["demo", "--port", "0", "--json"], &[]).await;
    let ready = demo.ready.clone();
    until_within("200 letters of 12 failures", Duration::from_secs(20), || async {
        let (letters, kinds) = failures(&ready).await;
        letters >= 200 && kinds >= 12
    })
    .await;
    until_within("the story of its executions", Duration::from_mins(1), || async {
        let page = ask(&ready, "executions?limit=500").await;
        let items = page["items"].as_array().expect("items");
        let has = |member: &str, value: Value| items.iter().any(|item| item[member] == value);
        let workers = ask(&ready, "workers").await.to_string();
        has("state", "completed".into())
            && has("failed_by", "dead_letter_handler".into())
            && items.iter().any(|item| item["attempt"] == 2)
            && has("worker", "attune-worker-9".into())
            && workers.contains("attune-worker-7")
            && workers.contains("\"stopped\"")
    })
    .await;
    let places = ["http", "amqp", "management", "database"].map(|name| place(text(&ready, name)));
    for place in &places {
        assert!(is_open(place).await, "{place}");
    }
    demo.signal("-INT").await;
    assert!(demo.ended(40).await, "in good order");
    for place in &places {
        assert!(!is_open(place).await, "{place} is still open");
    }
}

#[tokio::test]
async fn a_sandbox_is_servers_only() {
    let sandbox = Running::start(&["sandbox", "--json"], &[]).await;
    let ready = sandbox.ready.clone();
    assert_eq!((&ready["http"], &ready["token"]), (&Value::Null, &Value::Null));
    for name in ["amqp", "management", "database"] {
        assert!(is_open(&place(text(&ready, name))).await, "{name}");
    }
    sandbox.signal("-TERM").await;
    assert!(sandbox.ended(40).await, "in good order");
    assert!(!is_open(&place(text(&ready, "amqp"))).await, "the broker is gone");
}
