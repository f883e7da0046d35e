//! How long the server waits for whoever asks, and how many it serves at once. The limits are short here;
//! that they are kept is the same for long ones.

use std::time::{Duration, Instant};

use dlo_server::access::Role;
use dlo_server::http::Limits;
use dlo_server::store::tokens;
use reqwest::{Method, StatusCode};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::front::{Counter, problem, token};
use crate::support::until_within;

/// Long enough for what is not slow, on a busy machine too.
const BRIEF: Duration = Duration::from_secs(2);

/// A connection on which something was written.
async fn connection(counter: &Counter, text: &str) -> TcpStream {
    let place = counter.address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(place).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("written");
    stream
}

/// Everything until the other side closes, which must be within 10 s.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let reading = stream.read_to_end(&mut bytes);
    let read = tokio::time::timeout(Duration::from_secs(10), reading).await;
    // A reset closes as well.
    let _ = read.expect("closed within 10 s");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn half_sent_heads_are_closed_while_others_are_served(pool: PgPool) {
    let limits = Limits { head: BRIEF, ..Limits::default() };
    let counter = Counter::open_within(&pool, limits).await;
    let mut half_sent = Vec::new();
    let began = Instant::now();
    for _ in 0..200 {
        let head = "GET /letters HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ";
        half_sent.push(connection(&counter, head).await);
    }
    for path in ["/letters", "/api/v1/letters"] {
        let answer = counter.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
    }
    for stream in &mut half_sent {
        rest(stream).await;
    }
    assert!(began.elapsed() >= BRIEF, "not before their time");
    assert_eq!(counter.get("/letters").await.status(), 200);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_that_does_not_come_is_not_waited_for(pool: PgPool) {
    let limits = Limits { body: BRIEF, ..Limits::default() };
    let counter = Counter::open_within(&pool, limits).await;
    let bearer = counter.token(Role::Operator);
    for path in ["/api/v1/discards", "/ui/letters/discard", "/nothing"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {bearer}\r\n\
             Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
        );
        let mut slow = connection(&counter, &head).await;
        assert_eq!(counter.get("/letters").await.status(), 200);
        let answer = rest(&mut slow).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{path}: {answer}");
        assert!(answer.contains("nothing was done"), "{answer}");
    }
    let noted: i64 =
        sqlx::query_scalar("select count(*) from audit").fetch_one(&pool).await.expect("counted");
    assert_eq!(noted, 0, "nothing was done");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn whoever_takes_nothing_of_an_answer_is_left(pool: PgPool) {
    let limits = Limits { stalled: BRIEF, connections: 1, ..Limits::default() };
    let counter = Counter::open_within(&pool, limits).await;
    let large = vec![0; 64 * 1024 * 1024];
    std::fs::write(counter.site.path().join("large.bin"), large).expect("written");
    let ask = "GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let stalled = connection(&counter, ask).await;
    // The only place is taken, so this waits until the other is left.
    let answer = tokio::time::timeout(Duration::from_secs(10), counter.get("/healthz")).await;
    assert_eq!(answer.expect("within 10 s").status(), 200);
    drop(stalled);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn streams_are_few_and_a_place_becomes_free(pool: PgPool) {
    let limits = Limits { streams: 2, ..Limits::default() };
    let counter = Counter::open_within(&pool, limits).await;
    for path in ["/events", "/api/v1/events"] {
        let first = counter.get(path).await;
        let second = counter.get(path).await;
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
        let (status, detail) = problem(counter.get(path).await).await;
        assert_eq!(status, 503, "{path}");
        assert!(detail.contains("too many live streams"), "{detail}");
        drop(first);
        until_within("there is a place again", Duration::from_secs(10), || async {
            counter.get(path).await.status() == StatusCode::OK
        })
        .await;
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_stream_ends_when_its_token_is_revoked(pool: PgPool) {
    let limits = Limits { token_check: Duration::from_millis(100), ..Limits::default() };
    let counter = Counter::open_within(&pool, limits).await;
    let leaver = token(&pool, "who leaves", Role::Viewer).await;
    let request = counter.request(Method::GET, "/api/v1/events");
    let mut theirs = request.bearer_auth(leaver.reveal()).send().await.expect("an answer");
    let mut others = counter.get("/api/v1/events").await;
    assert!(theirs.chunk().await.expect("readable").is_some());
    assert!(others.chunk().await.expect("readable").is_some());
    // Several looks find the token good.
    let quiet = tokio::time::timeout(Duration::from_secs(1), theirs.chunk()).await;
    assert!(quiet.is_err(), "it went on: {quiet:?}");
    let mut conn = pool.acquire().await.expect("a connection");
    let now = chrono::DateTime::UNIX_EPOCH;
    assert!(tokens::revoke(&mut conn, "who leaves", now).await.expect("asked"));
    let ended = tokio::time::timeout(Duration::from_secs(5), theirs.chunk()).await;
    assert!(matches!(ended.expect("within 5 s"), Ok(None)), "an orderly end");
    let quiet = tokio::time::timeout(Duration::from_millis(300), others.chunk()).await;
    assert!(quiet.is_err(), "others go on: {quiet:?}");
    counter.close().await;
}
