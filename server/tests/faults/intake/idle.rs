//! What must not slow letters down: a source that was tried for days without a queue, or held off by a limit; and
//! that letters come marked as delivered before.

use dlo_domain::ids::{OfficeId, SourceId};
use dlo_domain::source::SourceMode;
use dlo_server::clock::{SystemClock, new_id};
use dlo_server::office;
use dlo_server::store::batches::{self, Session};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

use crate::support::broker::Vhost;
use crate::support::office::{Office, letters, sessions, watch};
use crate::support::until_within;

const ATTEMPTS: usize = 50_000;
const LETTERS: usize = 5_000;

/// Has so many sessions open and end at this source that took nothing, as they do while an office lives; and
/// as many of an office that is killed each time.
async fn attempts(pool: &PgPool, source: SourceId) {
    let office_id = OfficeId(new_id(&SystemClock));
    let lock = office::open(pool, &(Arc::new(SystemClock) as _), office_id).await;
    let lock = lock.expect("registered");
    for thousand in 0..ATTEMPTS / 1_000 {
        let mut transaction = pool.begin().await.expect("begun");
        for _ in 0..1_000 {
            let session_id = new_id(&SystemClock);
            let session = Session { source_id: source, session_id, office_id };
            batches::open(&mut transaction, &session).await.expect("opened");
            if thousand % 2 == 0 {
                batches::end(&mut transaction, &session).await.expect("ended");
            }
        }
        transaction.commit().await.expect("committed");
    }
    drop(lock);
}

/// How long an office takes to store what waits in a queue.
async fn taken(pool: &PgPool, vhost: &Vhost) -> Duration {
    let before = letters(pool).await;
    let begun = Instant::now();
    let office = Office::start(pool, &vhost.brokers).await;
    let wanted = before + i64::try_from(LETTERS).expect("fits");
    until_within("all are stored", Duration::from_mins(2), || async {
        letters(pool).await >= wanted
    })
    .await;
    let took = begun.elapsed();
    office.stop().await;
    took
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn fifty_thousand_idle_attempts_cost_the_letters_that_come_then_nothing(pool: PgPool) {
    let vhost = Vhost::create().await;
    let bodies: Vec<String> = (0..LETTERS).map(|number| format!("letter {number}")).collect();
    let mut took = Vec::new();
    for queue in ["usual", "idle"] {
        vhost.queue(queue, &[]).await;
        let source = watch(&pool, &vhost.name, queue, SourceMode::Take).await;
        if queue == "idle" {
            attempts(&pool, source).await;
        }
        vhost.publish_all(queue, &bodies).await;
        took.push(taken(&pool, &vhost).await);
        assert!(sessions(&pool, source).await <= 1, "one says what all of them say");
    }
    let [usual, idle] = took[..] else { panic!("two") };
    let stored = usize::try_from(letters(&pool).await).expect("few");
    println!(
        "{LETTERS} letters on RabbitMQ {}: {usual:.1?}; after {ATTEMPTS} idle attempts: {idle:.1?}",
        vhost.version().await
    );
    assert_eq!(stored, 2 * LETTERS, "each letter once");
    assert!(idle < usual * 2, "{idle:?}, and {usual:?} without");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_come_marked_are_taken_at_half_the_usual_speed_at_least(pool: PgPool) {
    let vhost = Vhost::create().await;
    let bodies: Vec<String> = (0..LETTERS).map(|number| format!("letter {number}")).collect();
    let mut took = Vec::new();
    for queue in ["usual", "marked"] {
        vhost.quorum_queue(queue).await;
        vhost.publish_all(queue, &bodies).await;
        if queue == "marked" {
            vhost.give_back_all(queue, u32::try_from(LETTERS).expect("few")).await;
        }
        watch(&pool, &vhost.name, queue, SourceMode::Take).await;
        took.push(taken(&pool, &vhost).await);
    }
    let [usual, marked] = took[..] else { panic!("two") };
    println!(
        "{LETTERS} letters on RabbitMQ {}: {usual:.1?}; marked: {marked:.1?}",
        vhost.version().await
    );
    assert!(marked < usual * 2, "{marked:?}, and {usual:?} without a mark");
    vhost.delete().await;
}
