//! Rules that people write: what their filters match is counted as it arrives, and measured while it waits.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::{AlertDesk as _, DeskError, TriageDesk as _};
use dlo_domain::alert::{Alert, AlertRule, AlertState, Measure, NewAlertRule, Signal};
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::selection::Selection;
use dlo_domain::severity::Severity;
use dlo_domain::source::SourceMode;
use dlo_server::alerts::Evaluator;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::judging::Walker;
use dlo_server::store::alerts::{list, matches, rules};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

fn actor() -> Actor {
    Actor("anna".to_owned())
}

fn rule(name: &str, signal: Signal, limit: i64) -> NewAlertRule {
    NewAlertRule {
        name: name.to_owned(),
        signal,
        limit,
        severity: Some(Severity::High),
        pending_seconds: 0,
        clearing_seconds: 0,
        repeat_seconds: 0,
        enabled: true,
    }
}

fn arriving(filter: &str, measure: Measure) -> Signal {
    Signal::DeadLetters { filter: filter.to_owned(), measure, minutes: 10 }
}

fn oldest(filter: &str) -> Signal {
    Signal::OldestLetter { filter: filter.to_owned() }
}

/// Alert rules, looked at by the clock of this machine.
struct Rules {
    bench: Bench,
    evaluator: Evaluator,
}

impl Rules {
    fn of(bench: Bench) -> Self {
        let evaluator =
            Evaluator::new(bench.pool.clone(), Arc::new(SystemClock), Duration::from_mins(15));
        Self { bench, evaluator }
    }

    async fn add(&self, name: &str, signal: Signal, limit: i64) -> AlertRule {
        let rule = rule(name, signal, limit);
        self.bench.desk.add_alert_rule(&actor(), &rule).await.expect("added")
    }

    /// The alerts that are there after a look, by the names of their rules.
    async fn look(&self) -> Vec<(String, i64)> {
        self.evaluator.look().await.expect("looked");
        let open = self.open().await.into_iter();
        let mut open: Vec<_> = open.map(|alert| (alert.rule_name, alert.figure)).collect();
        open.sort();
        open
    }

    async fn open(&self) -> Vec<Alert> {
        let mut conn = self.bench.pool.acquire().await.expect("a connection");
        list::open(&mut conn, 500, SystemClock.now()).await.expect("listed")
    }

    /// Lets the letters that wait be looked through, once rules have changed.
    async fn walk(&self) {
        let mut walker = Walker::new(self.bench.pool.clone());
        while walker.walk_on().await.expect("walked") {}
    }

    /// Has all letters wait for so many seconds more.
    async fn grow_older(&self, seconds: i32) {
        sqlx::query("update letters set state_since = state_since - make_interval(secs => $1)")
            .bind(f64::from(seconds))
            .execute(&self.bench.pool)
            .await
            .expect("older");
    }
}

fn figure(name: &str, figure: i64) -> (String, i64) {
    (name.to_owned(), figure)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_of_a_filter_are_counted_as_they_arrive(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    let rules = Rules::of(Bench::offline(&pool).await);
    vhost.publish_all("dead", &vec![r#"{"kind": "bad"}"#.to_owned(); 7]).await;
    until("letters", || async { letters(&pool).await == 7 }).await;
    let bad = "body.kind:bad";
    let count = rules.add("count", arriving(bad, Measure::Count), 4).await;
    rules.add("rate", arriving(bad, Measure::Rate), 4).await;
    rules.add("ratio", arriving(bad, Measure::Ratio), 20).await;
    rules.add("age", oldest(bad), 30).await;
    rules.add("none", arriving("body.kind:worse", Measure::Count), 0).await;
    assert_eq!(rules.look().await, [], "what was there before is not counted");
    let bodies: Vec<String> = (0..20)
        .map(|n| format!(r#"{{"kind": "{}"}}"#, if n < 5 { "bad" } else { "fine" }))
        .collect();
    vhost.publish_all("dead", &bodies).await;
    until("letters", || async { letters(&pool).await == 27 }).await;
    // 5 of 27.
    assert_eq!(rules.look().await, [figure("count", 5), figure("rate", 5)]);
    vhost.publish_all("dead", &vec![r#"{"kind": "bad"}"#.to_owned(); 3]).await;
    until("letters", || async { letters(&pool).await == 30 }).await;
    let firing = rules.look().await;
    assert!(
        firing.contains(&figure("count", 8)) && firing.contains(&figure("ratio", 26)),
        "{firing:?}"
    );
    assert_eq!(rules.open().await[0].signal.filter(), Some(bad));

    // Folding keeps what was counted.
    let mut transaction = pool.begin().await.expect("a transaction");
    dlo_server::store::counts::fold(&mut transaction, SystemClock.now()).await.expect("folded");
    transaction.commit().await.expect("committed");
    assert!(rules.look().await.contains(&figure("count", 8)));

    // Of another filter nothing is known yet: that is neither good nor bad.
    let other = NewAlertRule { signal: arriving("body.kind:fine", Measure::Count), ..count.rule };
    rules.bench.desk.change_alert_rule(&actor(), count.id, &other).await.expect("changed");
    assert!(rules.look().await.contains(&figure("count", 8)), "it is not over");
    rules.bench.desk.remove_alert_rule(&actor(), count.id).await.expect("removed");
    assert!(
        !rules.look().await.iter().any(|(name, _)| name == "count"),
        "it is over with its rule"
    );
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_letter_that_waits_for_the_longest_is_measured(pool: PgPool) {
    let rules = Rules::of(Bench::offline(&pool).await);
    let desk = rules.bench.desk.clone();
    let old = rules.bench.letter("work", b"{}").await;
    rules.grow_older(600).await;
    let young = rules.bench.letter("work", b"{}").await;
    rules.bench.letter("other", b"{}").await;
    let rule = rules.add("age", oldest("queue:work severity:normal"), 300).await;
    assert_eq!(rules.look().await, [], "not looked through yet");
    rules.walk().await;
    let waits = async |least: i64| {
        let open = rules.look().await;
        open.len() == 1 && (least..least + 60).contains(&open[0].1)
    };
    assert!(waits(600).await, "{:?}", rules.open().await);
    let one = |letter: LetterId| Selection::of_ids(vec![letter]);
    desk.discard(&actor(), &one(old), "known").await.expect("discarded");
    assert_eq!(rules.look().await, [], "it waits no more, and the other not for long");
    rules.grow_older(400).await;
    assert!(waits(400).await, "{:?}", rules.open().await);
    desk.discard(&actor(), &one(young), "known").await.expect("discarded");
    assert_eq!(rules.look().await, []);
    desk.restore(&actor(), &one(old)).await.expect("restored");
    rules.grow_older(310).await;
    assert!(waits(310).await, "what is put back waits from then on: {:?}", rules.open().await);

    // While letters are looked through for another filter, the alert is not over.
    let other = NewAlertRule { signal: oldest("queue:w*"), ..rule.rule };
    desk.change_alert_rule(&actor(), rule.id, &other).await.expect("changed");
    assert!(waits(310).await, "{:?}", rules.open().await);
    rules.walk().await;
    assert!(waits(310).await, "{:?}", rules.open().await);
    let off = NewAlertRule { enabled: false, ..other };
    desk.change_alert_rule(&actor(), rule.id, &off).await.expect("changed");
    assert_eq!(rules.look().await, []);
    let kept = async || -> i64 {
        let kept = sqlx::query_scalar("select count(*) from alert_waiting").fetch_one(&pool);
        kept.await.expect("counted")
    };
    assert!(kept().await > 0, "nobody waits for them to be forgotten");
    let mut conn = pool.acquire().await.expect("a connection");
    matches::remove_old(&mut conn, SystemClock.now(), 1_000).await.expect("removed");
    assert_eq!(kept().await, 0);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_preview_says_when_a_rule_would_have_fired(pool: PgPool) {
    let rules = Rules::of(Bench::offline(&pool).await);
    let desk = &rules.bench.desk;
    let now = SystemClock.now();
    // Twelve letters of one minute three days ago, twelve of another a day ago, and one now.
    for (hours, number) in [(72, 12), (24, 12), (0, 1)] {
        for _ in 0..number {
            let letter = rules.bench.letter("work", b"{}").await;
            sqlx::query(
                "update letters set first_arrived_at = $2, last_arrived_at = $2, state_since = $2 where id = $1",
            )
            .bind(letter.0)
            .bind(now - TimeDelta::hours(hours))
            .execute(&pool)
            .await
            .expect("moved");
        }
    }
    let preview = async |signal: Signal, limit| {
        desk.preview_alert_rule(&rule("x", signal, limit), None).await.expect("a preview")
    };
    let fired = |preview: &dlo_domain::alert::AlertPreview| -> Vec<(i64, i64)> {
        let alerts = preview.alerts.as_ref().expect("a history").iter();
        let hours = |at: DateTime<Utc>| (now - at).num_minutes().div_euclid(60);
        alerts.map(|one| (hours(one.from), one.worst)).collect()
    };
    let seen = preview(arriving("queue:work", Measure::Count), 10).await;
    assert_eq!(fired(&seen), [(72, 12), (24, 12)]);
    assert_eq!((seen.hours.len(), seen.hours.iter().max()), (168, Some(&12)));
    assert_eq!((seen.until - seen.from).num_minutes() + 1, 7 * 24 * 60);
    assert_eq!(fired(&preview(arriving("queue:work", Measure::Count), 12).await), []);
    assert_eq!(fired(&preview(arriving("queue:other", Measure::Rate), 0).await), []);
    // The oldest has waited for three days: since two of them for longer than one.
    let seen = preview(oldest("queue:work"), 24 * 60 * 60).await;
    assert!(matches!(fired(&seen)[..], [(47, worst)] if worst >= 259_000), "{seen:?}");
    let seen = preview(Signal::Depth, 1).await;
    assert_eq!((seen.alerts, seen.fired), (None, None));
    let kept = rules.add("kept", arriving("queue:work", Measure::Count), 0).await;
    let seen = desk.preview_alert_rule(&kept.rule, Some(kept.id)).await.expect("a preview");
    assert_eq!(seen.fired, Some(0));
    let odd = rule("x", arriving("state:held", Measure::Count), 0);
    let refused = desk.preview_alert_rule(&odd, None).await;
    assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_are_added_and_removed_by_hand_only_within_bounds(pool: PgPool) {
    let rules = Rules::of(Bench::offline(&pool).await);
    let desk = &rules.bench.desk;
    let mut conn = pool.acquire().await.expect("a connection");
    rules::add_missing(&mut conn, &SystemClock, SystemClock.now()).await.expect("added");
    drop(conn);
    let built_in = desk.alert_rules().await.expect("read").remove(0);
    let refused = desk.remove_alert_rule(&actor(), built_in.id).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    let own = rules.add("own", arriving("queue:a", Measure::Count), 5).await;
    // Its filter can be told apart from that of others, whatever it watches.
    let filtered = NewAlertRule {
        signal: Signal::DeadLetters {
            filter: "queue:b".to_owned(),
            measure: Measure::Rate,
            minutes: 1,
        },
        ..built_in.rule
    };
    desk.change_alert_rule(&actor(), built_in.id, &filtered).await.expect("changed");
    for place in 15..100 {
        rules.add(&format!("own {place}"), arriving("queue:a", Measure::Count), place).await;
    }
    let one_more = rule("one more", arriving("queue:a", Measure::Count), 5);
    let refused = desk.add_alert_rule(&actor(), &one_more).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    desk.remove_alert_rule(&actor(), own.id).await.expect("removed");
    let refused = desk.remove_alert_rule(&actor(), own.id).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))), "{refused:?}");
    desk.add_alert_rule(&actor(), &one_more).await.expect("there is room again");
    assert!(rules.open().await.iter().all(|alert| alert.state != AlertState::Firing));
    let said: Vec<String> = sqlx::query_scalar(
        "select distinct action from audit where actor = 'anna' order by action",
    )
    .fetch_all(&pool)
    .await
    .expect("read");
    assert_eq!(said, ["alert_rule.add", "alert_rule.change", "alert_rule.remove"]);
}
