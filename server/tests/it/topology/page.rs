//! The page of a queue, as a browser without scripts uses it, on a real broker: what is looked at is
//! what is set, nothing else, and it can be taken back.

use std::sync::Arc;

use reqwest::{Method, Response};
use serde_json::json;
use sqlx::PgPool;

use crate::support::front::Counter;
use crate::support::topology::{Watcher, dying};

/// A name that means something to addresses, to HTML, and to patterns.
const ODD: &str = "a/b %41<i>.c";

/// A browser at the pages of a watcher's broker.
struct Browser<'a> {
    watcher: &'a Watcher,
    counter: Counter,
}

impl<'a> Browser<'a> {
    async fn open(watcher: &'a Watcher) -> Self {
        let counter = Counter::open_before(&watcher.pool, Arc::new(watcher.desk())).await;
        watcher.look().await;
        Self { watcher, counter }
    }

    /// Where the page of a queue is.
    fn address(&self, queue: &str) -> String {
        let mut address = reqwest::Url::parse("http://office").expect("an address");
        let mut parts = address.path_segments_mut().expect("a path");
        // `push` leaves a percent sign alone where it could begin an escape.
        let queue = queue.replace('%', "%25");
        parts.extend(["queues", "main", &*self.watcher.vhost.name, &*queue]);
        drop(parts);
        address.path().replace("%2525", "%25")
    }

    async fn page(&self, address: &str) -> (u16, String) {
        let request = self.counter.request(Method::GET, address);
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        // Leptos marks where texts begin; names stand between backticks before they are code.
        let text = answer.text().await.expect("text");
        let text = text.replace("<code>", "`").replace("</code>", "`");
        (status, text)
    }

    /// A form as a browser sends it.
    fn fields(&self, queue: &str, more: &[(&str, &str)]) -> String {
        let vhost = &*self.watcher.vhost.name;
        let place = [("broker", "main"), ("vhost", vhost), ("queue", queue)];
        let all = place.iter().chain(more);
        let form = reqwest::Url::parse_with_params("http://office", all).expect("an address");
        form.query().expect("fields").to_owned()
    }

    /// Presses *Preview*: the page that comes.
    async fn look(&self, queue: &str, more: &[(&str, &str)]) -> String {
        let address = format!("{}?look=plan&{}", self.address(queue), self.fields(queue, more));
        let (status, text) = self.page(&address).await;
        assert_eq!(status, 200, "{address}: {text}");
        text
    }

    /// Sends a form: the page that comes.
    async fn send(&self, path: &str, queue: &str, more: &[(&str, &str)]) -> String {
        let request = self.counter.request(Method::POST, path);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(self.fields(queue, more));
        let answer = request.header("accept", "text/html").send().await;
        self.follow(answer.expect("an answer")).await
    }

    async fn follow(&self, answer: Response) -> String {
        assert_eq!(answer.status(), 302);
        let place = answer.headers()["location"].to_str().expect("text");
        let (status, text) = self.page(place).await;
        assert_eq!(status, 200, "{place}: {text}");
        text
    }

    async fn close(self) {
        self.counter.close().await;
    }
}

/// The plan that a page would send.
fn plan_of(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"plan\" value=\"").expect("a plan");
    rest.split_once('"').expect("ends").0.to_owned()
}

fn assert_says(page: &str, wanted: &[&str]) {
    for words in wanted {
        assert!(page.contains(words), "{words} is not in {page}");
    }
}

/// What was just done is what stands below it, or the page says that it was read before.
fn assert_agrees(page: &str, opposite: &str) {
    let (_, page) = page.split_once("<h1>").expect("a heading");
    assert!(!page.contains(opposite), "{opposite} is in {page}");
    let told = ["Sent to the broker at ", "and does not show it yet"];
    assert_says(page, &told);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_was_looked_at_is_set_and_taken_back(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    for queue in [ODD, "dead %41"] {
        vhost.queue(queue, &[]).await;
    }
    let limits = json!({"max-length": 20_000});
    vhost.policy("limits", "^a/", 3, limits).await;
    let browser = Browser::open(&watcher).await;
    let address = browser.address(ODD);
    let (status, page) = browser.page(&address).await;
    assert_eq!(status, 200, "{page}");
    assert_says(
        &page,
        &[
            "a/b %41&lt;i&gt;.c: messages that die here are lost.",
            "A classic queue does not count deliveries",
        ],
    );
    assert!(!page.contains("Take it back"), "{page}");
    let wanted = [("to", "dead %41"), ("retention", "7d")];
    let page = browser.look(ODD, &wanted).await;
    assert_says(
        &page,
        &[
            "2 policies would be set",
            "repeats the policy limits",
            "priority 4",
            "7 days",
            "\"dead %41\"",
        ],
    );
    let plan = plan_of(&page);
    let sent = [wanted[0], wanted[1], ("plan", &plan)];
    let page = browser.send("/ui/queue/dead-lettering", ODD, &sent).await;
    assert_says(&page, &["Set. The broker", "Take it back…"]);
    assert_agrees(&page, "messages that die here are lost");
    watcher.finds_dead_letter_queue(ODD, "dead %41").await;
    let (_, page) = browser.page(&address).await;
    assert!(!page.contains("does not show it yet"), "{page}");
    assert_says(
        &page,
        &[
            "dead letters go to <a href=\"/queues/main/",
            "/dead%20%2541\"><bdi>dead %41</bdi></a>.",
            "value=\"7d\"",
            "Take it back…",
        ],
    );
    let (_, page) = browser.page(&format!("{address}?look=removal")).await;
    assert_says(
        &page,
        &[
            "Our policies are taken away",
            "limits applies again",
            "The policy dlo-dead %41 of dead %41 is taken away; none applies then.",
        ],
    );
    let removal = plan_of(&page);
    let page = browser.send("/ui/queue/take-back", ODD, &[("plan", &removal)]).await;
    assert_says(&page, &["Undone."]);
    assert_agrees(&page, "dead letters go to <a");
    let again = browser.send("/ui/queue/take-back", ODD, &[("plan", &removal)]).await;
    assert_says(&again, &["Something else changed", "Nothing was set here"]);
    browser.close().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn another_plan_than_the_one_that_was_seen_is_not_set(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    for queue in ["work", "dead"] {
        vhost.queue(queue, &[]).await;
    }
    let browser = Browser::open(&watcher).await;
    let wanted = ("to", "dead");
    let seen = plan_of(&browser.look("work", &[wanted]).await);
    let limits = json!({"max-length": 10});
    vhost.policy("limits", "^work$", 3, limits).await;
    for stale in [&*seen, ""] {
        let sent = [wanted, ("plan", stale)];
        let page = browser.send("/ui/queue/dead-lettering", "work", &sent).await;
        assert_says(
            &page,
            &[
                "Something else changed at the broker meanwhile",
                "value=\"dead\"",
                "repeats the policy limits",
            ],
        );
        assert_ne!(plan_of(&page), seen);
    }
    watcher.look().await;
    let (_, page) = browser.page(&browser.address("work")).await;
    assert_says(&page, &["work: messages that die here are lost."]);
    browser.close().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_done_is_said_beside_what_was_written(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.queue("declared", &dying("fan")).await;
    vhost.queue("free", &[]).await;
    let browser = Browser::open(&watcher).await;
    for (queue, wanted, said) in [
        ("free", [("to", "declared"), ("retention", "")], "has a dead-letter exchange itself"),
        ("dead", [("to", "free"), ("retention", "")], "is a dead-letter queue itself"),
        ("declared", [("to", "free"), ("retention", "")], "Declare `declared.next` like"),
        ("free", [("to", "none"), ("retention", "")], "there is no queue `none`"),
        ("free", [("to", "dead"), ("retention", "soon")], "`soon` is not a length of time"),
        ("free", [("to", ""), ("retention", "7d")], "Name the queue"),
    ] {
        let page = browser.look(queue, &wanted).await;
        let page_in_words = page.to_lowercase();
        assert!(page_in_words.contains(&said.to_lowercase()), "{said}: {page}");
        assert!(!page.contains("name=\"plan\""), "{said}: {page}");
        for (_, value) in wanted.iter().filter(|(_, value)| !value.is_empty()) {
            assert_says(&page, &[&format!("value=\"{value}\"")]);
        }
    }
    let (status, _) = browser.page(&browser.address("nobody")).await;
    assert_eq!(status, 404);
    browser.close().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_gives_no_right_is_said_with_what_it_needs(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    for queue in ["work", "dead"] {
        watcher.vhost.queue(queue, &[]).await;
    }
    let browser = Browser::open(&watcher).await;
    let page = browser.look("work", &[("to", "dead")]).await;
    let seen = page.contains("name=\"plan\"").then(|| plan_of(&page));
    let sent = [("to", "dead"), ("plan", seen.as_deref().unwrap_or(""))];
    let page = browser.send("/ui/queue/dead-lettering", "work", &sent).await;
    assert_says(&page, &["policymaker", "value=\"dead\""]);
    assert!(!page.contains("Set. The broker"), "{page}");
    browser.close().await;
    watcher.end().await;
}
