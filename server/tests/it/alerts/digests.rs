//! What is told once a day: in one message, at its time, and at once when it becomes worse.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::channels::Telling;
use super::groups::GROUP;

const NORMAL: &str = "update group_totals set critical = 0, normal = 3";

/// Lets time pass until seven the next morning, less some seconds.
async fn sleep_until_before_seven(telling: &Telling, seconds: i64) {
    let seven: DateTime<Utc> = "2026-11-22T07:00:00Z".parse().expect("a time");
    telling.office.clock.advance(seven - telling.office.now() - TimeDelta::seconds(seconds));
    telling.office.evaluator.look().await.expect("looked");
    telling.post().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_normal_is_told_in_the_morning(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling.office.run(NORMAL).await;
    telling.pass(60).await;
    let open = telling.office.open_alerts().await;
    assert_eq!((open.len(), open[0].told_at), (1, None), "it is listed, and nobody was told");
    sleep_until_before_seven(&telling, 1).await;
    assert_eq!(telling.slack.taken().len(), 0);
    telling.office.clock.advance(TimeDelta::seconds(1));
    telling.post().await;
    assert_eq!(telling.slack.texts(), ["Normal: a new failure: “no route”, 3 letters wait"]);
    assert_eq!(telling.office.open_alerts().await[0].told_at, Some(telling.office.now()));
    // Its end wakes nobody either.
    telling.office.run("update group_totals set waiting = 0").await;
    telling.pass(60).await;
    assert_eq!(telling.office.open_alerts().await, []);
    assert_eq!(telling.slack.taken().len(), 1);
    telling.office.clock.advance(TimeDelta::days(1));
    telling.post().await;
    assert_eq!(telling.slack.texts().len(), 2);
    assert!(telling.slack.texts()[1].starts_with("Over after"), "{:?}", telling.slack.texts());
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_becomes_worse_in_the_night_is_told_at_once_and_not_again(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling.office.run(NORMAL).await;
    telling.pass(60).await;
    assert_eq!(telling.slack.taken().len(), 0);
    telling.office.run("update group_totals set critical = 3, normal = 0").await;
    telling.pass(20).await;
    assert_eq!(
        telling.slack.texts(),
        ["Critical: Worse: a new failure: “no route”, 3 letters wait"]
    );
    sleep_until_before_seven(&telling, 0).await;
    telling.pass(20).await;
    assert_eq!(telling.slack.taken().len(), 1, "{:?}", telling.slack.texts());
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_night_of_normal_alerts_is_one_message_and_low_ones_are_none(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling.office.run(NORMAL).await;
    telling
        .office
        .run(
            "insert into groups (id, state, state_since, title, why, created_at)
             select gen_random_uuid(), 'open', '2026-11-21T12:00:01Z', 'failure ' || n, '{}', '2026-11-21T12:00:01Z'
             from generate_series(1, 3) n;
             insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
             select id, 2, 2, 0, 0, case title when 'failure 3' then 0 else 2 end,
                 case title when 'failure 3' then 2 else 0 end, 2, 1 from groups where title like 'failure %'",
        )
        .await;
    telling.pass(60).await;
    telling.office.run("update group_totals set waiting = 0 where impact = 3").await;
    telling.pass(60).await;
    sleep_until_before_seven(&telling, 0).await;
    let taken = telling.slack.taken();
    assert_eq!(taken.len(), 1);
    let told = taken[0].to_string();
    for part in ["failure 1", "failure 2", "Over after", "3 alerts"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("failure 3"), "{told}");
}
