//! Live events as pages and programs read them.

use dlo_domain::event::LiveEvent;
use dlo_server::access::Role;
use reqwest::{Method, Response};
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem};

/// Reads until `wanted` has come.
async fn read_until(stream: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        let next = tokio::time::timeout(crate::support::patience(), stream.chunk()).await;
        let chunk = next.unwrap_or_else(|_| panic!("no {wanted} in {text}"));
        let chunk = chunk.expect("readable").unwrap_or_else(|| panic!("ended after {text}"));
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    text
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn events_are_streamed_until_the_server_ends(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let of_page = counter.request(Method::GET, "/events");
    let of_page = of_page.header("sec-fetch-site", "same-origin");
    let of_program = counter.as_role(Role::Viewer, Method::GET, "/api/v1/events");
    for request in [of_page, of_program] {
        let mut stream = request.send().await.expect("an answer");
        assert_eq!(stream.headers()["content-type"], "text/event-stream");
        read_until(&mut stream, ": listening").await;
        counter.hub.tell(LiveEvent::Source { source_id: ID.parse().expect("an id") });
        let wanted = format!("data: {{\"type\":\"source\",\"source_id\":\"{ID}\"}}\n\n");
        read_until(&mut stream, &wanted).await;
    }
    let mut held = counter.get("/api/v1/events").await;
    counter.close().await;
    while held.chunk().await.expect("an orderly end").is_some() {}
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn whoever_falls_behind_is_told_so(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let mut stream = counter.get("/api/v1/events").await;
    read_until(&mut stream, ": listening").await;
    // Without a pause between them, so that the stream cannot keep up.
    for _ in 0..10_000 {
        counter.hub.tell(LiveEvent::Changed { letters: Vec::new() });
    }
    read_until(&mut stream, "data: {\"type\":\"missed\"}").await;
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn other_sites_cannot_listen(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for site in ["cross-site", "same-site"] {
        let request = counter.request(Method::GET, "/events").header("sec-fetch-site", site);
        let (status, _) = problem(request.send().await.expect("an answer")).await;
        assert_eq!(status, 403);
    }
    counter.close().await;
}
