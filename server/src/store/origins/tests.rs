//! What reads show of origins, and what becomes known by it.

use dlo_domain::topology::{Gap, Map, Queue, Vhost};
use serde_json::json;
use sqlx::PgPool;

use super::*;
use crate::fixture::noon;
use crate::store::topology::Place;

const PLACE: Place<'_> = Place { broker: "main", vhost: "/" };

/// Queues, each with the queue that its dead letters go to, if they go to one.
fn vhost(queues: &[(&str, Option<&str>)]) -> Vhost {
    let queue = |(name, to): &(&str, Option<&str>)| {
        let arguments = to.map_or(
            json!({}),
            |to| json!({"x-dead-letter-exchange": "", "x-dead-letter-routing-key": to}),
        );
        Queue {
            name: (*name).to_owned(),
            arguments: arguments.as_object().expect("an object").clone(),
            ..Queue::default()
        }
    };
    Vhost { queues: queues.iter().map(queue).collect(), ..Vhost::default() }
}

async fn source(conn: &mut PgConnection, origins: &[&str]) -> SourceId {
    let id = Uuid::from_u128(1);
    sqlx::query(
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at, origins)
         values ($1, 'main', '/', 'dead', 'dead', 'take', false, now(), now(), $2)",
    )
    .bind(id)
    .bind(json!(origins))
    .execute(conn)
    .await
    .expect("a source");
    SourceId(id)
}

async fn read(conn: &mut PgConnection, vhost: &Vhost) {
    note(conn, PLACE, &Map::of(vhost)).await.expect("noted");
}

async fn is_known(conn: &mut PgConnection, source: SourceId, queue: &str) -> bool {
    let letter = NamedOrigin { source, queue: Some(queue), arrived_at: noon() };
    let known = known_of(conn, [letter].into_iter()).await.expect("read");
    known.is_known(letter)
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn an_origin_is_known_by_what_reads_show_also_over_others(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let id = source(&mut conn, &[]).await;
    let chain = [
        ("work", Some("later")),
        ("later", Some("dead")),
        ("dead", None),
        ("payments.execute", Some("payments.dead")),
        ("payments.dead", None),
    ];
    assert!(!is_known(&mut conn, id, "work").await);
    read(&mut conn, &vhost(&chain)).await;
    for (queue, wanted) in [
        ("work", true),
        ("later", true),
        ("dead", false),
        ("payments.execute", false),
        ("payments.dead", false),
        ("", false),
    ] {
        assert_eq!(is_known(&mut conn, id, queue).await, wanted, "{queue}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_queue_that_was_deleted_stays_known(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let id = source(&mut conn, &[]).await;
    read(&mut conn, &vhost(&[("work", Some("dead")), ("dead", None)])).await;
    read(&mut conn, &vhost(&[("dead", None)])).await;
    assert!(is_known(&mut conn, id, "work").await);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_queue_that_leads_elsewhere_is_known_no_longer(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let id = source(&mut conn, &[]).await;
    let there = vhost(&[("work", Some("dead")), ("dead", None)]);
    let elsewhere = vhost(&[("work", Some("other")), ("other", None), ("dead", None)]);
    read(&mut conn, &there).await;
    // What a read could not tell ends nothing.
    let mut unsure = elsewhere.clone();
    unsure.gaps = vec![Gap::Policies];
    read(&mut conn, &unsure).await;
    assert!(is_known(&mut conn, id, "work").await);
    read(&mut conn, &elsewhere).await;
    assert!(!is_known(&mut conn, id, "work").await);
    read(&mut conn, &there).await;
    assert!(is_known(&mut conn, id, "work").await);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn nothing_is_written_for_what_messages_name(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let id = source(&mut conn, &["crew.*"]).await;
    read(&mut conn, &vhost(&[("work", Some("dead")), ("dead", None)])).await;
    for number in 0..50 {
        assert!(!is_known(&mut conn, id, &format!("made-up-{number}")).await);
    }
    assert!(is_known(&mut conn, id, "crew.7").await);
    let rows: i64 = sqlx::query_scalar("select count(*) from known_origins")
        .fetch_one(&mut *conn)
        .await
        .expect("counted");
    assert_eq!(rows, 1);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_waits_for_the_read_that_may_know_its_queue(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let id = source(&mut conn, &[]).await;
    let standing = async |conn: &mut PgConnection, arrived_at| {
        let letter = NamedOrigin { source: id, queue: Some("new"), arrived_at };
        let known = known_of(conn, [letter].into_iter()).await.expect("read");
        known.standing(letter)
    };
    let now: DateTime<Utc> =
        sqlx::query_scalar("select now()").fetch_one(&mut *conn).await.expect("a time");
    // Nobody reads the broker.
    assert_eq!(standing(&mut conn, now).await, OriginStanding::Claimed);
    let read = Vhost::default();
    let keep = crate::store::topology::keep(&mut conn, PLACE, &read, now - TimeDelta::minutes(1));
    keep.await.expect("kept");
    let awaited = now - TimeDelta::seconds(30);
    assert_eq!(standing(&mut conn, awaited).await, OriginStanding::Awaited);
    // It was there when the broker was read.
    let before = now - TimeDelta::minutes(2);
    assert_eq!(standing(&mut conn, before).await, OriginStanding::Claimed);
    // An office's clock is wrong: nothing waits for an hour.
    let ahead = now + TimeDelta::hours(1);
    assert_eq!(standing(&mut conn, ahead).await, OriginStanding::Claimed);
}
