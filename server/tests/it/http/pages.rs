//! Pages and the files they load, as far as the server decides them.

use std::io::Read as _;

use reqwest::Method;
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::Counter;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_script_of_a_page_carries_the_nonce_of_its_own_policy(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let mut nonces = Vec::new();
    for path in ["/", "/letters", "/nothing/here"] {
        let response = counter.request(Method::GET, path).send().await.expect("an answer");
        let policy = response.headers()["content-security-policy"].to_str().expect("text");
        let (_, rest) = policy.split_once("script-src 'self' 'nonce-").expect("a nonce");
        let nonce = rest.split_once('\'').expect("ends").0.to_owned();
        assert!(policy.contains("'wasm-unsafe-eval'"), "{policy}");
        let page = response.text().await.expect("text");
        let inline =
            page.split("<script").skip(1).map(|rest| rest.split_once('>').expect("ends").0);
        for attributes in inline.filter(|attributes| !attributes.contains("src=")) {
            assert!(attributes.contains(&format!("nonce=\"{nonce}\"")), "{path}: {attributes}");
        }
        assert!(!page.contains(" style=\"") && !page.contains(" onclick="), "{path}");
        assert!(!nonces.contains(&nonce), "a nonce is used once");
        nonces.push(nonce);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_page_has_the_markers_of_its_islands_and_what_was_written_like_one(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let page = counter.get("/letters?q=%22%3C%21%3E%22&queue=%3C%21%3E").await;
    let page = page.text().await.expect("text");
    let islands: Vec<_> = page.split("<leptos-island").skip(1).collect();
    assert!(islands.len() > 1, "{page}");
    let outside =
        islands.iter().map(|island| island.split_once("</leptos-island>").expect("ends").1);
    assert!(outside.chain(page.split("<leptos-island").next()).all(|html| !html.contains("<!>")));
    assert!(page.contains(r#"value="&lt;!&gt;""#), "{page}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_whose_queue_drops_letters_says_so_and_what_can_be_done(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let page = async |counter: &Counter| {
        let response = counter.request(Method::GET, "/sources").send().await;
        response.expect("an answer").text().await.expect("text")
    };
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    assert!(!page(&counter).await.contains("Accept this loss"), "there is none");
    sqlx::query(
        "update sources set condition = 'delivery_limit', delivery_limit = 20,
             condition_detail = 'This queue drops a letter after 20 failed deliveries.'",
    )
    .execute(&pool)
    .await
    .expect("set");
    let limited = page(&counter).await;
    for words in [
        "not taking: letters would be lost",
        "This queue drops a letter after 20 failed deliveries.",
        "Lift the limit…",
        "href=\"/queues/main/%2F/dead?look=lift#preview\"",
        "name=\"delivery_limit\" value=\"20\"",
        "Accept this loss, and take letters",
    ] {
        assert!(limited.contains(words), "{words}: {limited}");
    }
    let form = format!("id={}&letters=2&delivery_limit=20", bench.source);
    let request = counter.request(Method::POST, "/ui/sources/accept-loss");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let sent = request.body(form).send().await.expect("an answer");
    assert!(sent.status().is_success() || sent.status().is_redirection(), "{sent:?}");
    let accepted = page(&counter).await;
    assert!(accepted.contains("Loss of 2 letters at once accepted by"), "{accepted}");
    assert!(accepted.contains("Accept no loss any more"), "{accepted}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_not_there_is_a_page_with_status_404(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let response = counter.request(Method::GET, "/nothing/here").send().await.expect("an answer");
    assert_eq!(response.status(), 404);
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn files_come_compressed_and_are_kept_as_long_as_their_names_allow(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let site = counter.site.path();
    std::fs::create_dir(site.join("pkg")).expect("made");
    std::fs::create_dir(site.join("scripts")).expect("made");
    for (file, text) in [
        ("pkg/dlo.abc123.js", "plain"),
        ("pkg/dlo.abc123.js.br", "brotli"),
        ("pkg/dlo.abc123.js.gz", "gzip"),
        ("scripts/theme.js", "theme"),
    ] {
        std::fs::write(site.join(file), text).expect("written");
    }
    let cases = [
        ("/pkg/dlo.abc123.js", "br, gzip", Some("br"), "brotli", "immutable"),
        ("/pkg/dlo.abc123.js", "gzip", Some("gzip"), "gzip", "immutable"),
        ("/pkg/dlo.abc123.js", "identity", None, "plain", "immutable"),
        ("/scripts/theme.js", "br", None, "theme", "no-cache"),
    ];
    for (path, accepted, encoding, text, keep) in cases {
        let request = counter.request(Method::GET, path).header("accept-encoding", accepted);
        let response = request.send().await.expect("an answer");
        assert_eq!(response.headers()["content-type"], "text/javascript", "{path}");
        let got = response.headers().get("content-encoding").cloned();
        assert_eq!(got.as_ref().and_then(|value| value.to_str().ok()), encoding, "{path}");
        let kept = response.headers()["cache-control"].to_str().expect("text").to_owned();
        assert!(kept.contains(keep), "{path}: {kept}");
        assert_eq!(response.text().await.expect("text"), text);
    }
    for path in ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd", "/pkg"] {
        let response = counter.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(response.status(), 404, "{path}");
    }
    counter.close().await;
}

async fn page(counter: &Counter, path: &str) -> String {
    let response = counter.request(Method::GET, path).send().await;
    response.expect("an answer").text().await.expect("text")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_new_replay_of_nothing_says_how_letters_are_chosen(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let empty = page(&counter, "/replays/new").await;
    assert!(empty.contains("Choose the letters first"), "{empty}");
    assert!(!empty.contains("Look again"), "{empty}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_page_comes_compressed_and_may_be_kept_by_its_reader_alone(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let request = counter.request(Method::GET, "/letters").header("accept-encoding", "gzip");
    let response = request.send().await.expect("an answer");
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.headers()["vary"], "accept-encoding");
    assert_eq!(response.headers()["cache-control"], "private, no-cache");
    let packed = response.bytes().await.expect("bytes");
    let mut html = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut html).expect("gzip");
    assert!(
        html.starts_with("<!DOCTYPE html>") && html.contains("No letter has come yet"),
        "{html}"
    );
    assert!(packed.len() < html.len() / 3, "{} of {}", packed.len(), html.len());
    let api = counter.request(Method::GET, "/api/v1/letters").header("accept-encoding", "gzip");
    let response = api.send().await.expect("an answer");
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers().get("content-encoding"), None);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_browser_is_told_which_pages_to_fetch_before_somebody_comes_to_them(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let html = page(&counter, "/").await;
    let (_, rules) = html.split_once("\"speculationrules\"").expect("rules");
    let (attributes, rules) = rules.split_once('>').expect("a script");
    assert!(attributes.contains("nonce="), "{attributes}");
    let (rules, _) = rules.split_once("</script>").expect("an end");
    let rules: serde_json::Value = serde_json::from_str(rules).expect("JSON");
    assert_eq!(
        rules["prerender"][0]["where"]["selector_matches"],
        ".nav a:not([aria-current=page])"
    );
    assert_eq!(rules["prefetch"][0]["eagerness"], "moderate");
    counter.close().await;
}
