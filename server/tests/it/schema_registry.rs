//! A schema registry is asked for the schemas whose numbers stand before messages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::filter::LetterFilter;
use dlo_server::access::Role;
use dlo_server::clock::SystemClock;
use dlo_server::config::{SchemaRegistryConfig, Secret};
use dlo_server::judging::{LOOK_EVERY, Walker};
use dlo_server::schemas::{self, Asker, SchemaRegistry};
use lapin::BasicProperties;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, letters};
use crate::support::until;

const PLACED: &str = "4836656364386339392d343033362d343033642d626638342d636638343030663637383336c41302020500f8a6eef9d366\
    010203ff0202610202620000020867696674046a6100";
const PLACED_SCHEMA: &str = include_str!("../../../domain/tests/avro/placed.avsc");
const MONEY: &str = include_str!("../../../domain/tests/avro/money.avsc");
const ORDER: &str = include_str!("../../../domain/tests/protobuf/order.hex");
const KINDS: &str = include_str!("../../../domain/tests/protobuf/kinds.proto");

/// What it answers by path, and the paths that it was asked for.
#[derive(Debug, Clone, Default)]
struct Registry {
    answers: Arc<Mutex<HashMap<String, Value>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    fn answer(&self, path: &str, with: Value) {
        self.answers.lock().expect("unpoisoned").insert(path.to_owned(), with);
    }

    /// Serves on an address of its own, to one user and one token.
    async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().route("/{*path}", get(answer)).with_state(self.clone());
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, app).await.expect("served") });
        format!("http://reader:s%40cret@{address}/")
    }
}

async fn answer(
    State(registry): State<Registry>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> (StatusCode, Json<Value>) {
    registry.asked.lock().expect("unpoisoned").push(path.clone());
    let user = format!("Basic {}", STANDARD.encode("reader:s@cret"));
    let shown = headers.get("authorization").and_then(|value| value.to_str().ok());
    if shown != Some(&user) && shown != Some("Bearer s3cret.token") {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error_code": 401})));
    }
    match registry.answers.lock().expect("unpoisoned").get(&path) {
        Some(answer) => (StatusCode::OK, Json(answer.clone())),
        None => (StatusCode::NOT_FOUND, Json(json!({"error_code": 40403}))),
    }
}

/// Answers as a registry gives them that has a schema of each kind.
fn tell_all(registry: &Registry) {
    registry.answer(
        "schemas/ids/42",
        json!({
            "schema": PLACED_SCHEMA,
            "references": [{"name": "shop.events.Money", "subject": "money/v1", "version": 3}],
        }),
    );
    registry.answer(
        "subjects/money/v1/versions/3",
        json!({"subject": "money/v1", "version": 3, "id": 7, "schema": MONEY}),
    );
    let kinds = KINDS.replace("message Older", "message Newer {}\nmessage Older");
    let before = "message Before { message Within { string note = 1; } }\nmessage Order";
    let kinds = kinds.replacen("message Order", before, 1);
    registry.answer("schemas/ids/100043", json!({"schemaType": "PROTOBUF", "schema": kinds}));
    registry.answer("schemas/ids/44", json!({"schemaType": "JSON", "schema": "{}"}));
    registry.answer("schemas/ids/47", json!({"schema": "\"string\""}));
    registry.answer(
        "schemas/ids/48",
        json!({
            "schema": format!("[\"null\", {{\"type\": \"array\", \"items\": {PLACED_SCHEMA}}}]"),
            "references": [{"name": "shop.events.Money", "subject": "money/v1", "version": 3}],
        }),
    );
    registry.answer("schemas/ids/46", json!({"schema": "{\"type\": \"recor\"}"}));
}

fn framed(number: u32, rest: &[u8]) -> Vec<u8> {
    [&[0][..], &number.to_be_bytes(), rest].concat()
}

/// A place of a message type among the others, as a client for Protobuf writes it, and a message.
fn placed(place: &[u8], message: &[u8]) -> Vec<u8> {
    [place, message].concat()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_registry_is_asked_and_stored_letters_are_read_by_what_it_tells(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    let order = hex::decode(ORDER.trim()).expect("hexadecimal");
    let bodies = [
        framed(42, &hex::decode(PLACED).expect("hexadecimal")),
        // The third outermost type, the first within the second one, and the first, each with numbers as Avro's.
        framed(100_043, &placed(&[2, 4], &order)),
        framed(100_043, &placed(&[4, 2, 0], b"\x0a\x05hello")),
        framed(100_043, &placed(&[0], b"\x08\x07\x12\x03EUR")),
        framed(44, b"{\"id\": 7}"),
        framed(45, &hex::decode(PLACED).expect("hexadecimal")),
        framed(46, b"\x02"),
        framed(47, b"\x0ahello"),
        framed(48, &[&[2, 2][..], &hex::decode(PLACED).expect("hexadecimal"), &[0]].concat()),
    ];
    for body in &bodies {
        vhost.publish("dead", BasicProperties::default(), body).await;
    }
    until("letters", || async { letters(&pool).await == 9 }).await;
    let listed = async || -> Value {
        let request = counter.as_role(Role::Viewer, Method::GET, "/api/v1/registry-schemas");
        request.send().await.expect("an answer").json().await.expect("JSON")
    };
    let numbers = |list: &Value| -> Vec<i64> {
        let items = list["items"].as_array().expect("a list").iter();
        items.map(|item| item["number"].as_i64().expect("a number")).collect()
    };
    let before = listed().await;
    assert_eq!(numbers(&before), [100_043, 48, 47, 46, 45, 44, 42]);
    assert!(before["items"].as_array().expect("a list").iter().all(|item| item["asked"] == 0));

    let registry = Registry::default();
    tell_all(&registry);
    let url = registry.serve().await;
    let config = SchemaRegistryConfig { url: Secret::new(url.trim_end_matches('/')), token: None };
    let asked = SchemaRegistry::new(&config).expect("a client");
    let background = Background::new();
    let asker = Asker::new(pool.clone(), Arc::new(SystemClock), asked);
    background.duties.every("asking", schemas::LOOK_EVERY, asker);
    background.duties.every("judging letters again", LOOK_EVERY, Walker::new(pool.clone()));
    for (filter, count) in [
        // The one whose number the registry does not know fits that type, too.
        ("type:shop.events.Placed body.total.cents:1250", 2),
        ("type:kinds.Order body.order_id:o-42", 1),
        ("type:kinds.Before.Within body.note:hello", 1),
        ("type:kinds.Money body.currency:EUR", 1),
        ("body.id:7", 1),
        ("\"hello\"", 2),
        ("-has:type body.total.cents:1250", 1),
    ] {
        let wanted = LetterFilter::parse(filter).expect("a filter");
        let found =
            async || bench.desk.letters(&wanted, None, 10).await.expect("listed").items.len();
        until(filter, || async { found().await == count }).await;
    }
    let told = listed().await;
    let of = |number: i64| {
        let items = told["items"].as_array().expect("a list").iter();
        items.into_iter().find(|item| item["number"] == number).expect("listed").clone()
    };
    assert_eq!((&of(42)["format"], &of(42)["due_at"]), (&json!("avro"), &Value::Null));
    assert_eq!(of(42)["message_types"], json!(["shop.events.Placed"]));
    assert_eq!(of(44)["format"], "json");
    for (number, why) in [(45, "does not know it"), (46, "registry/46")] {
        let fault = of(number)["fault"].as_str().expect("a fault").to_owned();
        assert!(fault.contains(why) && !fault.contains("cret"), "{fault}");
        assert!(of(number)["due_at"].is_string(), "it is asked again");
    }
    let page = counter.request(Method::GET, "/schemas").send().await.expect("an answer");
    let page = page.text().await.expect("a page");
    assert!(page.contains("Schema 42") && page.contains("shop.events.Placed"), "{page}");
    assert!(page.contains("does not know it"), "{page}");

    // What it does not know may be registered later; each number is asked for once when it is told.
    registry.answer(
        "schemas/ids/45",
        json!({"schema": PLACED_SCHEMA.replace("\"Money\"", "\"string\"")}),
    );
    sqlx::query("update registry_schemas set due_at = now() where number = 45")
        .execute(&pool)
        .await
        .expect("put forward");
    until("45 is told", || async {
        listed().await["items"].as_array().expect("a list")[4]["format"] == "avro"
    })
    .await;
    let asked = registry.asked.lock().expect("unpoisoned").clone();
    assert_eq!(asked.iter().filter(|path| *path == "schemas/ids/42").count(), 1, "{asked:?}");
    office.stop().await;
    background.stop().await;
    counter.close().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_registry_that_refuses_is_asked_again_soon_and_told_without_its_password(pool: PgPool) {
    let registry = Registry::default();
    tell_all(&registry);
    let url = registry.serve().await.replace("s%40cret", "wrong");
    let config = SchemaRegistryConfig { url: Secret::new(url.trim_end_matches('/')), token: None };
    sqlx::query("insert into registry_schemas (number, asked) values (42, 9), (43, 9)")
        .execute(&pool)
        .await
        .expect("noted");
    let asked = SchemaRegistry::new(&config).expect("a client");
    let mut asker = Asker::new(pool.clone(), Arc::new(SystemClock), asked);
    let looked_at = asker.ask(&CancellationToken::new()).await.expect("asked");
    assert_eq!(looked_at, 2);
    let requests = registry.asked.lock().expect("unpoisoned").len();
    assert_eq!(requests, 1, "a registry that is away is not asked for the next one");
    let faults: Vec<(String, bool)> = sqlx::query_as(
        "select fault, due_at < first_seen_at + interval '1 minute' from registry_schemas",
    )
    .fetch_all(&pool)
    .await
    .expect("read");
    for (fault, is_soon) in faults {
        assert!(fault.contains("refuses (401") && !fault.contains("wrong"), "{fault}");
        assert!(is_soon, "however often it was asked for");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_registry_is_shown_a_token_in_place_of_a_user(pool: PgPool) {
    let registry = Registry::default();
    tell_all(&registry);
    let url = registry.serve().await.replace("reader:s%40cret@", "");
    sqlx::query("insert into registry_schemas (number) values (44)")
        .execute(&pool)
        .await
        .expect("noted");
    for (token, fault) in [("wrong", true), ("s3cret.token", false)] {
        let config = SchemaRegistryConfig {
            url: Secret::new(url.trim_end_matches('/')),
            token: Some(Secret::new(token)),
        };
        let asked = SchemaRegistry::new(&config).expect("a client");
        sqlx::query("update registry_schemas set due_at = now() - interval '1 minute'")
            .execute(&pool)
            .await
            .expect("put forward");
        let mut asker = Asker::new(pool.clone(), Arc::new(SystemClock), asked);
        assert_eq!(asker.ask(&CancellationToken::new()).await.expect("asked"), 1);
        let faults = "select coalesce(fault, '') from registry_schemas";
        let told: String = sqlx::query_scalar(faults).fetch_one(&pool).await.expect("read");
        assert_eq!(told.contains("refuses (401"), fault, "{told}");
        assert!(!told.contains(token), "{told}");
    }
}
