//! Rules while intake is at work, and offices are killed: every letter is judged by them in the
//! end, the old ones and the new, and the desk says how far that has come.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::grouping::Outcome;
use dlo_domain::ids::RuleId;
use dlo_domain::rule::{NewRule, RuleKind, Verdict};
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::ledger::Ledger;
use crate::support::process::{Premises, database_url};

fn actor() -> Actor {
    Actor("anna".to_owned())
}

fn rule(name: &str, filter: &str, verdict: Verdict) -> NewRule {
    NewRule {
        name: name.to_owned(),
        filter: filter.to_owned(),
        verdict,
        enabled: true,
    }
}

async fn count(pool: &PgPool, of: &'static str) -> i64 {
    let counted = sqlx::query_scalar(of).fetch_one(pool).await;
    counted.unwrap_or(-1)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_reaches_every_letter_though_offices_are_killed(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let bodies: Vec<String> = (0..4_000)
        .map(|number| format!("{{\"number\": {number}, \"kind\": \"k{}\"}}", number % 7))
        .collect();
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let ledger = Ledger {
        pool: &pool,
        vhost: &vhost,
        queue: "dead",
        premises: &premises,
        bodies: &bodies,
    };
    let (old, new) = bodies.split_at(2_500);
    vhost.publish_all("dead", old).await;
    let (first, second) = (premises.open(), premises.open());
    ledger
        .until("there are old letters", 60, || async {
            ledger.letters().await > 1_500
        })
        .await;
    // Some are stored, some are in hand, and some come later.
    let critical = rule(
        "numbers",
        "body.number:>=0",
        Verdict::Severity(Severity::Critical),
    );
    bench
        .desk
        .add_rule(&actor(), &critical)
        .await
        .expect("added");
    let key = Verdict::Grouping(Outcome::Key("all numbers of {queue}".to_owned()));
    let alike = rule("numbers", "has:body.kind", key);
    bench.desk.add_rule(&actor(), &alike).await.expect("added");
    vhost.publish_all("dead", new).await;
    ledger
        .until("the walk is under way", 60, || async {
            count(&pool, "select done from judging").await > 0
        })
        .await;
    first.kill().await;
    second.kill().await;
    let book = bench.desk.rules().await.expect("read");
    assert!(book.judging_again.is_some(), "the kill hit the walk");
    let third = premises.open();
    ledger.until_settled(120).await;
    ledger
        .until("the walk is over", 120, || async {
            let book = bench.desk.rules().await;
            book.is_ok_and(|book| book.judging_again.is_none())
        })
        .await;
    ledger
        .until("every letter is judged by the rules", 5, || async {
            let wrong = "select count(*) from letters where severity <> 'critical'";
            let groups = "select count(distinct signature) from letters";
            count(&pool, wrong).await == 0 && count(&pool, groups).await == 1
        })
        .await;
    third.stop().await;
    ledger.assert_exact_though_judged_again().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rules_are_written_checked_ordered_and_told_in_the_trail(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let desk = &bench.desk;
    let before = desk.rules().await.expect("read");
    assert_eq!(before.judging_again, None, "there are no letters");
    let low = Verdict::Severity(Severity::Low);
    for (name, filter, verdict) in [
        ("", "", low.clone()),
        ("a", "mood:bad", low.clone()),
        ("a", "age:>1h", low.clone()),
        (
            "a",
            "",
            Verdict::Grouping(Outcome::Key("{mood}".to_owned())),
        ),
        (
            "a",
            "",
            Verdict::Grouping(Outcome::Masks(vec!["(".to_owned()])),
        ),
    ] {
        let refused = desk.add_rule(&actor(), &rule(name, filter, verdict)).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
    }
    let hostile = "<b>it's</b> \"; drop table rules; --";
    let added = desk
        .add_rule(&actor(), &rule(hostile, " queue:a ", low.clone()))
        .await
        .expect("added");
    assert_eq!(added.rule.name, hostile);
    assert_eq!((added.position, added.changed_by.as_str()), (6, "anna"));
    let book = desk.rules().await.expect("read");
    assert_eq!(book.revision, before.revision + 1);
    assert!(book.judging_again.is_some());
    let key = Verdict::Grouping(Outcome::Key("k".to_owned()));
    let other_kind = rule("a", "", key);
    let refused = desk.change_rule(&actor(), added.id, &other_kind).await;
    assert!(matches!(refused, Err(DeskError::Invalid(_))));
    let changed = NewRule {
        enabled: false,
        ..added.rule.clone()
    };
    let changed = desk.change_rule(&actor(), added.id, &changed).await;
    assert!(!changed.expect("changed").rule.enabled);
    let mut order: Vec<RuleId> = book.severity.iter().map(|rule| rule.id).collect();
    order.rotate_right(1);
    let ordered = desk.order_rules(&actor(), RuleKind::Severity, &order).await;
    assert_eq!(ordered.expect("ordered").severity[0].id, added.id);
    for wrong in [&order[1..], &[], &[order.clone(), vec![added.id]].concat()] {
        let refused = desk.order_rules(&actor(), RuleKind::Severity, wrong).await;
        assert!(matches!(refused, Err(DeskError::Conflict(_))));
    }
    desk.remove_rule(&actor(), added.id).await.expect("removed");
    let refused = desk.remove_rule(&actor(), added.id).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))));
    let refused = desk.change_rule(&actor(), added.id, &added.rule).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))));
    let trail: Vec<String> =
        sqlx::query_scalar("select action from audit where actor = 'anna' order by id")
            .fetch_all(&pool)
            .await
            .expect("read");
    assert_eq!(
        trail,
        ["rule.add", "rule.change", "rule.order", "rule.remove"]
    );
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_that_cannot_be_read_is_a_trouble_and_stops_nothing(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    assert_eq!(bench.desk.troubles().await, []);
    sqlx::raw_sql(
        "update rules set verdict = '{\"page\": \"everybody\"}' where position = 2;
         update rule_book set revision = revision + 1;",
    )
    .execute(&pool)
    .await
    .expect("written by a newer version");
    let troubles = bench.desk.troubles().await;
    assert_eq!(troubles.len(), 1);
    assert!(
        troubles[0].what.contains("no disk or memory left"),
        "{troubles:?}"
    );
    let book = bench.desk.rules().await.expect("read");
    assert_eq!(book.severity.len(), 4);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn there_are_two_hundred_rules_of_a_kind_at_most(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    sqlx::raw_sql(
        "insert into rules (id, kind, position, name, filter, verdict, enabled, changed_by, changed_at)
         select gen_random_uuid(), 'severity', n, 'n', '', '{\"severity\": \"low\"}', false, 'a', now()
         from generate_series(6, 200) as n",
    )
    .execute(&pool)
    .await
    .expect("written");
    let one_more = rule("a", "", Verdict::Severity(Severity::Low));
    let refused = bench.desk.add_rule(&actor(), &one_more).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))));
    let key = Verdict::Grouping(Outcome::Key("k".to_owned()));
    let other_kind = bench.desk.add_rule(&actor(), &rule("a", "", key)).await;
    assert!(other_kind.is_ok(), "each kind has its own");
}
