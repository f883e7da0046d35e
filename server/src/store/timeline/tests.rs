use chrono::TimeDelta;
use dlo_domain::timeline::{BARS, Reach};
use dlo_domain::topology::QueueDepth;
use sqlx::PgPool;

use super::*;
use crate::store::counts;
use crate::store::topology::{Place, depths as history};

fn now() -> DateTime<Utc> {
    "2026-11-21T12:01:00Z".parse().expect("a time")
}

fn ago(minutes: i64) -> DateTime<Utc> {
    now() - TimeDelta::minutes(minutes)
}

async fn note(conn: &mut PgConnection, vhost: &str, depths: &[(&str, i64)], at: DateTime<Utc>) {
    let place = Place { broker: "main", vhost };
    let depths = depths.iter().map(|&(queue, depth)| QueueDepth { queue, depth, waiting: depth });
    let noted = history::note(conn, place, &depths.collect::<Vec<_>>(), at).await;
    noted.expect("noted");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_queues_that_grew_most_come_first_and_empty_ones_not_at_all(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let conn = &mut *conn;
    let axis = Axis::of(Reach::Shift, now());
    note(conn, "/", &[("full", 900), ("grew", 0), ("empty", 0)], ago(20)).await;
    note(conn, "/", &[("full", 901), ("grew", 50), ("empty", 0)], ago(10)).await;
    note(conn, "/", &[("grew", 20)], ago(10)).await;
    note(conn, "other", &[("a", 3), ("b", 2)], ago(5)).await;
    note(conn, "/", &[("yesterday", 9)], ago(60 * 20)).await;
    let (lanes, left) = depths(conn, None, &axis).await.expect("read");
    let names: Vec<&str> = lanes.iter().map(|lane| lane.queue.as_str()).collect();
    assert_eq!((names, left), (vec!["grew", "full", "a"], 1));
    let seen: Vec<i64> = lanes[0].depths.iter().flatten().copied().collect();
    assert_eq!(seen, [0, 50], "of a slot the most counts");
    assert_eq!(lanes[0].depths.len(), BARS);
    let only = ["b".to_owned(), "none".to_owned()];
    let (lanes, left) = depths(conn, Some(&only), &axis).await.expect("read");
    assert_eq!((lanes.len(), lanes[0].vhost.as_str(), left), (1, "other", 0));
    let (lanes, _) = depths(conn, Some(&[]), &axis).await.expect("read");
    assert!(lanes.is_empty());
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn deaths_in_queues_are_folded_and_forgotten(pool: PgPool) {
    let mut conn = pool.begin().await.expect("a transaction");
    let conn = &mut *conn;
    let counted = |queue: &str, count| [(queue.to_owned(), count)].into();
    for (queue, minutes) in [("a", 1), ("a", 2), ("b", 1), ("a", 60), ("a", 60 * 26)] {
        let added = counts::add_deaths_in(conn, ago(minutes), &counted(queue, 2)).await;
        added.expect("added");
    }
    counts::fold(conn, now()).await.expect("folded");
    let rows = "select count(*) from queue_deaths";
    let count: i64 = sqlx::query_scalar(rows).fetch_one(&mut *conn).await.expect("counted");
    // The two youngest of `a` stand on both sides of noon.
    assert_eq!(count, 5);
    let of_a = ["a".to_owned()];
    let read = deaths_in(conn, &of_a, ago(360)).await.expect("read");
    assert_eq!(read.iter().map(|one| one.1).sum::<i64>(), 6);
    forget(conn, now()).await.expect("forgotten");
    let count: i64 = sqlx::query_scalar(rows).fetch_one(&mut *conn).await.expect("counted");
    assert_eq!(count, 4);
}

/// Workers: one that is away, one that was, one long ago, one that drains, and ones that stopped.
const WORKERS: &str = "
    insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
        last_heartbeat_at, way, heard_ms, interval_ms, queue)
    select name, name, false, state, since, since, since, 'http', 0, 10000, queue
    from (values ('away', 'active', $1 - interval '1 d', 'q1'),
        ('back', 'active', $1 - interval '1 d', 'q2'),
        ('old', 'active', $1 - interval '1 d', 'q1'),
        ('drains', 'draining', $1 - interval '9 h', 'q1'),
        ('stopped', 'stopped', $1 - interval '1 h', 'q1'),
        ('ended', 'stopped', $1 - interval '9 h', 'q1')) as w (name, state, since, queue)";
const AWAY: &str = "
    insert into worker_downtimes (worker, since, found_at, until)
    values ('away', $1 - interval '8 h', $1, null),
        ('back', $1 - interval '8 h', $1, $1 - interval '2 h'),
        ('old', $1 - interval '8 h', $1, $1 - interval '7 h')";

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn silences_that_reach_into_the_time_are_told_and_stops_within_it(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    for sql in [WORKERS, AWAY] {
        let written = sqlx::query(sql).bind(now()).execute(&mut *conn).await;
        written.expect("written");
    }
    let from = ago(360);
    let mut told = Vec::new();
    let queues = ["q1".to_owned()];
    for whose in [
        Whose::Everybody,
        Whose::OfQueues(&queues),
        Whose::OfQueues(&[]),
        Whose::Worker("back"),
        Whose::Worker("nobody"),
    ] {
        let bands = away(&mut conn, whose, from).await.expect("read");
        let mut names: Vec<String> = bands.into_iter().map(|(name, _)| name).collect();
        names.sort();
        told.push(names.join(" "));
    }
    assert_eq!(told, ["away back drains stopped", "away drains stopped", "", "back", ""]);
}
