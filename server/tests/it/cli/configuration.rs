//! Configurations, good and bad, as `dlo check` and `dlo serve` see them.

use serde_json::Value;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::program::run;

const DATABASE: (&str, &str) = ("DLO_DATABASE_URL", "postgres://dlo:geheim@127.0.0.1:1/dlo");
const BROKER: (&str, &str) = ("DLO_BROKER_URL", "amqp://guest:geheim@127.0.0.1:1/%2f");

#[tokio::test]
async fn check_and_serve_name_every_fault_at_once_and_go_no_further() {
    let file = "[http]\naddress = '0.0.0.0:80'\nport = 1\n";
    let variables = [DATABASE, ("DLO_BROKER_URL", "http://guest:geheim@x")];
    for command in [&["check"][..], &["serve"], &["serve", "--json"]] {
        let said = run(command, &variables, Some(file)).await;
        assert!(!said.well, "{command:?}");
        assert_eq!(said.out, "");
        let wanted = [
            "the configuration has 3 faults:",
            "dlo.toml, line 2: [http] address: 0.0.0.0:80 is not a loopback address",
            "dlo.toml, line 3: there is no `port` in [http]",
            "DLO_BROKER_URL: this is not an address of a RabbitMQ",
        ];
        for text in wanted {
            assert!(said.err.contains(text), "{command:?}: {text}\nin {}", said.err);
        }
        assert!(!said.err.contains("geheim"), "{}", said.err);
    }
}

#[tokio::test]
async fn check_says_what_an_office_would_do_and_no_password() {
    let file = "[[sources]]\nvhost = 'shop'\nqueue = 'orders.dead'\n[replay]\nenabled = false\n";
    let no_site = ("DLO_SITE_ROOT", "nowhere");
    let said = run(&["check"], &[DATABASE, BROKER, no_site], Some(file)).await;
    assert!(said.well, "{}", said.err);
    for text in [
        "The configuration is good",
        "the database `dlo` at 127.0.0.1:1",
        "http://127.0.0.1:8484, without style and scripts",
        "know the broker `main` at 127.0.0.1:1",
        "watch the queue `orders.dead` of the vhost `shop` on `main`",
        "publish no replays",
    ] {
        assert!(said.out.contains(text), "{text}\nin {}", said.out);
    }
    assert!(!said.out.contains("geheim"), "{}", said.out);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn check_connects_when_asked_and_tells_who_does_not_answer(pool: PgPool) {
    let vhost = Vhost::create().await;
    let broker = vhost.brokers.get("main").expect("there");
    let (database, amqp) = (database_url(&pool), broker.amqp.clone());
    let management = broker.management.clone().expect("named");
    let file = format!("[[sources]]\nvhost = '{}'\nqueue = 'a'\n", vhost.name);
    let mut variables = vec![
        ("DLO_DATABASE_URL", database.as_str()),
        ("DLO_BROKER_URL", amqp.as_str()),
        ("DLO_MANAGEMENT_URL", management.as_str()),
    ];
    let said = run(&["check", "--connect"], &variables, Some(&file)).await;
    assert!(said.well, "{} {}", said.out, said.err);
    // The vhost of the source, and that of the address: heartbeats are heard there.
    assert_eq!(said.out.matches(": answers\n").count(), 4, "{}", said.out);

    variables[1] = BROKER;
    let said = run(&["check", "--connect"], &variables, Some(&file)).await;
    assert!(!said.well, "{}", said.out);
    assert_eq!(said.out.matches(": answers\n").count(), 2, "{}", said.out);
    assert!(said.out.contains(&format!("the broker `main`, vhost `{}`: ", vhost.name)));
    vhost.delete().await;
}

#[tokio::test]
async fn a_closed_port_of_the_database_is_named() {
    let refusal = "connection refused at 127.0.0.1:1";
    let said = run(&["migrate"], &[DATABASE], None).await;
    assert!(!said.well);
    assert!(said.err.contains(refusal), "{}", said.err);
    let said = run(&["check", "--connect"], &[DATABASE, BROKER], None).await;
    assert!(!said.well);
    assert!(said.out.contains(refusal), "{}", said.out);
}

#[tokio::test]
async fn a_file_that_is_named_must_be_there() {
    let said = run(&["check", "--config", "nowhere.toml"], &[DATABASE, BROKER], None).await;
    assert!(!said.well);
    assert!(said.err.contains("nowhere.toml cannot be read"), "{}", said.err);
}

#[tokio::test]
async fn the_api_is_described_without_any_server() {
    let said = run(&["openapi"], &[], None).await;
    assert!(said.well, "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(document["paths"]["/api/v1/letters"]["get"].is_object());
}
