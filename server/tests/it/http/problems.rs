//! What a wrong call is answered with: 4xx, and a sentence that says how to mend it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::front::{Counter, ID, problem};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queries_that_cannot_be_read_are_refused(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let cases = [
        ("/letters?colour=red", "unknown query parameter `colour`: use q, source"),
        ("/letters?limit=0", "`limit` is a number from 1 to 500"),
        ("/letters?limit=501", "`limit` is a number from 1 to 500"),
        ("/letters?limit=ten", "`limit` is a number from 1 to 500"),
        ("/letters?limit=1&limit=2", "`limit` is given twice"),
        ("/letters?cursor=abc", "the cursor is not one that this server gave"),
        ("/letters?q=state:dead", "at character 7: `dead` is not a state"),
        ("/letters?state=dead", "`dead` is not a state"),
        ("/letters?q=queue:%00", "NUL character"),
        (&format!("/letters/{ID}?x=1"), "unknown query parameter `x`"),
        (&format!("/letters/{ID}/body?arrival=0"), "`arrival` is a number from 1"),
        (&format!("/letters/{ID}/decoded?arrival=x"), "`arrival` is a number from 1"),
        (&format!("/replays/{ID}/items?outcome=fine"), "`fine` is not an outcome"),
        ("/letters/42", "`42` is not an id: ids are UUIDs such as"),
        ("/replays/x", "`x` is not an id"),
        ("/groups?state=dead", "`state`: `dead` is not a state of a group"),
        ("/groups/x", "`x` is not an id"),
        ("/letters/%ff", "Invalid UTF-8"),
    ];
    for (path, wanted) in cases {
        let (status, detail) = problem(counter.get(&format!("/api/v1{path}")).await).await;
        assert_eq!(status, 400, "{path}: {detail}");
        assert!(detail.contains(wanted), "{path}: {detail}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn bodies_that_do_not_fit_are_refused(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let all = json!({"filter": "", "all": true});
    let cases = [
        ("/discards", json!({"selection": all}), "missing field `reason`"),
        ("/discards", json!({"selection": all, "reason": "  "}), "`reason` is empty"),
        ("/discards", json!({"selection": all, "reason": "x".repeat(501)}), "more than 500"),
        ("/discards", json!({"selection": all, "reason": "a\0"}), "NUL character"),
        ("/discards", json!({"selection": {}, "reason": "x"}), "the selection is empty"),
        ("/discards", json!({"selection": {"filter": ""}, "reason": "x"}), "\"all\": true"),
        ("/restores", json!({"selection": {"ids": []}}), "`ids` is empty"),
        ("/restores", json!({"selection": all, "why": "x"}), "unknown field `why`"),
        ("/restores", json!({"selection": {"sender": ID}}), "unknown field `sender`"),
        ("/restores", json!({"selection": {"ids": ["x"]}}), "UUID parsing failed"),
        ("/replays", json!({"selection": all, "ladder": {}}), "unknown field `ladder`"),
        (
            "/replays",
            json!({"selection": all, "target": {"mode": "moon"}}),
            "unknown variant `moon`",
        ),
        (
            "/replays",
            json!({"selection": all, "target": {"mode": "origin_queue", "queue": "x"}}),
            "unknown field `queue`",
        ),
        ("/replays", json!([]), "the body does not fit"),
        ("/sources", json!({"vhost": "/", "queue": ""}), "`queue` is empty"),
        ("/sources", json!({"vhost": "/", "queue": "a", "mode": "x"}), "unknown variant `x`"),
        ("/sources", json!({"queue": "a"}), "missing field `vhost`"),
        (&format!("/letters/{ID}/published"), json!({}), "missing field `published`"),
    ];
    for (path, body, wanted) in cases {
        let (status, detail) = problem(counter.post(&format!("/api/v1{path}"), &body).await).await;
        assert_eq!(status, 400, "{path} {body}: {detail}");
        assert!(detail.contains(wanted), "{path} {body}: {detail}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_no_json_or_too_much_of_it_is_refused(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let post = || counter.as_role(Role::Admin, Method::POST, "/api/v1/restores");
    let json_type = ("content-type", "application/json");
    let cases = [
        (post().body("{}"), 415, "Content-Type: application/json"),
        (post().header(json_type.0, json_type.1).body("{\"selection\":"), 400, "is not JSON"),
        (post().header(json_type.0, json_type.1).body(vec![b' '; 1_100_000]), 413, "1024 KiB"),
    ];
    for (request, status, wanted) in cases {
        let (got, detail) = problem(request.send().await.expect("an answer")).await;
        assert_eq!(got, status, "{detail}");
        assert!(detail.contains(wanted), "{detail}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_that_does_not_say_its_size_is_cut_off_at_the_limit(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let address = counter.address.trim_start_matches("http://");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("connects");
    let head = format!(
        "POST /api/v1/restores HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n200000\r\n",
        counter.token(Role::Admin)
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The server may hang up before it has read all of it.
    let _ = stream.write_all(&vec![b' '; 0x20_0000]).await;
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(answer, b"HTTP/1.1 413");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn wrong_routes_and_methods_are_told(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in ["/api", "/api/v1", "/api/v1/leters", "/api/v2/letters"] {
        let (status, detail) = problem(counter.get(path).await).await;
        assert_eq!(status, 404, "{path}");
        assert!(detail.contains("openapi.json"), "{detail}");
    }
    let request = counter.as_role(Role::Admin, Method::PUT, "/api/v1/sources");
    let response = request.send().await.expect("an answer");
    let allow: Vec<_> = response.headers().get_all("allow").iter().cloned().collect();
    assert_eq!(allow, ["GET, POST"]);
    let (status, detail) = problem(response).await;
    assert_eq!(status, 405);
    assert!(detail.contains("does not take PUT: it takes GET, POST"), "{detail}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_the_desk_refuses_is_passed_on_and_our_own_faults_are_not(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let policy = json!({"name": "", "filter": "queue:a"});
    let report = async |state: &str| {
        let report = json!({"state": state});
        counter.post("/api/v1/executions/7", &report).await
    };
    report("completed").await;
    let cases = [
        (counter.get(&format!("/api/v1/letters/{ID}")).await, 404, "there is no letter"),
        (report("running").await, 409, "completed"),
        (counter.post("/api/v1/retry-policies", &policy).await, 400, "name"),
    ];
    for (response, status, words) in cases {
        let (got, said) = problem(response).await;
        assert_eq!(got, status, "{said}");
        assert!(said.contains(words), "{said}");
    }
    sqlx::query("alter table views rename to vault").execute(&pool).await.expect("renamed");
    let (status, detail) = problem(counter.get("/api/v1/views").await).await;
    assert_eq!(status, 500);
    assert!(!detail.contains("relation") && detail.contains("log has it under"), "{detail}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_filter_that_cannot_be_read_is_answered_with_its_place(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let unreadable = "ä state:dead";
    let selection = json!({"selection": {"filter": unreadable}, "reason": "x"});
    let view = json!({"name": "x", "filter": unreadable});
    for response in [
        counter.get("/api/v1/letters?q=%C3%A4+state:dead").await,
        counter.post("/api/v1/discards", &selection).await,
        counter.post("/api/v1/views", &view).await,
    ] {
        assert_eq!(response.status(), 400);
        let problem: serde_json::Value = response.json().await.expect("JSON");
        assert_eq!(problem["position"], 8, "{problem}");
        assert_eq!(problem["length"], 4, "{problem}");
    }
    counter.close().await;
}
