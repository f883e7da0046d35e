//! A crowd before the pages, each of whom has a jq program run for ever: intake and pages go on.

use std::time::{Duration, Instant};

use dlo_domain::source::SourceMode;
use dlo_server::access::Role;
use futures_util::future::join_all;
use reqwest::{Client, RequestBuilder};
use serde_json::json;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::harness::program::Running;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::{letters, watch};
use crate::support::token::token;
use crate::support::until_within;

const CROWD: usize = 20;

/// What a page answers in, on a machine whose cores two jq programs take.
const PAGE_WITHIN: Duration = Duration::from_secs(10);

async fn publish(vhost: &Vhost, name: &str, count: usize) {
    let bodies: Vec<String> =
        (0..count).map(|number| format!(r#"{{"{name}": {number}}}"#)).collect();
    vhost.publish_all("dead", &bodies).await;
}

/// Asks what a program that never ends would make of some letters.
async fn endless(pool: &PgPool, client: &Client, address: &str) -> RequestBuilder {
    let ids: Vec<uuid::Uuid> = sqlx::query_scalar("select id from letters limit 10")
        .fetch_all(pool)
        .await
        .expect("letters");
    let asked = json!({"selection": {"ids": ids}, "transform": {"jq": "def f: f; f"}});
    let token = token(pool, "crowd", Role::Operator).await;
    let url = format!("{address}/api/v1/replays/preview");
    client.post(url).bearer_auth(token.reveal()).json(&asked)
}

/// Asks again and again until the others are done; the statuses of the answers.
async fn ask_again(request: &RequestBuilder, others_are_done: &CancellationToken) -> Vec<u16> {
    let mut statuses = Vec::new();
    while !others_are_done.is_cancelled() {
        let request = request.try_clone().expect("no stream");
        let answer = request.send().await.expect("an answer");
        statuses.push(answer.status().as_u16());
        // Who is refused tries again a little later.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    statuses
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn twenty_endless_jq_programs_stop_neither_intake_nor_pages(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let (database, broker) = (database_url(&pool), vhost.brokers.get("main").expect("there"));
    let office = Running::start(
        &["serve", "--json"],
        &[
            ("DLO_DATABASE_URL", &database),
            ("DLO_BROKER_URL", &broker.amqp),
            ("DLO_HTTP_ADDRESS", "127.0.0.1:0"),
            ("DLO_LOG", "error"),
        ],
    )
    .await;
    let address = office.ready["http"].as_str().expect("an address").to_owned();
    publish(&vhost, "before", 20).await;
    until_within("intake is at work", Duration::from_mins(1), || async {
        letters(&pool).await == 20
    })
    .await;

    let client = Client::new();
    let request = endless(&pool, &client, &address).await;
    let others_are_done = CancellationToken::new();
    let crowd = join_all((0..CROWD).map(|_| ask_again(&request, &others_are_done)));
    let others = async {
        publish(&vhost, "during", 200).await;
        until_within("intake goes on", Duration::from_mins(1), || async {
            letters(&pool).await == 220
        })
        .await;
        for path in ["/", "/letters", "/groups", "/replays", "/readyz"] {
            let began = Instant::now();
            let page = client.get(format!("{address}{path}")).send().await;
            assert_eq!(page.expect("an answer").status(), 200, "{path}");
            assert!(began.elapsed() < PAGE_WITHIN, "{path}: {:?}", began.elapsed());
        }
        others_are_done.cancel();
    };
    let (statuses, ()) = tokio::join!(crowd, others);
    let first = statuses.iter().filter_map(|of_one| of_one.first());
    let refused = first.filter(|status| **status == 503).count();
    assert!(refused >= CROWD - 10, "two run and eight wait: {statuses:?}");
    assert!(refused < CROWD, "somebody was served: {statuses:?}");
    office.signal("-TERM").await;
    assert!(office.ended(30).await, "in good order");
    vhost.delete().await;
}
