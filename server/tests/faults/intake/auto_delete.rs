//! A queue that the broker deletes when its last consumer goes, and offices that go: whatever ends them, every
//! letter is stored or still in the queue.

use std::collections::BTreeMap;
use std::time::Duration;

use dlo_domain::source::SourceMode;
use sqlx::PgPool;

use crate::harness::process::{Premises, Serve};
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::{letters, watch};
use crate::support::until_within;

const MESSAGES: usize = 10_000;

/// How often each body is stored or in the queue.
async fn everywhere(pool: &PgPool, vhost: &Vhost) -> BTreeMap<Vec<u8>, u32> {
    let stored: Vec<Vec<u8>> =
        sqlx::query_scalar("select body from arrivals").fetch_all(pool).await.expect("read");
    let mut copies = BTreeMap::new();
    for body in stored.into_iter().chain(vhost.take_bodies("dead").await) {
        *copies.entry(body).or_default() += 1;
    }
    copies
}

/// Ends an office in the middle of 10,000 letters; then looks for each.
async fn end_in_the_middle(pool: &PgPool, end: impl AsyncFnOnce(Serve)) {
    let vhost = Vhost::create().await;
    vhost.auto_delete_queue("dead").await;
    let bodies: Vec<String> = (0..MESSAGES).map(|n| format!("letter {n}")).collect();
    vhost.publish_all("dead", &bodies).await;
    watch(pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let office = premises.open();
    until_within("some are stored", Duration::from_mins(1), || async { letters(pool).await > 100 })
        .await;
    end(office).await;
    assert!(letters(pool).await < i64::try_from(MESSAGES).expect("few"), "it ended in the middle");
    // What was in its hands comes back to the queue.
    until_within("every letter is somewhere", Duration::from_mins(1), || async {
        letters(pool).await + i64::from(vhost.depth("dead").await)
            >= i64::try_from(MESSAGES).expect("few")
    })
    .await;
    let copies = everywhere(pool, &vhost).await;
    let missing = bodies.iter().filter(|body| !copies.contains_key(body.as_bytes()));
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "{} lost:\n{}", missing.len(), premises.last_words());
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_stop_loses_no_letter_of_an_auto_delete_queue(pool: PgPool) {
    end_in_the_middle(&pool, async |office| office.stop().await).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn kill_9_loses_no_letter_of_an_auto_delete_queue(pool: PgPool) {
    end_in_the_middle(&pool, async |office| office.kill().await).await;
}
