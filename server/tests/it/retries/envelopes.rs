//! Letters that are envelopes, retried with what is inside.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::filter::LetterFilter;
use dlo_domain::policy::NewPolicy;
use dlo_domain::state::LetterState;
use lapin::BasicProperties;
use lapin::options::BasicGetOptions;
use lapin::types::FieldTable;
use sqlx::PgPool;

use super::died_so_often;
use crate::support::broker::Vhost;
use crate::support::desk::at_work;
use crate::support::office::Office;
use crate::support::retries::{add, policy, scheduler};
use crate::support::until;

/// More than one replay of a policy that opens envelopes takes.
const MANY: usize = 20;

async fn die(vhost: &Vhost, body: &str) {
    let mut headers = FieldTable::default();
    headers.insert("x-death".into(), died_so_often(1));
    let properties = BasicProperties::default().with_headers(headers);
    vhost.publish("dead", properties, body.as_bytes()).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_sends_what_is_inside_of_envelopes_and_gives_up_on_a_damaged_one(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.queue("dead", &[]).await;
    add(&bench, &NewPolicy { open_envelopes: true, ..policy(vec![1]) }).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = scheduler(&pool);
    // Sneakers': {"id":7}.
    let packed =
        r#"{"payload":"eyJpZCI6N30=","failed_at":"x","num_attempts":1,"properties":"e30="}"#;
    for _ in 0..MANY {
        die(&vhost, packed).await;
    }
    die(&vhost, "plain").await;
    // EasyNetQ's, which lost bytes.
    let damaged = serde_json::json!({
        "RoutingKey": "work", "Exchange": "", "Queue": "work", "Exception": "x", "Message": "\u{fffd}a",
        "DateTime": "2026-11-20T03:00:00Z", "BasicProperties": {},
    });
    die(&vhost, &damaged.to_string()).await;

    let sent = u32::try_from(MANY + 1).expect("few");
    until("all but one are tried", || async { vhost.depth("work").await == sent }).await;
    let mut plain = 0;
    for _ in 0..sent {
        let got = vhost.channel.basic_get("work".into(), BasicGetOptions { no_ack: true }).await;
        let body = got.expect("got").expect("a message").delivery.data;
        match body.as_slice() {
            b"plain" => plain += 1,
            inside => assert_eq!(inside, br#"{"id":7}"#),
        }
    }
    assert_eq!(plain, 1);
    let exhausted = LetterFilter::parse("exhausted:true").expect("a filter");
    until("one is given up on", || async {
        bench.desk.letters(&exhausted, None, 10).await.expect("listed").items.len() == 1
    })
    .await;
    let given_up = bench.desk.letters(&exhausted, None, 10).await.expect("listed").items;
    let letter = bench.desk.letter(given_up[0].id).await.expect("a letter");
    assert_eq!(letter.summary.state, LetterState::Held);
    let why = letter.audit.iter().filter_map(|entry| entry.detail.as_deref());
    let why: Vec<&str> = why.collect();
    assert!(why.iter().any(|why| why.contains("UTF-8")), "{why:?}");
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}
