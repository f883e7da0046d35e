//! Rules while intake is at work and offices are killed: every letter is judged by them in the end.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::grouping::Outcome;
use dlo_domain::rule::Verdict;
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use crate::harness::ledger::Ledger;
use crate::harness::process::Premises;
use crate::support::broker::Vhost;
use crate::support::database::count;
use crate::support::database::database_url;
use crate::support::desk::Bench;
use crate::support::rules::rule;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_reaches_every_letter_though_offices_are_killed(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let bodies: Vec<String> = (0..4_000)
        .map(|number| format!("{{\"number\": {number}, \"kind\": \"k{}\"}}", number % 7))
        .collect();
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let ledger =
        Ledger { pool: &pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    let (old, new) = bodies.split_at(2_500);
    vhost.publish_all("dead", old).await;
    let (first, second) = (premises.open(), premises.open());
    ledger.until("there are old letters", 60, || async { ledger.letters().await > 1_500 }).await;
    // Some are stored, some are in hand, and some come later.
    let critical = rule("numbers", "body.number:>=0", Verdict::Severity(Severity::Critical));
    bench.desk.add_rule(&Actor("anna".to_owned()), &critical).await.expect("added");
    let key = Verdict::Grouping(Outcome::Key("all numbers of {queue}".to_owned()));
    let alike = rule("numbers", "has:body.kind", key);
    bench.desk.add_rule(&Actor("anna".to_owned()), &alike).await.expect("added");
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
