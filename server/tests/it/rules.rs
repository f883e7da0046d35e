//! Rules while intake is at work, and offices are killed: every letter is judged by them in the
//! end, the old ones and the new, and the desk says how far that has come.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::grouping::Outcome;
use dlo_domain::ids::RuleId;
use dlo_domain::rule::{NewRule, RuleKind, Verdict};
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::rules::rule;

fn actor() -> Actor {
    Actor("anna".to_owned())
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
        ("a", "", Verdict::Grouping(Outcome::Key("{mood}".to_owned()))),
        ("a", "", Verdict::Grouping(Outcome::Masks(vec!["(".to_owned()]))),
    ] {
        let refused = desk.add_rule(&actor(), &rule(name, filter, verdict)).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
    }
    let hostile = "<b>it's</b> \"; drop table rules; --";
    let added =
        desk.add_rule(&actor(), &rule(hostile, " queue:a ", low.clone())).await.expect("added");
    assert_eq!(added.rule.name, hostile);
    assert_eq!((added.position, added.changed_by.as_str()), (6, "anna"));
    let book = desk.rules().await.expect("read");
    assert_eq!(book.revision, before.revision + 1);
    assert!(book.judging_again.is_some());
    let key = Verdict::Grouping(Outcome::Key("k".to_owned()));
    let other_kind = rule("a", "", key);
    let refused = desk.change_rule(&actor(), added.id, &other_kind).await;
    assert!(matches!(refused, Err(DeskError::Invalid(_))));
    let changed = NewRule { enabled: false, ..added.rule.clone() };
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
    assert_eq!(trail, ["rule.add", "rule.change", "rule.order", "rule.remove"]);
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
    assert!(troubles[0].what.contains("no disk or memory left"), "{troubles:?}");
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
