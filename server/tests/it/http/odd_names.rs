//! Names that lie about themselves: no page shows a character of them that nobody sees, or that turns others
//! around. What forms send, and where links lead, has them as they are.

use std::sync::Arc;

use dlo_app::desk::DeskError;
use reqwest::{Method, Url};
use sqlx::PgPool;

use crate::support::front::{Counter, ID};
use crate::support::noting::NotingDesk;
use crate::support::odd_names::{found, shown, unseen};

/// An address whose parts and values are what they are.
fn address(parts: &[&str], query: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://localhost").expect("an address");
    url.path_segments_mut().expect("a path").extend(parts);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url.as_str()
        .trim_start_matches("http://localhost")
        .to_owned()
}

fn odd() -> String {
    format!("work{}", unseen())
}

/// Addresses that lead nowhere, each with an odd name in it that the answer may repeat.
fn nowhere() -> Vec<String> {
    let odd = odd();
    let odd = odd.as_str();
    let of = |parts: &[&str]| address(parts, &[]);
    vec![
        of(&["letters", odd]),
        of(&["letters", "ääääa"]),
        of(&["groups", odd]),
        address(&["groups"], &[("state", odd)]),
        address(&["replays"], &[("by", odd)]),
        address(&["workers"], &[("state", odd)]),
        address(&["executions"], &[("tab", odd)]),
        of(&[odd]),
    ]
}

/// Every page, with what it can be asked for.
fn pages() -> Vec<String> {
    let odd = odd();
    let odd = odd.as_str();
    let filter = format!("queue:\"{odd}\"");
    let matching = [("scope", "matching"), ("q", filter.as_str())];
    let to = |more: &[(&str, &str)]| address(&["replays", "new"], &[&matching, more].concat());
    let queue = |look: &str| {
        let wish = [("to", odd), ("look", look)];
        address(&["queues", "main", "/", odd], &wish)
    };
    let of = |parts: &[&str]| address(parts, &[]);
    vec![
        of(&[]),
        of(&["letters"]),
        address(&["letters"], &[("q", &filter)]),
        address(&["letters"], &[("q", odd)]),
        address(&["letters"], &[("source", odd)]),
        of(&["letters", ID]),
        address(&["letters", ID], &[("view", "text")]),
        address(&["letters", ID], &[("view", "tree"), ("arrival", "2")]),
        address(&["letters", ID], &[("view", "hex")]),
        of(&["letters", ID, "edit"]),
        address(&["letters", ID, "edit"], &[("draft", ID), ("queue", odd)]),
        of(&["letters", ID, "sent", ID]),
        of(&["groups"]),
        of(&["groups", ID]),
        of(&["replays"]),
        of(&["replays", ID]),
        to(&[]),
        to(&[("mode", "queue"), ("queue", odd)]),
        to(&[("mode", "exchange"), ("exchange", odd), ("key", odd)]),
        to(&[("mode", "worker"), ("worker", odd), ("jq", ".a = 1")]),
        of(&["workers"]),
        address(&["workers"], &[("kind", odd)]),
        of(&["workers", odd]),
        of(&["executions"]),
        address(&["executions"], &[("worker", odd), ("tab", "stuck")]),
        of(&["executions", odd]),
        of(&["queues"]),
        address(&["queues"], &[("vhost", odd)]),
        queue("set"),
        queue("remove"),
        queue("lift"),
        of(&["rules"]),
        of(&["rules", ID]),
        of(&["rules", "new"]),
        address(&["rules", "new"], &[("sort", "key"), ("group", ID)]),
        of(&["rules", "retries"]),
        of(&["rules", "retries", ID]),
        of(&["rules", "retries", "019a0f3e-5a4b-7c2d-8e1f-0123456789ac"]),
        address(&["rules", "retries", ID], &[("look", "yes")]),
        of(&["sources"]),
        address(&["sources"], &[("queue", odd)]),
    ]
}

/// A page and its status.
async fn answer(counter: &Counter, path: &str) -> (u16, String) {
    let response = counter.request(Method::GET, path).send().await;
    let response = response.expect("an answer");
    let status = response.status().as_u16();
    let page = response.text().await.expect("text");
    assert!(page.contains("</html>"), "{path}: {page}");
    (status, page)
}

async fn page(counter: &Counter, path: &str) -> String {
    let (status, page) = answer(counter, path).await;
    assert_eq!(status, 200, "{path}: {page}");
    page
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn no_page_shows_what_nobody_sees(pool: PgPool) {
    let desk = Arc::new(NotingDesk::of_odd_names());
    let counter = Counter::open_before(&pool, desk.clone()).await;
    let mut lies = Vec::new();
    let mut marks = 0;
    let mut look = |path: &str, page: &str| {
        let page = shown(page);
        marks += page.matches("U+202E").count();
        let found = found(&page);
        lies.extend(found.into_iter().map(|what| format!("{path}: {what}")));
    };
    for path in pages() {
        look(&path, &page(&counter, &path).await);
    }
    for path in nowhere() {
        let (status, page) = answer(&counter, &path).await;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        look(&path, &page);
    }
    assert!(
        lies.is_empty(),
        "{} places:\n{}",
        lies.len(),
        lies.join("\n")
    );
    // Had the pages shown no odd name, none could have lied.
    assert!(marks > 300, "{marks} marks");
    for path in [format!("/letters/{ID}"), "/sources".to_owned()] {
        let why = format!(
            "there is no `work{}`, says the broker{}",
            unseen(),
            unseen()
        );
        desk.fail_once(DeskError::NotFound(why));
        let (status, page) = answer(&counter, &path).await;
        assert_eq!(status, 404, "{path}");
        assert!(page.contains("says the broker⟨U+202E⟩"), "{path}: {page}");
        assert_eq!(found(&shown(&page)), Vec::<String>::new(), "{path}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_forms_send_and_where_links_lead_is_the_true_name(pool: PgPool) {
    let desk = Arc::new(NotingDesk::of_odd_names());
    let counter = Counter::open_before(&pool, desk).await;
    let sources = page(&counter, "/sources").await;
    let true_name = format!("name=\"queue\" value=\"dead{}\"", unseen());
    assert!(sources.contains(&true_name), "{sources}");
    let list = page(&counter, "/queues").await;
    let encoded = address(&[&format!("work{}", unseen())], &[]);
    assert!(list.contains(&format!("{encoded}\"")), "{list}");
    counter.close().await;
}
