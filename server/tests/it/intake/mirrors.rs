//! Sources that only look, through a queue of our own, which must not outlive its use.

use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, SourceCondition, SourceMode};
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::store;
use lapin::BasicProperties;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, watch};
use crate::support::until;

const MIRROR: &str = "dlo.mirror.dead";

async fn running_mirror(pool: &PgPool) -> (Vhost, SourceId, Office) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let id = watch(pool, &vhost.name, "dead", SourceMode::Mirror).await;
    let office = Office::start(pool, &vhost.brokers).await;
    until("the mirror runs", || async { condition(pool, id).await.0 == SourceCondition::Running })
        .await;
    assert!(vhost.has_queue(MIRROR).await);
    (vhost, id, office)
}

async fn remove(pool: &PgPool, id: SourceId) {
    let mut conn = pool.acquire().await.expect("a connection");
    let removed = store::sources::remove(&mut conn, id, SystemClock.now()).await;
    assert!(removed.expect("asked"));
}

async fn gone(vhost: &Vhost) {
    until("the mirror queue is gone", || async { !vhost.has_queue(MIRROR).await }).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_mirror_looks_and_never_takes(pool: PgPool) {
    let (vhost, _, office) = running_mirror(&pool).await;
    vhost.publish_to("dlx", "k", BasicProperties::default(), b"1").await;
    until("a letter", || async { letters(&pool).await == 1 }).await;
    assert_eq!(vhost.depth("dead").await, 1, "the message is still where it was");
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_mirror_that_becomes_a_taker_leaves_no_queue_and_takes(pool: PgPool) {
    let (vhost, id, office) = running_mirror(&pool).await;
    let source = NewSource {
        vhost: vhost.name.clone(),
        queue: "dead".to_owned(),
        mode: SourceMode::Take,
        name: None,
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
        origins: Globs::any(),
    };
    let mut conn = pool.acquire().await.expect("a connection");
    let changed = store::sources::change(&mut conn, id, &source).await;
    assert!(changed.expect("asked"));
    gone(&vhost).await;
    vhost.publish_to("dlx", "k", BasicProperties::default(), b"1").await;
    until("it is taken", || async { letters(&pool).await == 1 }).await;
    until("and acknowledged", || async { vhost.depth("dead").await == 0 }).await;
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_mirror_of_a_removed_source_is_deleted_by_whichever_office_comes_next(pool: PgPool) {
    let (vhost, id, office) = running_mirror(&pool).await;
    office.stop().await;
    remove(&pool, id).await;
    assert!(vhost.has_queue(MIRROR).await, "no office is there to do it");
    let other = Office::start(&pool, &vhost.brokers).await;
    gone(&vhost).await;
    until("and it is known", || async {
        let mut conn = pool.acquire().await.expect("a connection");
        let left = store::mirrors::leftovers(&mut conn).await;
        left.expect("read").is_empty()
    })
    .await;
    assert!(vhost.has_queue("dead").await, "only our own queue is deleted");
    other.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_that_is_added_again_keeps_its_mirror(pool: PgPool) {
    let (vhost, id, office) = running_mirror(&pool).await;
    office.stop().await;
    remove(&pool, id).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Mirror).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let left = store::mirrors::leftovers(&mut conn).await;
    assert_eq!(left.expect("read"), []);
    vhost.delete().await;
}
