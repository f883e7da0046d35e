//! The rules that an office comes with, for real: things go wrong at a real broker, by the clock of this machine;
//! each rule fires once, is told, and is over when things are well again. In full by the limits and times that the
//! rules come with, but for the quarter of an hour of a queue without consumer; in short by shorter times.
//!
//! Only "a message cannot be read" is left out: no message is known that it is about.

mod trouble;

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::{Instant, sleep};

use self::trouble::Company;
use crate::harness::sized;

/// What fires when everything goes wrong but the broker: a rule, and what it is about.
const BEYOND: [(&str, &str); 14] = [
    ("channel_failing", "night"),
    ("dead_letter_rate", ""),
    ("depth", "dead"),
    ("depth", "limited"),
    ("execution_timeouts", ""),
    ("intake_stalled", "gone"),
    ("new_group", "rejected in again"),
    ("new_group", "rejected in work"),
    ("no_active_worker", ""),
    ("of its own", ""),
    ("queue_without_consumer", "idle"),
    ("retries_exhausted", "again"),
    ("source_takes_nothing", "limited"),
    ("stuck_executions", ""),
];

/// The last that fires may take an execution's five minutes, a monitor's minute and half a minute more.
fn patience() -> Duration {
    sized(Duration::from_mins(3), Duration::from_mins(10))
}

/// Every alert that was told, however it stands now. One that came back is another one.
async fn fired(pool: &PgPool) -> BTreeSet<(String, String)> {
    let fired = sqlx::query_as(
        "select coalesce(r.built_in, 'of its own'), a.name || repeat(' (again)', row_number() over
             (partition by r.id, a.key order by a.since)::int - 1)
         from alerts a join alert_rules r on r.id = a.rule_id where a.state <> 'pending'",
    );
    fired.fetch_all(pool).await.expect("listed").into_iter().collect()
}

/// Waits until alerts have fired that did not before.
async fn until_fired(
    company: &Company,
    more: &[(&str, &str)],
    before: &BTreeSet<(String, String)>,
) {
    let more = more.iter().map(|(rule, name)| ((*rule).to_owned(), (*name).to_owned()));
    let wanted: BTreeSet<_> = before.iter().cloned().chain(more).collect();
    let began = Instant::now();
    let mut known = before.clone();
    while known != wanted {
        let now = fired(&company.pool).await;
        for (rule, name) in now.difference(&known) {
            println!("{:>5.1} s: {rule} {name}", began.elapsed().as_secs_f64());
        }
        assert!(now.is_subset(&wanted), "too much: {:?}", now.difference(&wanted));
        let missing: Vec<_> = wanted.difference(&now).collect();
        assert!(began.elapsed() < patience(), "{missing:?}\n{}", company.last_words());
        known = now;
        sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until no alert is open.
async fn until_over(company: &Company) {
    let began = Instant::now();
    loop {
        let open = "select coalesce(r.built_in, 'of its own') from alerts a
             join alert_rules r on r.id = a.rule_id where a.state <> 'resolved'";
        let open: Vec<String> =
            sqlx::query_scalar(open).fetch_all(&company.pool).await.expect("listed");
        if open.is_empty() {
            println!("{:>5.1} s: all over", began.elapsed().as_secs_f64());
            return;
        }
        assert!(began.elapsed() < patience(), "{open:?}\n{}", company.last_words());
        sleep(Duration::from_millis(100)).await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_rule_fires_for_real_and_is_over_again(pool: PgPool) {
    let mut company = Company::open(&pool).await;
    company.go_wrong().await;
    until_fired(&company, &BEYOND, &BTreeSet::new()).await;
    company.be_well_again().await;
    until_over(&company).await;

    // What was resolved is back.
    company.regress().await;
    let before = fired(&pool).await;
    until_fired(&company, &[("regressed_group", "rejected in work")], &before).await;
    company.put_away_letters().await;
    until_over(&company).await;

    company.server().stop_immediately().await.expect("stopped");
    let before = fired(&pool).await;
    until_fired(&company, &[("broker_away", "main")], &before).await;
    company.server().start_again().await.expect("started");
    until_over(&company).await;

    let all = fired(&pool).await.len();
    company.until_told().await;
    for change in ["fired", "resolved"] {
        let alerts = company.told_of(change).await;
        assert_eq!(alerts.len(), all, "{change}, each once: {:#?}", company.slack.texts());
    }
    assert_eq!(
        company.slack.asked(),
        company.slack.taken().len(),
        "each message was taken at once"
    );
    company.close().await;
}
