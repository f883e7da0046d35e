//! Connections whose frames are smaller than usual.

use dlo_domain::replay::Outcome;
use dlo_domain::wire::{FieldTable, FieldValue, Properties};
use dlo_server::broker::Brokers;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn headers_that_do_not_fit_into_a_frame_harm_no_neighbour(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let address = vhost.brokers.get("main").expect("a broker");
    let small = format!("{}?frame_max=8192", address.amqp);
    let brokers = Brokers::main(&small, address.management.as_deref());
    let bench = Bench::new(&pool, &brokers, &vhost.name).await;
    let mut letters = Vec::new();
    for bytes in [10, 7_000, 8_100, 20_000, 10] {
        let mut headers = FieldTable::default();
        let note = "x".repeat(bytes);
        headers.set("x-note", FieldValue::LongString(note.as_str().into()));
        let none = Properties::default();
        letters.push(bench.letter_of("work", &none, &headers, b"{}").await);
    }
    let engine = bench.engine().await;
    let id = bench.plan_with(&letters, |_| {}).await;
    bench.finished(id).await;
    let items = bench.items(id).await;
    let outcomes: Vec<Outcome> = items.iter().map(|item| item.outcome).collect();
    let (sent, not) = (Outcome::Confirmed, Outcome::Refused);
    assert_eq!(outcomes, [sent, sent, not, not, sent], "{items:?}");
    let why = items[3].detail.as_deref().expect("a reason");
    assert!(why.contains("frame_max"), "{why}");
    assert_eq!(vhost.depth("work").await, 3);
    engine.stop().await;
    vhost.delete().await;
}
