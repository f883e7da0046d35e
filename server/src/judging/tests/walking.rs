//! The walk over stored letters.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use dlo_domain::rule::Verdict;
use dlo_domain::severity::Severity;
use sqlx::PgPool;
use uuid::Uuid;

use super::{Office, critical, many};
use crate::store::judging::{self, Ruling};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn open_letters_are_judged_again_and_what_is_done_stays(pool: PgPool) {
    let office = Office::open(&pool).await;
    let mut letters = office.receive(many(700, "no stock")).await;
    // Within a moment ids have no order of their own: those that are done are to come last.
    letters.sort_unstable();
    office.clock.advance(TimeDelta::seconds(1));
    office.receive(many(20, "no money")).await;
    assert_eq!(office.progress().await, None, "nothing to do when empty");
    for (state, from) in [("resolved", 0), ("discarded", 100), ("replayed", 200)] {
        let ids: Vec<Uuid> = letters[from..from + 10].iter().map(|id| id.0).collect();
        sqlx::query("update letters set state = $2, claimed_at = now() where id = any($1)")
            .bind(ids)
            .bind(state)
            .execute(&pool)
            .await
            .expect("moved");
    }
    office.add("error:\"no stock\"", critical()).await;
    let progress = office.progress().await.expect("there is a walk");
    assert_eq!((progress.done, progress.of), (0, 720));
    let mut first = office.walker();
    assert!(first.walk_on().await.expect("a step"));
    drop(first);
    let progress = office.progress().await.expect("it is not over");
    assert_eq!(progress.done, 300);
    assert_eq!(progress.changed, 280, "the newest 20 are others");
    office.walk().await;
    assert_eq!(office.progress().await, None);
    let expected = [
        ("discarded normal", 10),
        ("held critical", 670),
        ("held normal", 20),
        ("replayed critical", 10),
        ("resolved normal", 10),
    ];
    let expected = expected.map(|(what, count)| (what.to_owned(), count));
    assert_eq!(office.severities().await, BTreeMap::from(expected));
    office.group().await;
    office.assert_counted_right().await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_change_during_a_walk_begins_it_anew(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(400, "no stock")).await;
    office.add("", Verdict::Severity(Severity::Low)).await;
    let mut walker = office.walker();
    assert!(walker.walk_on().await.expect("a step"));
    office.add("", critical()).await;
    let progress = office.progress().await.expect("a walk");
    assert_eq!((progress.done, progress.changed), (0, 0));
    // It learns of the change by itself.
    while walker.walk_on().await.expect("a step") {}
    let expected = BTreeMap::from([("held critical".to_owned(), 400)]);
    assert_eq!(office.severities().await, expected);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn one_office_walks_at_a_time_and_gives_way_to_people(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.receive(many(3, "no stock")).await;
    office.add("", critical()).await;
    let mut other = pool.begin().await.expect("a transaction");
    assert!(judging::take(&mut other).await.expect("taken").is_some());
    assert!(!office.walker().walk_on().await.expect("left to the other"));
    other.rollback().await.expect("let go");
    let mut person = pool.begin().await.expect("a transaction");
    sqlx::query("select from letters where id = $1 for update")
        .bind(letters[1].0)
        .execute(&mut *person)
        .await
        .expect("locked");
    let refused = office.walker().walk_on().await.expect_err("it waits for nobody");
    assert!(refused.is_lock_timeout(), "{refused}");
    person.rollback().await.expect("let go");
    office.walk().await;
    let expected = BTreeMap::from([("held critical".to_owned(), 3)]);
    assert_eq!(office.severities().await, expected);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_that_died_again_meanwhile_keeps_its_newer_judgement(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.receive(many(2, "no stock")).await;
    let rulings: Vec<Ruling> = letters
        .iter()
        .map(|letter| Ruling {
            letter: *letter,
            arrivals: 1,
            severity: Severity::Critical,
            signature: None,
        })
        .collect();
    sqlx::query("update letters set arrivals = 2 where id = $1")
        .bind(letters[0].0)
        .execute(&pool)
        .await
        .expect("died again");
    let mut conn = pool.acquire().await.expect("a connection");
    let changed = judging::rejudge(&mut conn, &rulings).await.expect("judged");
    assert_eq!(changed, letters[1..]);
}
