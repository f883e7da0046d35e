//! What other sites can make a browser ask, and what comes through a proxy.

use dlo_server::access::Role;
use reqwest::{Method, RequestBuilder};
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem};

type Headers = &'static [(&'static str, &'static str)];

/// What browsers send for what a page of another site holds.
const LOADED_BY_OTHERS: [(&str, Headers); 13] = [
    (
        "an image",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
            ("sec-fetch-dest", "image"),
        ],
    ),
    (
        "a script",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
            ("sec-fetch-dest", "script"),
        ],
    ),
    (
        "fetch without CORS",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
            ("sec-fetch-dest", "empty"),
        ],
    ),
    (
        "fetch from another port of this machine",
        &[
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-mode", "cors"),
            ("sec-fetch-dest", "empty"),
            ("origin", "http://127.0.0.1:1"),
        ],
    ),
    (
        "a frame",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "iframe"),
        ],
    ),
    (
        "an embedded document",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "embed"),
        ],
    ),
    (
        "a page that is loaded beforehand",
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
            ("sec-purpose", "prefetch;prerender"),
        ],
    ),
    (
        "a header that comes twice",
        &[
            ("sec-fetch-site", "none"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ],
    ),
    ("a value that does not exist", &[("sec-fetch-site", "anywhere")]),
    ("fetch of an older browser", &[("origin", "http://evil.example"), ("accept", "text/html")]),
    ("fetch of an older browser from a file", &[("origin", "null")]),
    (
        "an image of an older browser",
        &[("referer", "http://evil.example/"), ("accept", "image/png,image/*;q=0.8,*/*;q=0.5")],
    ),
    (
        "an image of an older browser on another port",
        &[("referer", "http://127.0.0.1:1/"), ("accept", "*/*")],
    ),
];

/// What browsers send when a person goes to an address from another site.
const NAVIGATIONS: [Headers; 3] = [
    &[
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
        ("sec-fetch-user", "?1"),
    ],
    &[
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ],
    &[("referer", "http://chat.example/"), ("accept", "text/html,application/xhtml+xml,*/*;q=0.8")],
];

/// What the list of letters asks by itself.
const ARRIVED: &str = "/letters/arrived?after=2026-11-01T00:00:00Z";

/// Everything that is no page.
fn others() -> [String; 8] {
    [
        "/letters/values".to_owned(),
        ARRIVED.to_owned(),
        "/events".to_owned(),
        format!("/letters/{ID}/body"),
        "/api/v1/letters".to_owned(),
        "/api/v1/openapi.json".to_owned(),
        "/readyz".to_owned(),
        "/metrics".to_owned(),
    ]
}

const PAGES: [&str; 3] = ["/", "/letters", "/nothing/here"];

fn with(request: RequestBuilder, headers: Headers) -> RequestBuilder {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

async fn status(request: RequestBuilder) -> u16 {
    request.send().await.expect("an answer").status().as_u16()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn other_sites_cannot_make_a_browser_ask_for_anything(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let pages = PAGES.map(str::to_owned);
    for (what, headers) in LOADED_BY_OTHERS {
        for path in pages.iter().chain(&others()) {
            for method in [Method::GET, Method::HEAD] {
                let request = with(counter.as_role(Role::Admin, method.clone(), path), headers);
                assert_eq!(status(request).await, 403, "{what}: {method} {path}");
            }
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn other_sites_may_lead_a_person_to_a_page_and_nowhere_else(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for headers in NAVIGATIONS {
        for path in PAGES {
            let request = with(counter.request(Method::GET, path), headers);
            let wanted = if path == "/nothing/here" { 404 } else { 200 };
            assert_eq!(status(request).await, wanted, "{path} {headers:?}");
        }
        for path in others() {
            let request = with(counter.request(Method::GET, &path), headers);
            let (status, detail) = problem(request.send().await.expect("an answer")).await;
            assert_eq!(status, 403, "{path} {headers:?}");
            assert!(detail.contains("another site"), "{detail}");
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn our_own_pages_people_and_programs_are_answered(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let own = counter.address.clone();
    let referer = format!("{own}/letters");
    let senders: [&[(&str, &str)]; 6] = [
        &[],
        &[("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "none")],
        // Node's own fetch
        &[("sec-fetch-mode", "cors"), ("user-agent", "node")],
        &[("origin", &own), ("user-agent", "Mozilla/5.0")],
        &[("referer", &referer), ("user-agent", "Mozilla/5.0")],
    ];
    for headers in senders {
        for path in ["/letters", ARRIVED, "/api/v1/letters", "/readyz"] {
            let mut request = counter.as_role(Role::Viewer, Method::GET, path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            assert_eq!(status(request).await, 200, "{path} {headers:?}");
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_browser_that_hides_where_it_comes_from_gets_pages_and_no_more(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let hiding = |path: &str| {
        let request = counter.request(Method::GET, path);
        request.header("user-agent", "Mozilla/5.0 (Macintosh) Version/15.6 Safari/605.1.15")
    };
    assert_eq!(status(hiding("/letters")).await, 200);
    for path in &others()[..4] {
        let (status, detail) = problem(hiding(path).send().await.expect("an answer")).await;
        assert_eq!(status, 403, "{path}");
        assert!(detail.contains("Sec-Fetch-Site"), "{detail}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_comes_through_a_proxy_is_refused_unless_it_shows_a_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let added = [
        ("forwarded", "for=192.0.2.1"),
        ("x-forwarded-for", "192.0.2.1"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-anything", ""),
        ("x-real-ip", "192.0.2.1"),
        ("via", "1.1 proxy"),
    ];
    let open = ["/", "/letters", ARRIVED, "/events", "/readyz", "/metrics"];
    for (name, value) in added {
        for path in open {
            let request = counter.request(Method::GET, path).header(name, value);
            let (status, detail) = problem(request.send().await.expect("an answer")).await;
            assert_eq!(status, 403, "{path} with {name}");
            assert!(detail.contains(name), "{detail}");
            assert!(detail.contains("ssh -L"), "{detail}");
        }
        let api = "/api/v1/letters";
        let program = counter.as_role(Role::Viewer, Method::GET, api);
        assert_eq!(status(program.header(name, value)).await, 200, "{name}");
        let nobody = counter.request(Method::GET, api).header(name, value);
        assert_eq!(status(nobody).await, 401, "{name}");
    }
    // nginx asks so, and adds no header by itself
    let old = |path| counter.request(Method::GET, path).version(reqwest::Version::HTTP_10);
    for path in ["/", "/letters", ARRIVED] {
        let (status, detail) = problem(old(path).send().await.expect("an answer")).await;
        assert_eq!(status, 403, "{path}");
        assert!(detail.contains("HTTP/1.0"), "{detail}");
    }
    assert_eq!(status(old("/healthz")).await, 200);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_path_that_no_file_can_have_is_not_found(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let long = format!("/{}", "a".repeat(3_000));
    let nul = "/a%00b".to_owned();
    let below_a_file = "/favicon.svg/below".to_owned();
    std::fs::write(counter.site.path().join("favicon.svg"), "<svg/>").expect("written");
    for path in [long, nul, below_a_file] {
        let request = counter.request(Method::GET, &path);
        assert_eq!(status(request).await, 404, "{path:.20}");
    }
    counter.close().await;
}
