//! History that is grouped again, and its counters.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use sqlx::PgPool;

use super::{Office, key, many};
use crate::clock::Clock as _;
use crate::store::groups::read;

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn history_is_grouped_again_and_counters_equal_a_recount(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(30, "robot alpha lost its left arm")).await;
    office.clock.advance(TimeDelta::hours(2));
    office.receive(many(40, "robot alpha lost its left arm")).await;
    office.receive(many(50, "the conveyor belt stands still")).await;
    office.receive(many(5, "the ledger of the month is closed")).await;
    office.group().await;
    let list = async || {
        let mut conn = pool.acquire().await.expect("a connection");
        let page = read::page(&mut conn, None, None, 100, office.clock.now()).await;
        let groups = page.expect("a page").into_iter().map(|(_, group)| group);
        let count = read::count(&mut conn, None).await.expect("counted");
        let groups: Vec<_> = groups.collect();
        assert_eq!(usize::try_from(count).expect("small"), groups.len());
        groups
    };
    let before = list().await;
    assert_eq!(before.len(), 3);
    let belt = before.iter().find(|group| group.letters == 50).expect("it");
    sqlx::query("update groups set owner = 'ann' where id = $1")
        .bind(belt.id.0)
        .execute(&pool)
        .await
        .expect("taken on");
    office.add("error:robot OR error:conveyor", key("machines")).await;
    office.walk().await;
    office.group().await;
    office.assert_counted_right().await;
    let after = list().await;
    let mut seen: Vec<_> =
        after.iter().map(|group| (group.letters, group.arrivals, group.owner.as_deref())).collect();
    seen.sort_unstable();
    // The robots' group is left off; the belt's is somebody's.
    assert_eq!(seen, [(0, 0, Some("ann")), (5, 5, None), (120, 120, None)]);
    let machines = after.iter().find(|group| group.letters == 120).expect("it");
    assert_eq!(machines.by_hour[23], 90);
    assert_eq!(machines.by_hour[21], 30, "each in its hour");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_from_before_there_were_signatures_get_theirs(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(10, "no stock")).await;
    office
        .set(
            "update letters set signature = null, severity = 'low';
             truncate signatures, signature_changes, signature_totals, signature_hours cascade;
             update judging set severity_is_due = true, signature_is_due = true;",
        )
        .await;
    office.walk().await;
    office.group().await;
    office.assert_counted_right().await;
    let expected = BTreeMap::from([("held normal".to_owned(), 10)]);
    assert_eq!(office.severities().await, expected);
}
