//! Bodies that are made while others change the letters.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::changing::Transform;
use dlo_domain::replay::NewReplay;
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::until;

/// How many transactions of this database wait for a lock.
async fn waiting(pool: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'",
    )
    .fetch_one(pool)
    .await
    .expect("asked")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn bodies_are_made_before_letters_are_locked_and_only_of_their_last_arrival(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let comes_back = bench.letter("work", br#"{"a":1}"#).await;
    let stays = bench.letter("work", br#"{"a":1}"#).await;
    let mut other = pool.begin().await.expect("a transaction");
    sqlx::query("select from letters where id = $1 for update")
        .bind(comes_back.0)
        .execute(&mut *other)
        .await
        .expect("locked");
    let new = NewReplay {
        selection: Selection::of_ids(vec![comes_back, stays]),
        transform: Some(Transform { jq: ".a = 2".to_owned() }),
        ..NewReplay::default()
    };
    let actor = Actor("ann".to_owned());
    let meanwhile = async {
        until("the plan waits for the lock", || async { waiting(&pool).await == 1 }).await;
        for change in [
            "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange,
                 routing_key, properties, headers, deaths, body, body_sha256)
             select letter_id, 2, arrived_at, source_id, exchange, routing_key, properties,
                 headers, deaths, body, body_sha256
             from arrivals where letter_id = $1",
            "update letters set arrivals = 2 where id = $1",
        ] {
            let changed = sqlx::query(change).bind(comes_back.0).execute(&mut *other);
            changed.await.expect("it came back");
        }
        other.commit().await.expect("committed");
    };
    let (replay, ()) = tokio::join!(bench.desk.plan_replay(&actor, &new), meanwhile);
    let replay = replay.expect("planned");
    assert_eq!(replay.total, 1);
    let left = &replay.left_out[0];
    assert_eq!(left.examples, [comes_back]);
    assert!(left.reason.contains("came back"), "{}", left.reason);
    assert_eq!(bench.state(comes_back).await, LetterState::Held);
    assert_eq!(bench.state(stays).await, LetterState::Claimed);
}
