//! Alerts over a channel that answers badly, is away, and offices that are killed: none is lost, and none is told
//! twice that was taken with a clean answer.

use std::time::Duration;

use dlo_app::desk::ChannelDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::channel::{ChannelKind, NewChannel, Route};
use dlo_server::broker::Brokers;
use sqlx::PgPool;
use tokio::time::{Instant, sleep};

use crate::harness::frozen::own_database;
use crate::harness::goal::GoalRow;
use crate::harness::process::{Premises, Serve};
use crate::harness::sized;
use crate::support::database::{count, database_url};
use crate::support::desk::Bench;
use crate::support::slack::{Answer, Slack};
use crate::support::until_within;

/// Alerts of one wave.
const WAVE: usize = 100;

/// Twenty waves are the two thousand alerts of goal R12.
const WAVES: usize = 20;

/// An office that tells, and nothing else.
const ALONE: [(&str, &str); 6] = [
    ("DLO_INTAKE", "off"),
    ("DLO_REPLAY", "off"),
    ("DLO_TOPOLOGY", "off"),
    ("DLO_EXECUTIONS", "off"),
    ("DLO_FLEET", "off"),
    ("DLO_ALERTS_ALLOW", "127.0.0.0/8"),
];

/// New groups with letters that wait.
const GROUPS: &str = "
    with made as (
        insert into groups (id, state, state_since, title, why, created_at)
        select gen_random_uuid(), 'open', now(), 'no route', '{}', now() from generate_series(1, 100)
        returning id)
    insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
    select id, 1, 1, 1, 0, 0, 0, 1, 1 from made";

struct Telling {
    pool: PgPool,
    premises: Premises,
    office: Option<Serve>,
    slack: Slack,
}

impl Telling {
    async fn open(pool: &PgPool, database_url: String) -> Self {
        let slack = Slack::start().await;
        let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
        let premises = Premises::new(database_url, &nobody);
        let office = premises.open_with(&ALONE);
        until_within("the office has its rules", Duration::from_mins(1), || async {
            count(pool, "select count(*) from alert_rules").await > 0
        })
        .await;
        let channel = NewChannel {
            name: "on call".to_owned(),
            kind: ChannelKind::Slack,
            address: Some(slack.address.clone()),
            secret: None,
            route: Route::default(),
            enabled: true,
        };
        let desk = Bench::offline(pool).await.desk;
        desk.add_channel(&Actor("anna".to_owned()), &channel).await.expect("added");
        Self { pool: pool.clone(), premises, office: Some(office), slack }
    }

    /// Something goes wrong with this wave.
    async fn hinder(&mut self, wave: usize) {
        let asked = self.slack.asked();
        match wave % 5 {
            1 => self.slack.will([Answer::TooMany(2)]),
            2 => self.slack.will([Answer::Refuse(500, "rollup_error"), Answer::Garbage]),
            3 => self.slack.will([Answer::Hang]),
            _ => {}
        }
        sqlx::raw_sql(GROUPS).execute(&self.pool).await.expect("a wave");
        if wave % 5 == 3 {
            // While nobody has taken it: what was taken and not written down may be told twice.
            until_within("it posts", Duration::from_mins(2), || async {
                self.slack.asked() > asked
            })
            .await;
            self.office.take().expect("an office").kill().await;
            self.office = Some(self.premises.open_with(&ALONE));
        }
        if wave == WAVES / 2 {
            self.slack.die().await;
            sleep(Duration::from_secs(sized(10, 60))).await;
            self.slack.come_back().await;
        }
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn of_two_thousand_alerts_none_is_lost_and_none_told_twice(pool: PgPool) {
    let began = Instant::now();
    let mut telling = Telling::open(&pool, database_url(&pool)).await;
    for wave in 0..WAVES {
        telling.hinder(wave).await;
        let said = || telling.premises.last_words();
        let deadline = Instant::now() + Duration::from_mins(3);
        while telling.slack.begun() < (wave + 1) * WAVE {
            assert!(
                Instant::now() < deadline,
                "wave {wave}: {} told\n{}",
                telling.slack.begun(),
                said()
            );
            sleep(Duration::from_millis(100)).await;
        }
    }
    let open = count(&pool, "select count(*) from alerts where state = 'firing'").await;
    let waiting = count(&pool, "select count(*) from notifications where sent_at is null").await;
    let begun = telling.slack.begun();
    let all = WAVES * WAVE;
    let is_met = begun == all && usize::try_from(open) == Ok(all) && waiting == 0;
    GoalRow {
        goal: "R12",
        case: "Slack answers 429, 500, garbage, nothing, is away; offices killed".to_owned(),
        tried: format!("{all} alerts, {} messages", telling.slack.taken().len()),
        broker: String::new(),
        lost: Some(all.saturating_sub(begun)),
        doubled: Some(begun.saturating_sub(all)),
        recovered: Some(began.elapsed()),
        is_met,
    }
    .report();
    assert!(
        is_met,
        "{begun} told, {open} open, {waiting} waiting\n{}",
        telling.premises.last_words()
    );
    telling.office.take().expect("an office").stop().await;
}

#[tokio::test]
async fn what_was_taken_while_the_database_was_away_is_not_told_again() {
    let (sandbox, url, pool) = own_database(Duration::from_secs(2)).await;
    let server = sandbox.postgres().expect("a database");
    let mut telling = Telling::open(&pool, url).await;
    telling.slack.will([Answer::TakeSlowly(3)]);
    sqlx::raw_sql(GROUPS).execute(&pool).await.expect("a wave");
    let begun = || async { telling.slack.begun() == WAVE };
    until_within("it is taken", Duration::from_mins(2), begun).await;
    server.stop_immediately().await.expect("stopped");
    // The answer comes when nobody can write it down.
    sleep(Duration::from_secs(6)).await;
    server.start_again().await.expect("started");
    until_within("it is written down", Duration::from_mins(2), || async {
        let waiting = "select count(*) from notifications where sent_at is null";
        sqlx::query_scalar::<_, i64>(waiting).fetch_one(&pool).await.is_ok_and(|left| left == 0)
    })
    .await;
    let office = telling.office.take().expect("an office");
    let (asked, last_words) = (telling.slack.asked(), telling.premises.last_words());
    assert_eq!((asked, telling.slack.begun()), (1, WAVE), "{last_words}");
    office.stop().await;
}
