//! Names that lie about themselves: no page shows a character of them that nobody sees, or that turns others
//! around. What forms send, and where links lead, has them as they are.

mod office;

use reqwest::{Method, Url};
use sqlx::PgPool;

use self::office::{OddOffice, odd, spoken};
use crate::support::front::Counter;
use crate::support::odd_names::{found, shown};

/// An address whose parts and values are what they are.
fn address(parts: &[&str], query: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://localhost").expect("an address");
    url.path_segments_mut().expect("a path").extend(parts);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url.as_str().trim_start_matches("http://localhost").to_owned()
}

/// Addresses that lead nowhere, each with an odd name in it that the answer may repeat.
fn nowhere() -> Vec<String> {
    let odd = odd("work");
    let odd = odd.as_str();
    let of = |parts: &[&str]| address(parts, &[]);
    vec![
        of(&["letters", odd]),
        of(&["letters", odd, "arrivals", odd]),
        of(&["letters", "ääääa"]),
        of(&["groups", odd]),
        of(&["alerts", odd]),
        of(&["alerts", "rules", odd]),
        of(&["alerts", "channels", odd]),
        address(&["groups"], &[("state", odd)]),
        address(&["groups"], &[("merge", odd)]),
        address(&["replays"], &[("by", odd)]),
        address(&["workers"], &[("state", odd)]),
        address(&["executions"], &[("tab", odd)]),
        of(&[odd]),
    ]
}

/// Every page, with what it can be asked for.
fn pages(office: &OddOffice) -> Vec<String> {
    let (work, worker, job) = (odd("work"), spoken("worker"), spoken("job"));
    let (work, worker, job) = (work.as_str(), worker.as_str(), job.as_str());
    let letter = office.letter.to_string();
    let letter = letter.as_str();
    let (group, replay, policy) = (office.id("group"), office.id("replay"), office.id("policy"));
    let filter = format!("queue:\"{work}\"");
    let matching = [("scope", "matching"), ("q", filter.as_str())];
    let to = |more: &[(&str, &str)]| address(&["replays", "new"], &[&matching, more].concat());
    let vhost = office.watcher.vhost.name.as_str();
    let dead = odd("dead");
    let queue = |look: &str| {
        let wish = [("to", dead.as_str()), ("look", look)];
        address(&["queues", "main", vhost, work], &wish)
    };
    let of = |parts: &[&str]| address(parts, &[]);
    vec![
        of(&[]),
        of(&["letters"]),
        address(&["letters"], &[("q", &filter)]),
        address(&["letters"], &[("q", work)]),
        address(&["letters"], &[("source", work)]),
        of(&["letters", letter]),
        address(&["letters", letter], &[("view", "text")]),
        address(&["letters", letter], &[("view", "tree"), ("arrival", "1")]),
        address(&["letters", letter], &[("view", "hex")]),
        of(&["letters", letter, "arrivals", "2"]),
        of(&["letters", letter, "edit"]),
        address(&["letters", letter, "edit"], &[("draft", office.id("draft")), ("queue", work)]),
        of(&["letters", letter, "sent", replay]),
        of(&["groups"]),
        address(&["groups"], &[("merge", group)]),
        of(&["groups", group]),
        of(&["replays"]),
        of(&["replays", replay]),
        to(&[]),
        to(&[("mode", "queue"), ("queue", work)]),
        to(&[("mode", "exchange"), ("exchange", work), ("key", work)]),
        to(&[("mode", "worker"), ("worker", worker), ("jq", ".a = 1")]),
        of(&["workers"]),
        address(&["workers"], &[("kind", worker)]),
        of(&["workers", worker]),
        of(&["executions"]),
        address(&["executions"], &[("worker", worker), ("tab", "stuck")]),
        of(&["executions", job]),
        of(&["queues"]),
        address(&["queues"], &[("vhost", vhost)]),
        address(&["queues"], &[("vhost", work)]),
        queue("set"),
        queue("remove"),
        queue("lift"),
        of(&["rules"]),
        of(&["rules", office.id("rule")]),
        of(&["rules", "new"]),
        address(&["rules", "new"], &[("sort", "key"), ("group", group)]),
        of(&["rules", "retries"]),
        of(&["rules", "retries", policy]),
        address(&["rules", "retries", policy], &[("look", "yes")]),
        of(&["alerts"]),
        of(&["alerts", office.id("alert")]),
        address(&["alerts", office.id("alert")], &[("do", "mute")]),
        of(&["alerts", "rules"]),
        of(&["alerts", "rules", office.id("alert rule")]),
        address(
            &["alerts", "rules", office.id("alert rule")],
            &[("written", "yes"), ("name", work)],
        ),
        address(
            &["alerts", "rules", "new"],
            &[("written", "yes"), ("name", work), ("filter", work)],
        ),
        of(&["alerts", "silences"]),
        of(&["alerts", "channels"]),
        of(&["alerts", "channels", office.id("channel")]),
        of(&["schemas"]),
        of(&["sources"]),
        address(&["sources"], &[("queue", work)]),
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
async fn no_page_shows_what_nobody_sees_and_forms_and_links_have_the_true_name(pool: PgPool) {
    let office = OddOffice::open(&pool).await;
    let mut lies = Vec::new();
    let mut marks = 0;
    let mut look = |path: &str, page: &str| {
        let page = shown(page);
        marks += page.matches("U+202E").count();
        let found = found(&page);
        lies.extend(found.into_iter().map(|what| format!("{path}: {what}")));
    };
    for path in pages(&office) {
        look(&path, &page(&office.counter, &path).await);
    }
    for path in nowhere() {
        let (status, page) = answer(&office.counter, &path).await;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        look(&path, &page);
    }
    assert!(lies.is_empty(), "{} places:\n{}", lies.len(), lies.join("\n"));
    // Had the pages shown no odd name, none could have lied.
    assert!(marks > 300, "{marks} marks");
    let work = odd("work");
    let sources = address(&["sources"], &[("queue", &work)]);
    let sources = page(&office.counter, &sources).await;
    let true_name = format!("value=\"{work}\"");
    assert!(sources.contains(&true_name), "{sources}");
    let list = page(&office.counter, "/queues").await;
    let encoded = address(&[&work], &[]);
    assert!(list.contains(&format!("{encoded}\"")), "{list}");
    office.close().await;
}
