//! Policies that are removed, or do not retry any more, with very many letters that wait.

use std::time::Duration;

use dlo_app::desk::PolicyDesk as _;
use dlo_domain::ids::{LetterId, PolicyId};
use dlo_domain::policy::{NewPolicy, PolicyVerdict};
use dlo_domain::state::LetterState;
use sqlx::PgPool;
use tokio::time::Instant;

use crate::clock::{Clock as _, new_id};
use crate::store::audit::Note;
use crate::store::retries;

use super::office::{Office, anna, policy};

const MANY: i64 = 20_000;

/// Letters that wait for a policy, due ten seconds from now.
async fn schedule_many(office: &Office, id: PolicyId, letters: i64) {
    let first = new_id(&*office.clock).to_string();
    let ids = "select ($1 || lpad(to_hex(n), 12, '0'))::uuid from generate_series(1, $2) as n";
    let statements = [
        format!(
            "insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                 reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
             select id, (select id from sources), 'scheduled', 'normal', 'work', '', 'work',
                 'rejected', 1, 1, $3, $3 from ({ids}) as ids (id) where $4::uuid is not null"
        ),
        format!(
            "insert into retries
                 (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
             select id, 1, 1, 1, $4, 'waiting', $3, $3 + interval '10 s' from ({ids}) as ids (id)"
        ),
    ];
    for statement in statements {
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .bind(&first[..24])
            .bind(letters)
            .bind(office.clock.now())
            .bind(id.0)
            .execute(&office.pool)
            .await
            .expect("scheduled");
    }
}

async fn scheduled(office: &Office) -> i64 {
    let scheduled = office.count("select count(*) from letters where state = 'scheduled'");
    scheduled.await
}

fn holding() -> NewPolicy {
    NewPolicy { verdict: PolicyVerdict::Hold, ..policy("again", "") }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn very_many_letters_are_let_go_in_steps_while_intake_goes_on(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    office.add(&policy("later", "queue:later")).await;
    schedule_many(&office, id, MANY).await;
    office.desk.remove_policy(&anna(), id).await.expect("removed");
    assert_eq!(scheduled(&office).await, MANY, "none in the change itself");
    // While a step is under way, letters arrive.
    let mut step = pool.begin().await.expect("begun");
    let note = Note {
        at: office.clock.now(),
        actor: &anna(),
        action: "letter.unschedule",
        detail: None,
        replay: None,
    };
    let held = retries::let_go(&mut step, id, 1_000, note).await;
    assert_eq!(held.expect("held").len(), 1_000);
    let arrival = tokio::time::timeout(Duration::from_mins(2), office.arrive("later"));
    let letter = arrival.await.expect("nothing holds intake up");
    step.rollback().await.expect("the office was killed");

    // An office is killed in the middle, and another goes on.
    office.clock.advance(chrono::TimeDelta::seconds(11));
    office.scheduler().pass().await.expect("a pass");
    let _ = tokio::time::timeout(Duration::from_millis(20), office.scheduler().pass()).await;
    let left = scheduled(&office).await;
    assert!((1..MANY).contains(&left), "{left}");
    let mut other = office.scheduler();
    let deadline = Instant::now() + Duration::from_mins(1);
    while scheduled(&office).await > 1 && Instant::now() < deadline {
        // Postgres takes a moment to hear that the first one's connection is gone.
        other.pass().await.expect("a pass");
    }
    assert_eq!(office.state(letter).await, LetterState::Scheduled);
    assert_eq!(scheduled(&office).await, 1, "that one waits for another");
    assert_eq!(office.made().await, 0, "nothing of it was tried");
    let told = office.count(
        "select count(distinct letter_id) from audit where action = 'letter.unschedule'
             and actor = 'anna' and detail = 'the retry policy `again` was removed'",
    );
    assert_eq!(told.await, MANY);
    let under_way = "select count(*) from retry_policies where lets_go_by is not null";
    assert_eq!(office.count(under_way).await, 0);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn an_office_that_takes_no_part_in_retrying_lets_letters_go_all_the_same(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    schedule_many(&office, id, 10).await;
    let mut idle = office.idle_scheduler();
    office.after(11, &mut idle).await;
    assert_eq!((office.made().await, scheduled(&office).await), (0, 10));
    office.desk.change_policy(&anna(), id, &holding()).await.expect("changed");
    office.after(0, &mut idle).await;
    assert_eq!((office.made().await, scheduled(&office).await), (0, 0));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_that_somebody_works_on_is_let_go_afterwards(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    schedule_many(&office, id, 3).await;
    office.desk.change_policy(&anna(), id, &holding()).await.expect("changed");
    let mut elsewhere = pool.begin().await.expect("begun");
    let locked: uuid::Uuid = sqlx::query_scalar("select id from letters limit 1 for update")
        .fetch_one(&mut *elsewhere)
        .await
        .expect("locked");
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(0, &mut scheduler).await;
    assert_eq!(scheduled(&office).await, 1);
    elsewhere.rollback().await.expect("let go");
    office.after(0, &mut scheduler).await;
    assert_eq!(office.state(LetterId(locked)).await, LetterState::Held);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_policy_that_retries_again_keeps_what_it_had_not_let_go_yet(pool: PgPool) {
    let office = Office::open(&pool).await;
    let id = office.add(&policy("again", "")).await;
    schedule_many(&office, id, 1_500).await;
    office.desk.change_policy(&anna(), id, &holding()).await.expect("changed");
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    assert_eq!(scheduled(&office).await, 500);
    let again = policy("again", "");
    office.desk.change_policy(&anna(), id, &again).await.expect("changed");
    office.after(0, &mut scheduler).await;
    assert_eq!(scheduled(&office).await, 500);
}
