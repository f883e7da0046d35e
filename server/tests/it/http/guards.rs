//! What every request and every answer passes, whatever it is for.

use dlo_server::access::Role;
use reqwest::Method;
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem};

const PATHS: [&str; 6] =
    ["/", "/letters", "/api/v1/letters", "/healthz", "/events", "/nothing/here"];

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn other_peoples_names_for_us_are_not_answered_to(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in PATHS {
        let request = counter.as_role(Role::Admin, Method::GET, path);
        let response = request.header("host", "evil.example:8484").send().await;
        let (status, detail) = problem(response.expect("an answer")).await;
        assert_eq!(status, 421, "{path}");
        assert!(detail.contains("localhost"), "{detail}");
    }
    let request = counter.request(Method::GET, "/healthz").header("host", "localhost:1");
    assert_eq!(request.send().await.expect("an answer").status(), 200);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn other_sites_cannot_make_a_browser_change_anything(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "http://evil.example"),
        ("origin", "null"),
    ];
    let paths = ["/ui/anything", "/letters", "/api/v1/restores", &format!("/api/v1/sources/{ID}")];
    for path in paths {
        for method in [Method::POST, Method::DELETE, Method::PUT] {
            for (name, value) in foreign {
                let request = counter.as_role(Role::Admin, method.clone(), path);
                let response = request.header(name, value).send().await.expect("an answer");
                let (status, _) = problem(response).await;
                assert_eq!(status, 403, "{method} {path} {name}: {value}");
            }
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_answer_carries_the_headers_that_keep_a_browser_safe(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in PATHS {
        let response = counter.request(Method::GET, path).send().await.expect("an answer");
        let header = |name: &str| {
            let value = response.headers().get(name).cloned();
            let value = value.unwrap_or_else(|| panic!("{path} has no {name}"));
            value.to_str().expect("text").to_owned()
        };
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin");
        assert!(header("permissions-policy").contains("camera=()"));
        assert_eq!(header("x-request-id").len(), 36);
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains('*'), "{path}: {policy}");
    }
    counter.close().await;
}
