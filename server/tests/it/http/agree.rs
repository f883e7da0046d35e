//! A page does not contradict itself: what one part of it counts, another part counts by the same rule.

use dlo_app::desk::{ExecutionDesk as _, FleetDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{ExecutionState, Report};
use dlo_domain::group::{GroupEdit, GroupState, Mute};
use dlo_domain::worker::Heartbeat;
use reqwest::Method;
use sqlx::PgPool;

use crate::desk::groups::receive;
use crate::support::desk::Bench;
use crate::support::front::Counter;

/// The text of a page.
async fn page(counter: &Counter, path: &str) -> String {
    let answer = counter.request(Method::GET, path).send().await;
    answer.expect("an answer").text().await.expect("text")
}

/// The heading of a page, without its tags.
fn heading(page: &str) -> String {
    let (_, rest) = page.split_once("<h1>").expect("a heading");
    let (heading, _) = rest.split_once("</h1>").expect("it ends");
    let pieces = heading.split('<').enumerate();
    let pieces = pieces.map(|(place, piece)| match place {
        0 => piece,
        _ => piece.split_once('>').expect("a tag ends").1,
    });
    pieces.collect::<String>().trim().to_owned()
}

async fn run(pool: &PgPool, statement: &'static str) {
    sqlx::query(statement).execute(pool).await.expect("done");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_died_thrice_before_it_came_is_not_said_to_have_died_once(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    run(
        &pool,
        r#"update arrivals set deaths = '[{"queue": "work", "reason": "rejected", "exchange": "",
             "routing_keys": ["work"], "count": 3}]'"#,
    )
    .await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let once = page(&counter, &format!("/letters/{letter}")).await;
    assert!(once.contains("3 times there"), "{once}");
    assert!(!once.contains("Died once"), "{once}");
    assert!(!once.contains("1 death told"), "{once}");
    let died = "Died on work: a consumer rejected it without requeue.";
    assert_eq!(heading(&once), died);
    run(&pool, "update letters set arrivals = 2").await;
    let twice = page(&counter, &format!("/letters/{letter}")).await;
    let died = "Arrived twice, last died on work: a consumer rejected it without requeue.";
    assert_eq!(heading(&twice), died);
    let list = page(&counter, "/letters").await;
    assert!(list.contains(r#"class="fit num arrivals">2</td>"#), "{list}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_first_page_counts_no_letter_as_critical_whose_group_it_leaves_off(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &["the ledger is closed", "the ledger is closed"]).await;
    let muted = bench.desk.groups(None, None, 50).await.expect("a page");
    let muted = muted.items[0].id;
    let edit = GroupEdit {
        state: Some(GroupState::Muted),
        mute: Some(Mute { arrivals: Some(100), ..Mute::default() }),
        ..GroupEdit::default()
    };
    let actor = Actor("jonas".into());
    let edited = bench.desk.edit_group(&actor, muted, &edit).await;
    edited.expect("muted");
    run(&pool, "update letters set severity = 'critical'").await;
    receive(&bench, &["the payment gateway refused the connection"]).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let first = page(&counter, "/").await;
    assert!(first.contains("1 muted left off"), "{first}");
    let says = heading(&first);
    assert!(!says.contains("critical"), "{says}");
    assert!(
        says.contains(
            "1 letter waits for a decision. 2 more wait in groups that are muted or resolved."
        ),
        "{says}"
    );
    // Each number leads to its letters.
    let others = format!("q=-group:{muted}");
    assert!(first.contains(&others), "{others}: {first}");
    run(&pool, "update groups set state = 'resolved'").await;
    let none = heading(&page(&counter, "/").await);
    assert!(
        none.contains(
            "No letter waits for a decision. 3 wait in groups that are muted or resolved."
        ),
        "{none}"
    );
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_command_of_a_worker_names_this_office_and_the_role_that_it_needs(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let workers = page(&counter, "/workers").await;
    let command = format!("curl -X POST {}/api/v1/workers/worker-1/heartbeat", counter.address);
    assert!(workers.contains(&command), "{command}: {workers}");
    assert!(!workers.contains("8484"), "{workers}");
    assert!(workers.contains("role worker"), "{workers}");
    assert!(!workers.contains("role operator"), "{workers}");
    let sources = page(&counter, "/sources").await;
    let command = format!("curl -X POST {}/api/v1/sources", counter.address);
    assert!(sources.contains(&command), "{command}: {sources}");
    assert!(sources.contains("role admin"), "{sources}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_nobody_takes_letters_from_is_not_said_to_bring_them_within_a_second(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    run(&pool, "update sources set condition = 'running'").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let well = heading(&page(&counter, "/").await);
    assert!(well.contains("within a second"), "{well}");
    run(&pool, "update sources set condition = 'queue_missing'").await;
    let ill = page(&counter, "/").await;
    assert!(ill.contains("queue missing"), "{ill}");
    let says = heading(&ill);
    assert!(!says.contains("within a second"), "{says}");
    assert!(says.contains("1 of the queues below needs attention"), "{says}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_heading_of_a_list_of_some_counts_no_others(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    for name in ["worker-1", "worker-2", "indexer-1"] {
        let beat = bench.desk.heartbeat(name, Heartbeat::default()).await;
        beat.expect("taken");
    }
    let reports = [("1", "worker-1"), ("2", "worker-2")].map(|(id, worker)| Report {
        worker: Some(worker.to_owned()),
        ..Report::of(id, ExecutionState::Failed)
    });
    let told = bench.desk.report_executions(&reports).await;
    told.expect("told");
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let of = async |path: &str| page(&counter, path).await;
    let all = heading(&of("/workers").await);
    assert_eq!(all, "3 workers at work, and none is silent.");
    let kind = of("/workers?kind=worker-*").await;
    assert!(kind.contains(">2 workers</h2>"), "{kind}");
    assert_eq!(heading(&kind), "2 workers at work, and none is silent.");
    let all = of("/executions").await;
    assert!(all.contains("failed 2<"), "{all}");
    let one = of("/executions?worker=worker-1").await;
    assert!(one.contains("1 execution on worker worker-1"), "{one}");
    assert!(!one.contains("failed 2"), "{one}");
    assert_eq!(heading(&one), "Executions on worker worker-1.");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_a_group_counts_as_waiting_is_what_its_replay_takes(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &["the ledger is closed", "the ledger is closed"]).await;
    let groups = bench.desk.groups(None, None, 50).await.expect("a page");
    let id = groups.items[0].id;
    run(&pool, "update letters set queue = 'work'").await;
    run(
        &pool,
        "update letters set state = 'scheduled' where id = (select id from letters limit 1)",
    )
    .await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let group = page(&counter, &format!("/groups/{id}")).await;
    assert!(group.contains("Plan a replay of 2 letters"), "{group}");
    let (_, rest) = group.split_once("href=\"/replays/new?").expect("a way");
    let (query, _) = rest.split_once('"').expect("it ends");
    let look = format!("/replays/new?{}", query.replace("&amp;", "&"));
    let plan = page(&counter, &look).await;
    assert!(heading(&plan).contains("2 letters"), "{plan}");
    counter.close().await;
}
