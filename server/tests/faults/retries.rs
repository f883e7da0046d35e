//! Offices that are killed lose no try and double none, and a policy that changes beside intake.

use dlo_app::desk::PolicyDesk as _;
use dlo_domain::policy::NewPolicy;
use sqlx::PgPool;
use std::time::Duration;

use crate::harness::process::Premises;
use crate::harness::setting;
use crate::support::database::count;
use crate::support::database::database_url;
use crate::support::desk::{Bench, at_work};
use crate::support::office::Office;
use crate::support::retries::{add, policy, scheduler};
use crate::support::until_within;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn offices_that_are_killed_lose_no_try_and_double_none(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    // So slow that tries are made over some seconds, in which offices die.
    let slow = NewPolicy { retries_per_minute: 1_800, ..policy(vec![1]) };
    add(&bench, &slow).await;
    let many = setting("DLO_RETRY_LETTERS", 120);
    letters(&bench, &pool, many).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let taken = "select count(*) from retries where state = 'taken'";
    let mut offices = vec![premises.open(), premises.open()];
    let kills = setting("DLO_RETRY_KILLS", 4);
    for kill in 0..kills {
        let enough = i64::try_from(many * kill / (kills + 1)).expect("few");
        until_within("tries are made", Duration::from_mins(1), || async {
            count(&pool, taken).await > enough
        })
        .await;
        offices.remove(0).kill().await;
        offices.push(premises.open());
    }
    let all = i64::try_from(many).expect("few");
    until_within("every try is made", Duration::from_secs(90), || async {
        count(&pool, taken).await == all
            && count(&pool, "select count(*) from replay_items where outcome = 'pending'").await
                == 0
    })
    .await;
    for office in offices {
        office.stop().await;
    }
    let said = premises.last_words();
    let doubled = "select count(*) from (
        select letter_id from replay_items group by letter_id having count(*) > 1) as doubled";
    assert_eq!(count(&pool, doubled).await, 0, "{said}");
    assert_eq!(count(&pool, "select count(*) from policy_inbox").await, 0);
    let waiting = "select count(*) from letters where state in ('held', 'scheduled', 'claimed')";
    assert_eq!(count(&pool, waiting).await, 0, "{said}");
    // A publish that a kill cut off may have happened, and is not made again.
    let confirmed = "select count(*) from replay_items where outcome = 'confirmed'";
    let confirmed = count(&pool, confirmed).await;
    let depth = i64::from(vhost.depth("work").await);
    assert!((confirmed..=all).contains(&depth), "{confirmed} {depth}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_arrives_beside_a_change_of_policies_is_asked_about_or_was_there_before(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.queue("dead", &[]).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let bodies: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
    let (before, after) = bodies.split_at(1_000);
    vhost.publish_all("dead", before).await;
    until_within("some are stored", Duration::from_secs(30), || async {
        count(&pool, "select count(*) from letters").await > 200
    })
    .await;
    // While batches are under way.
    let id = add(&bench, &policy(vec![1_000])).await;
    let at: chrono::DateTime<chrono::Utc> =
        bench.desk.policy(id).await.expect("a policy").policy.changed_at;
    vhost.publish_all("dead", after).await;
    let scheduler = scheduler(&pool);
    until_within("all are stored and asked about", Duration::from_mins(1), || async {
        count(&pool, "select count(*) from letters").await == 2_000
            && count(&pool, "select count(*) from policy_inbox").await == 0
    })
    .await;
    let missed: i64 = sqlx::query_scalar(
        "select count(*) from letters where state = 'held' and last_arrived_at > $1",
    )
    .bind(at + chrono::TimeDelta::seconds(2))
    .fetch_one(&pool)
    .await
    .expect("counted");
    assert_eq!(missed, 0, "every later one is scheduled");
    let scheduled = count(&pool, "select count(*) from letters where state = 'scheduled'").await;
    assert!(scheduled >= 1_000, "{scheduled}");
    scheduler.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

/// Letters of which the policies are still to be asked.
async fn letters(bench: &Bench, pool: &PgPool, many: usize) {
    for number in 0..many {
        let letter = bench.letter("work", number.to_string().as_bytes()).await;
        sqlx::query("insert into policy_inbox (letter_id, arrived_at) values ($1, now())")
            .bind(letter.0)
            .execute(pool)
            .await
            .expect("asked");
    }
}
