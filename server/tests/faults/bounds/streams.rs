//! A body as large as a broker takes, from the queue to a page, a file and back into a queue: 20 MB, in the full
//! form 100 MB where the broker takes that.

use std::time::{Duration, Instant};

use dlo_domain::ids::LetterId;
use dlo_domain::source::SourceMode;
use lapin::BasicProperties;
use reqwest::{Method, StatusCode, header};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use uuid::Uuid;

use super::measured::MeasuredOffice;
use crate::harness::goal::GoalRow;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::watch;
use crate::support::until_within;

/// Large bodies that wait in one queue.
const LARGE: u8 = 4;

/// The longest that a neighbour waits for a large one.
const NEIGHBOUR_WITHIN_SECS: u64 = 5;

/// What intake may have in flight whatever the size of the bodies, in KiB.
const IN_FLIGHT_KIB: u64 = 64 * 1024;

async fn body_bytes(vhost: &Vhost) -> usize {
    let is_v4 = vhost.version().await.starts_with('4');
    // RabbitMQ 4 takes 16 MiB if it is not told otherwise.
    if is_v4 { 16_000_000 } else { sized(20_000_000, 100_000_000) }
}

fn body(number: u8, bytes: usize) -> Vec<u8> {
    let mut body: Vec<u8> = (0..=250).cycle().take(bytes).collect();
    body[0] = number;
    body
}

/// What may be added to the memory of an office by bodies of this size, in KiB: three of them. Smaller ones come
/// together as far as they fit.
fn most_kib(bytes: usize) -> u64 {
    let body = u64::try_from(bytes / 1024).expect("small");
    (3 * body).max(IN_FLIGHT_KIB + 2 * body)
}

async fn stored(pool: &PgPool, size: usize) -> i64 {
    sqlx::query_scalar("select count(*) from letters where size_bytes = $1")
        .bind(i64::try_from(size).expect("small"))
        .fetch_one(pool)
        .await
        .expect("counted")
}

/// Publishes to a neighbour again and again until the large ones are stored; each must be stored in time.
async fn neighbours_go_on(pool: &PgPool, vhost: &Vhost, bytes: usize) {
    let deadline = Instant::now() + Duration::from_mins(3);
    let mut published = 0;
    while stored(pool, bytes).await < i64::from(LARGE) {
        assert!(Instant::now() < deadline, "the large ones are not stored");
        vhost.publish("other", BasicProperties::default(), b"small").await;
        published += 1;
        until_within(
            "a neighbour is stored",
            Duration::from_secs(NEIGHBOUR_WITHIN_SECS),
            || async { stored(pool, 5).await >= published },
        )
        .await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn large_bodies_are_taken_one_after_the_other(pool: PgPool) {
    let vhost = Vhost::create().await;
    let bytes = body_bytes(&vhost).await;
    for queue in ["dead", "other"] {
        vhost.queue(queue, &[]).await;
    }
    for number in 0..LARGE {
        let large = body(number, bytes);
        vhost.publish("dead", BasicProperties::default(), &large).await;
    }
    let office = MeasuredOffice::open(&pool, &vhost.brokers, &[]).await;
    let before = office.forget_peak();
    for queue in ["dead", "other"] {
        watch(&pool, &vhost.name, queue, SourceMode::Take).await;
    }
    neighbours_go_on(&pool, &vhost, bytes).await;
    let extra = office.peak_kib() - before;
    println!("intake of {LARGE} x {bytes} bytes: {extra} KiB of extra memory");
    let large = usize::try_from(stored(&pool, bytes).await).expect("few");
    let wanted = usize::from(LARGE);
    GoalRow {
        goal: "R10",
        case: format!("intake of bodies of {} MB, extra memory {extra} KiB", bytes / 1_000_000),
        tried: format!("{LARGE} messages"),
        broker: vhost.version().await,
        lost: Some(wanted.saturating_sub(large)),
        doubled: Some(large.saturating_sub(wanted)),
        recovered: None,
        is_met: extra <= most_kib(bytes),
    }
    .report();
    assert!(extra <= most_kib(bytes), "{extra} KiB of extra memory");
    let digests: Vec<Vec<u8>> =
        sqlx::query_scalar("select sha256(body) from arrivals where length(body) = $1 order by 1")
            .bind(i32::try_from(bytes).expect("small"))
            .fetch_all(&pool)
            .await
            .expect("read");
    let sent = (0..LARGE).map(|number| Sha256::digest(body(number, bytes)).to_vec());
    let mut sent: Vec<Vec<u8>> = sent.collect();
    sent.sort();
    assert_eq!(digests, sent);
    let parts: i64 = sqlx::query_scalar("select count(*) from body_parts")
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert_eq!(parts, 0);
    until_within("all are acknowledged", Duration::from_secs(10), || async {
        vhost.depth("dead").await == 0
    })
    .await;
    office.close().await;
    vhost.delete().await;
}

/// The pages of a large letter, and what its scripts and programs ask for.
async fn pages_are_small(office: &MeasuredOffice, id: LetterId) {
    for path in [
        format!("/letters/{id}"),
        format!("/letters/{id}?view=text"),
        format!("/letters/{id}/edit"),
        format!("/api/v1/letters/{id}"),
        format!("/api/v1/letters/{id}/decoded"),
        format!("/api/v1/letters/{id}/arrivals/1"),
    ] {
        let asked = office.request(Method::GET, &path);
        let answer = office.within_bounds("a large body", asked).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(answer.bytes.len() < 1_000_000, "{path}");
    }
}

/// The file comes whole, and in parts.
async fn download_is_streamed(office: &MeasuredOffice, id: LetterId, body: &[u8]) {
    for path in [format!("/letters/{id}/body"), format!("/api/v1/letters/{id}/body?arrival=1")] {
        let before = office.forget_peak();
        let asked = office.request(Method::GET, &path).send();
        let answer = asked.await.expect("an answer");
        let length = &answer.headers()[header::CONTENT_LENGTH];
        assert_eq!(length, &body.len().to_string());
        let bytes = answer.bytes().await.expect("the whole file");
        assert!(bytes == body, "{path}: another body");
        let extra = office.peak_kib().saturating_sub(before);
        println!("{path}: {extra} KiB of extra memory");
        assert!(extra <= 64 * 1024, "{path}: {extra} KiB of extra memory");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_letter_is_shown_downloaded_and_replayed_within_bounds(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let bytes = body_bytes(&vhost).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let large = body(7, bytes);
    let id = bench.letter("work", &large).await;
    let off = [("DLO_INTAKE", "off")];
    let office = MeasuredOffice::open(&pool, &vhost.brokers, &off).await;
    pages_are_small(&office, id).await;
    download_is_streamed(&office, id, &large).await;
    let before = office.forget_peak();
    let replay = json!({"selection": {"ids": [id]}});
    let asked = office.request(Method::POST, "/api/v1/replays").json(&replay);
    let planned = office.measure(asked).await.json();
    let replay = Uuid::parse_str(planned["id"].as_str().expect("an id")).expect("an id");
    until_within("the letter is in its queue", Duration::from_mins(1), || async {
        vhost.depth("work").await == 1
    })
    .await;
    bench.finished(dlo_domain::ids::ReplayId(replay)).await;
    let extra = office.peak_kib().saturating_sub(before);
    println!("replay of {bytes} bytes: {extra} KiB of extra memory");
    assert!(extra <= most_kib(bytes), "{extra} KiB of extra memory");
    let taken = vhost.take_bodies("work").await;
    assert!(taken == [large], "another body");
    office.close().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_download_that_nobody_reads_holds_no_connection(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = bench.letter("work", &body(1, 20_000_000)).await;
    let nobody = dlo_server::broker::Brokers::main("amqp://127.0.0.1:1/%2f", None);
    let office = MeasuredOffice::open(&pool, &nobody, &[("DLO_INTAKE", "off")]).await;
    let mut unread = Vec::new();
    for _ in 0..30 {
        let asked = office.request(Method::GET, &format!("/letters/{id}/body"));
        unread.push(asked.send().await.expect("it begins"));
    }
    let asked = office.request(Method::GET, &format!("/api/v1/letters/{id}"));
    let answer = office.within_bounds("beside downloads", asked).await;
    assert_eq!(answer.status, StatusCode::OK);
    drop(unread);
    office.close().await;
}
