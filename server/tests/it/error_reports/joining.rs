//! Which letter a report is joined to, whichever of the two comes first.

use std::fmt::Write as _;

use dlo_domain::failure::Circumstances;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;

use super::{Shop, of};
use crate::support::until;

fn hex_sha256(body: &str) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(body) {
        write!(hex, "{byte:02x}").expect("a text takes it");
    }
    hex
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_tells_from_the_beginning_what_was_reported_before_it(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    let report = shop
        .report(json!({
            "message_id": "m-1", "queue": "orders", "error_class": "OutOfStock",
            "error_message": "no stock of 17", "stack_trace": "at shop.py:3",
            "circumstances": {"host": "w7", "attempts": 3},
        }))
        .await;
    assert_eq!(report["state"], "waiting");
    shop.becomes(&report, "waiting").await;
    shop.dies("orders", Some("m-1"), "{}").await;
    shop.take_letters().await;
    shop.has_letters(1).await;
    let letter = shop.letters("queue:orders").await.remove(0);
    assert_eq!(letter.summary.error_class.as_deref(), Some("OutOfStock"));
    assert_eq!(letter.summary.error_message.as_deref(), Some("no stock of 17"));
    assert_eq!(letter.stack_trace.as_deref(), Some("at shop.py:3"));
    assert_eq!(letter.told_by.as_deref(), Some("report"));
    // The signature that it was stored with is that of its failure: nothing moved it since.
    let contents: Vec<String> = sqlx::query_scalar("select content::text from signatures")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert!(contents.len() == 1 && contents[0].contains("OutOfStock"), "{contents:?}");
    shop.becomes(&report, "joined").await;
    let letter = shop.letters("error:\"no stock\"").await.remove(0);
    let told =
        Circumstances { host: Some("w7".into()), attempts: Some(3), ..Circumstances::default() };
    assert_eq!(letter.circumstances, told);
    let reports = shop.reports(&letter).await;
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].reporter.as_str(), &reports[0].failure.stack_trace), ("worker", &None));
    let path = format!("/api/v1/letters/{}", letter.summary.id);
    let answer: serde_json::Value = shop.counter.get(&path).await.json().await.expect("JSON");
    assert_eq!(answer["error_reports"][0]["error_class"], "OutOfStock");
    assert_eq!(answer["stack_trace"], "at shop.py:3");
    shop.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_reported_after_a_letter_came_is_told_and_found(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.take_letters().await;
    shop.dies("orders", Some("m-1"), "{}").await;
    shop.has_letters(1).await;
    assert_eq!(shop.told("orders").await, [None]);
    let report = shop.report(of("m-1", "no stock of 17")).await;
    shop.becomes(&report, "joined").await;
    assert_eq!(shop.told("orders").await, [Some("no stock of 17".to_owned())]);
    assert_eq!(shop.letters("\"no stock of 17\"").await.len(), 1, "its text is found");
    // A second try of the same message is told in the place of the first.
    let report = shop.report(of("m-1", "no money")).await;
    shop.becomes(&report, "joined").await;
    assert_eq!(shop.told("orders").await, [Some("no money".to_owned())]);
    let letter = shop.letters("queue:orders").await.remove(0);
    assert_eq!(shop.reports(&letter).await.len(), 2);
    let signatures: i64 = sqlx::query_scalar(
        "select count(distinct signature) from letters join signatures s
             on s.id = letters.signature where s.content::text like '%no money%'",
    )
    .fetch_one(&pool)
    .await
    .expect("counted");
    assert_eq!(signatures, 1, "it is grouped by what was reported");
    shop.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_may_both_be_the_one_are_told_nothing(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.take_letters().await;
    shop.dies("orders", Some("same"), "1").await;
    shop.has_letters(1).await;
    let report = shop.report(of("same", "of which?")).await;
    shop.becomes(&report, "joined").await;
    shop.dies("orders", Some("same"), "2").await;
    shop.becomes(&report, "ambiguous").await;
    until("it was taken back", || async { shop.told("orders").await == [None, None] }).await;
    assert!(shop.letters("\"of which?\"").await.is_empty());
    // Before them the report, and both in one batch, or in two: then the first is told for a moment.
    let early = shop.report(of("twice", "of which?")).await;
    let told = shop
        .report(json!({
            "message_id": "twice", "body_sha256": hex_sha256("4"), "error_message": "of the second",
        }))
        .await;
    for body in ["3", "4"] {
        shop.dies("orders", Some("twice"), body).await;
    }
    shop.becomes(&early, "ambiguous").await;
    shop.becomes(&told, "joined").await;
    let expected = [None, None, None, Some("of the second".to_owned())];
    until("the second is told, and no other", || async { shop.told("orders").await == expected })
        .await;
    shop.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_without_an_id_is_known_by_its_body_and_its_queue(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    let report = |queue: &str, why: &str| {
        let body_sha256 = hex_sha256("body");
        json!({"body_sha256": body_sha256, "queue": queue, "error_message": why})
    };
    let first = shop.report(report("orders", "in orders")).await;
    shop.dies("orders", None, "body").await;
    shop.dies("bills", None, "body").await;
    shop.take_letters().await;
    shop.has_letters(2).await;
    let second = shop.report(report("bills", "in bills")).await;
    shop.becomes(&first, "joined").await;
    shop.becomes(&second, "joined").await;
    assert_eq!(shop.told("orders").await, [Some("in orders".to_owned())]);
    assert_eq!(shop.told("bills").await, [Some("in bills".to_owned())]);
    let elsewhere = shop.report(report("refunds", "in refunds")).await;
    let other_vhost = shop.report(json!({
        "body_sha256": hex_sha256("body"), "queue": "orders", "vhost": "/", "error_message": "no",
    }))
    .await;
    // It died in two queues, and its report says in which.
    let named =
        shop.report(json!({"message_id": "both", "queue": "bills", "error_message": "b"})).await;
    for queue in ["orders", "bills"] {
        shop.dies(queue, Some("both"), "other").await;
    }
    shop.becomes(&named, "joined").await;
    assert_eq!(shop.told("orders").await[1..], [None]);
    assert_eq!(shop.told("bills").await[1..], [Some("b".to_owned())]);
    assert_eq!(shop.state(&elsewhere).await, "waiting");
    assert_eq!(shop.state(&other_vhost).await, "waiting");
    shop.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_report_waits_for_an_hour_and_for_no_later_letter(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    let early = shop.report(of("m-1", "long ago")).await;
    let late = shop.report(of("m-2", "hours later")).await;
    for (report, before) in [(&early, "62 minutes"), (&late, "0")] {
        sqlx::query(
            "update error_reports set received_at = received_at - $2::interval where id::text = $1",
        )
        .bind(report["id"].as_str())
        .bind(before)
        .execute(&pool)
        .await
        .expect("it came earlier");
    }
    for id in ["m-1", "m-2"] {
        shop.dies("orders", Some(id), "{}").await;
    }
    shop.take_letters().await;
    shop.has_letters(2).await;
    shop.becomes(&early, "unmatched").await;
    shop.becomes(&late, "joined").await;
    let expected = [None, Some("hours later".to_owned())];
    assert_eq!(shop.told("orders").await, expected);
    shop.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_dies_again_tells_what_was_reported_of_that(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.take_letters().await;
    shop.report(of("m-1", "first")).await;
    shop.dies("orders", Some("m-1"), "{}").await;
    shop.has_letters(1).await;
    let engine = shop.bench.engine().await;
    shop.bench.replay_all_home().await;
    until("the message is back", || async { shop.vhost.depth("orders").await == 1 }).await;
    let second = shop.report(of("m-1", "second")).await;
    let channel = &shop.vhost.channel;
    let got = channel.basic_get("orders".into(), lapin::options::BasicGetOptions::default()).await;
    let tag = got.expect("answered").expect("a message").delivery.delivery_tag;
    let reject = lapin::options::BasicRejectOptions { requeue: false };
    channel.basic_reject(tag, reject).await.expect("rejected");
    until("it died again", || async {
        shop.letters("queue:orders").await[0].summary.arrivals == 2
    })
    .await;
    until("the second", || async { shop.told("orders").await == [Some("second".to_owned())] })
        .await;
    shop.becomes(&second, "joined").await;
    let letter = shop.letters("queue:orders").await.remove(0);
    let reports = shop.reports(&letter).await;
    let arrivals: Vec<Option<i32>> = reports.iter().map(|one| one.arrival).collect();
    assert_eq!(arrivals, [Some(2), Some(1)]);
    engine.stop().await;
    shop.close().await;
}
