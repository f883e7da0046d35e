//! `dlo serve` from its start to its end.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::harness::program::Running;
use crate::support::database::{database_url, empty};
use crate::support::program::run;
use crate::support::until;
use crate::support::until_within;

/// A broker that nobody needs to reach: there are no sources.
const BROKER: (&str, &str) = ("DLO_BROKER_URL", "amqp://guest:guest@127.0.0.1:1/%2f");
const ANY_PORT: (&str, &str) = ("DLO_HTTP_ADDRESS", "127.0.0.1:0");

/// A private address, as `serve` shows it.
fn without_password(url: &str) -> String {
    let mut url: reqwest::Url = url.parse().expect("an address");
    url.set_password(None).expect("a host");
    url.into()
}

async fn get(office: &Running, path: &str) -> reqwest::Result<reqwest::Response> {
    let address = office.ready["http"].as_str().expect("an address");
    reqwest::get(format!("{address}{path}")).await
}

async fn is_ready(office: &Running) -> bool {
    get(office, "/readyz").await.is_ok_and(|response| response.status() == StatusCode::OK)
}

#[sqlx::test(migrations = false)]
async fn the_port_of_the_command_line_wins_over_the_configuration(pool: PgPool) {
    empty(&pool).await;
    let url = database_url(&pool);
    // Somebody else listens on the port of the configuration.
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let variables = [("DLO_DATABASE_URL", &*url), BROKER, ("DLO_HTTP_ADDRESS", &address)];
    let office = Running::start(&["serve", "--port", "0", "--json"], &variables).await;
    assert_ne!(office.ready["http"], format!("http://{address}"));
    until_within("it is ready", Duration::from_secs(30), || is_ready(&office)).await;
    office.signal("-TERM").await;
    assert!(office.ended(20).await);
}

#[sqlx::test(migrations = false)]
async fn an_office_migrates_serves_and_ends_in_order(pool: PgPool) {
    empty(&pool).await;
    let url = database_url(&pool);
    let office =
        Running::start(&["serve", "--json"], &[("DLO_DATABASE_URL", &url), BROKER, ANY_PORT]).await;
    let told = &office.ready;
    assert_eq!(
        (&told["database"], &told["amqp"]),
        (&json!(without_password(&url)), &json!("amqp://guest@127.0.0.1:1/%2f"))
    );
    assert_eq!((&told["token"], &told["management"]), (&Value::Null, &Value::Null));
    until_within("it is ready", Duration::from_secs(30), || is_ready(&office)).await;
    let page = get(&office, "/").await.expect("an answer");
    assert_eq!(page.status(), StatusCode::OK);
    let figures = get(&office, "/metrics").await.expect("an answer").text().await.expect("text");
    assert!(
        figures.contains("dlo_http_requests_total{method=\"GET\",route=\"/readyz\""),
        "{figures}"
    );
    assert!(figures.contains("dlo_http_request_seconds_bucket"), "{figures}");
    assert!(figures.contains("process_resident_memory_bytes"), "{figures}");
    until("the database is measured", || async {
        let figures =
            get(&office, "/metrics").await.expect("an answer").text().await.expect("text");
        [
            "dlo_letters{state=\"held\",severity=\"critical\"} 0",
            "dlo_workers{state=\"active\"} 0",
            "dlo_alerts{state=\"firing\",severity=\"high\"} 0",
            "dlo_pool_connections{pool=\"intake\",state=\"used\"} 0",
        ]
        .iter()
        .all(|line| figures.contains(line))
    })
    .await;
    let address =
        told["http"].as_str().expect("an address").trim_start_matches("http://").to_owned();
    office.signal("-TERM").await;
    assert!(office.ended(20).await, "in good order");
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

#[sqlx::test(migrations = false)]
async fn an_open_stream_does_not_keep_an_office_from_ending(pool: PgPool) {
    empty(&pool).await;
    let url = database_url(&pool);
    let office =
        Running::start(&["serve", "--json"], &[("DLO_DATABASE_URL", &url), BROKER, ANY_PORT]).await;
    until_within("it is ready", Duration::from_secs(30), || is_ready(&office)).await;
    let mut stream = get(&office, "/events").await.expect("an answer");
    assert!(stream.chunk().await.expect("readable").is_some());
    office.signal("-INT").await;
    assert!(office.ended(10).await, "in good order");
}

#[sqlx::test(migrations = false)]
async fn while_postgres_is_away_an_office_says_so_and_begins_when_it_is_back(pool: PgPool) {
    empty(&pool).await;
    let options = pool.connect_options();
    // Taken, so that nobody else gets it, but nobody listens there yet.
    let front = TcpSocket::new_v4().expect("a socket");
    front.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let port = front.local_addr().expect("bound").port();
    let behind = format!("{}:{}", options.get_host(), options.get_port());
    let url = database_url(&pool);
    let url = url.replacen(&behind, &format!("127.0.0.1:{port}"), 1);
    assert!(url.contains(&port.to_string()), "the test's database is named by host and port");
    let office =
        Running::start(&["serve", "--json"], &[("DLO_DATABASE_URL", &url), BROKER, ANY_PORT]).await;
    until_within("it says why it is not ready", Duration::from_secs(30), || async {
        let response = get(&office, "/readyz").await.expect("an answer");
        let status = response.status();
        let said = response.text().await.expect("text");
        status == StatusCode::SERVICE_UNAVAILABLE && said.contains("the database does not answer")
    })
    .await;
    // Its page must come all the same, and soon, to say so.
    let page = tokio::time::timeout(Duration::from_secs(15), get(&office, "/sources")).await;
    let page = page.expect("in time").expect("an answer");
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(page.text().await.expect("text").contains("database"), "the page says what is away");

    let front = front.listen(64).expect("listens");
    let carrying = async {
        let mut links = tokio::task::JoinSet::new();
        loop {
            let (mut near, _) = front.accept().await.expect("accepts");
            let behind = behind.clone();
            links.spawn(async move {
                let mut far = TcpStream::connect(behind).await.expect("Postgres answers");
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    };
    tokio::select! {
        () = carrying => {}
        () = until_within("it is ready", Duration::from_secs(15), || is_ready(&office)) => {}
    }
}

#[sqlx::test(migrations = false)]
async fn an_address_that_is_taken_is_told_before_anything_starts(pool: PgPool) {
    empty(&pool).await;
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let url = database_url(&pool);
    let variables = [("DLO_DATABASE_URL", url.as_str()), BROKER, ("DLO_HTTP_ADDRESS", &address)];
    let said = run(&["serve"], &variables, None).await;
    assert!(!said.well);
    assert!(said.err.contains(&format!("cannot listen on {address}")), "{}", said.err);
}

#[sqlx::test(migrations = false)]
async fn a_database_that_refuses_us_ends_the_start_with_its_words(pool: PgPool) {
    empty(&pool).await;
    let url = database_url(&pool);
    let (server, _) = url.rsplit_once('/').expect("a path");
    let url = format!("{server}/there_is_no_such_database");
    let said = run(&["serve"], &[("DLO_DATABASE_URL", &url), BROKER, ANY_PORT], None).await;
    assert!(!said.well);
    assert!(said.err.contains("\"there_is_no_such_database\" does not exist"), "{}", said.err);
}
