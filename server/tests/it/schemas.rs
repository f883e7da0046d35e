//! Schemas: bodies are read by them from the moment that they are uploaded, new ones and stored ones.

mod type_rules;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::LetterSummary;
use dlo_domain::rule::Verdict;
use dlo_domain::severity::Severity;
use dlo_server::access::Role;
use dlo_server::judging::{LOOK_EVERY, Walker};
use lapin::BasicProperties;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, bodies, letters};
use crate::support::rules::rule;
use crate::support::until;

/// A `kinds.Order` of `o-42` with what its sender knew, written by Google's own library.
const ORDER: &str = include_str!("../../../domain/tests/protobuf/order.hex");
const KINDS: &str = include_str!("../../../domain/tests/protobuf/kinds.proto");
/// A `shop.events.Placed` of Avro, written by fastavro, and what its schema consists of.
const PLACED: &str = "4836656364386339392d343033362d343033642d626638342d636638343030663637383336c41302020500f8a6eef9d366\
    010203ff0202610202620000020867696674046a6100";
const FINGERPRINT: &str = "c3013fe46b234de1ce73";
const PLACED_SCHEMA: &str = include_str!("../../../domain/tests/avro/placed.avsc");
const MONEY: &str = include_str!("../../../domain/tests/avro/money.avsc");
const PATH: &str = "/api/v1/schemas";

fn order() -> Vec<u8> {
    hex::decode(ORDER.trim()).expect("hexadecimal")
}

/// An office that takes what dies, and reads stored letters again.
struct Reader {
    vhost: Vhost,
    bench: Bench,
    counter: Counter,
    office: Office,
    background: Background,
}

impl Reader {
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.queue("dead", &[]).await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        let counter = Counter::open_before(pool, bench.desk.clone()).await;
        let background = Background::new();
        background.duties.every("judging letters again", LOOK_EVERY, Walker::new(pool.clone()));
        let office = Office::start(pool, &vhost.brokers).await;
        Self { vhost, bench, counter, office, background }
    }

    /// Has messages die, and waits until all are letters.
    async fn receive(&self, messages: &[(BasicProperties, Vec<u8>)], all: i64) {
        for (properties, body) in messages {
            self.vhost.publish("dead", properties.clone(), body).await;
        }
        until("letters", || async { letters(&self.bench.pool).await == all }).await;
    }

    async fn found(&self, filter: &str) -> Vec<LetterSummary> {
        let filter = LetterFilter::parse(filter).expect("a filter");
        self.bench.desk.letters(&filter, None, 100).await.expect("listed").items
    }

    async fn finds(&self, filter: &str, count: usize) {
        until(filter, || async { self.found(filter).await.len() == count }).await;
    }

    /// The body of a letter as the API tells it.
    async fn decoded(&self, letter: &LetterSummary) -> Value {
        let path = format!("/api/v1/letters/{}/decoded", letter.id);
        self.counter.get(&path).await.json().await.expect("JSON")
    }

    async fn upload(&self, schema: Value) -> (u16, Value) {
        let request = self.counter.as_role(Role::Admin, Method::POST, PATH).json(&schema);
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    async fn remove(&self, name: &str) -> u16 {
        let request = self.counter.as_role(Role::Admin, Method::DELETE, &format!("{PATH}/{name}"));
        request.send().await.expect("an answer").status().as_u16()
    }

    async fn close(self) {
        self.office.stop().await;
        self.background.stop().await;
        self.counter.close().await;
        self.vhost.delete().await;
    }
}

fn kinds() -> Value {
    json!({"name": "kinds", "files": {"protos/kinds.proto": KINDS}})
}

/// How the bytes of a message came to the queue.
fn plain() -> (BasicProperties, Vec<u8>) {
    (BasicProperties::default().with_content_type("application/x-protobuf".into()), order())
}

fn in_base64() -> (BasicProperties, Vec<u8>) {
    (BasicProperties::default(), STANDARD.encode(order()).into_bytes())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn stored_letters_and_new_ones_are_read_by_what_was_uploaded(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let urgent = rule("EUR", "body.parts.currency:EUR", Verdict::Severity(Severity::Critical));
    reader.bench.desk.add_rule(&Actor("anna".to_owned()), &urgent).await.expect("added");
    reader.receive(&[plain(), in_base64()], 2).await;
    reader.finds("body.1:o-42", 2).await;
    for letter in reader.found("").await {
        let read = reader.decoded(&letter).await;
        let step = read["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        assert_eq!((&step["format"], step.get("detail")), (&json!("protobuf"), None), "{step}");
        assert_eq!(read["content"]["value"]["4"], 1, "the tree of numbers");
    }

    let (status, kept) = reader.upload(kinds()).await;
    assert_eq!(status, 201, "{kept}");
    assert_eq!((&kept["version"], &kept["is_used"]), (&json!(1), &json!(true)));
    assert_eq!(kept["message_types"], json!(["kinds.Money", "kinds.Older", "kinds.Order"]));
    // At once on the page, and soon in what is searched and judged.
    for letter in reader.found("").await {
        let read = reader.decoded(&letter).await;
        let step = read["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        assert_eq!(step["detail"], "kinds.Order", "{step}");
        assert_eq!(
            (&step["evidence"], &step["ranking"][0]["percent"]),
            (&json!("fit"), &json!(100))
        );
        assert_eq!(read["content"]["value"]["channel"], "WEB");
        assert_eq!(read["content"]["value"]["at"], "2026-11-20T04:55:09.500Z");
    }
    reader.finds("body.order_id:o-42 severity:critical", 2).await;
    assert_eq!(reader.found("body.1:o-42").await.len(), 0);

    let named = plain().0.with_type("kinds.Order".into());
    reader.receive(&[(named, order()), in_base64()], 4).await;
    // Those that were stored before it was known are of the type, too.
    reader.finds("type:kinds.Order body.stock.a:-4 severity:critical", 4).await;

    assert_eq!(reader.remove("kinds").await, 204);
    reader.finds("body.1:o-42", 4).await;
    assert_eq!(reader.found("body.order_id:o-42").await.len(), 0);
    let as_they_came = [plain().1, in_base64().1, plain().1, in_base64().1];
    assert_eq!(bodies(&pool).await.len(), 4);
    assert!(bodies(&pool).await.iter().all(|body| as_they_came.contains(body)));
    let trail: Vec<(String, String)> = sqlx::query_as(
        "select action, coalesce(detail, '') from audit where action like 'schema.%' order by id",
    )
    .fetch_all(&pool)
    .await
    .expect("read");
    let told = [
        ("schema.add".to_owned(), "`kinds` version 1, 3 message types".to_owned()),
        ("schema.remove".to_owned(), "`kinds`".to_owned()),
    ];
    assert_eq!(trail, told);
    reader.close().await;
}

/// The same value of Avro, as senders write it who bring no schema with it.
fn values_of_avro() -> [(BasicProperties, Vec<u8>); 4] {
    let of = |before: &str| hex::decode(format!("{before}{PLACED}")).expect("hexadecimal");
    let plain = BasicProperties::default();
    let labelled = || plain.clone().with_content_type("avro/binary".into());
    [
        (plain.clone(), of(FINGERPRINT)),
        (labelled(), of("")),
        (labelled(), of("000000002a")),
        (plain.clone().with_type("shop.events.Placed".into()), of("")),
    ]
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn values_of_avro_are_read_by_what_was_uploaded(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let sent = values_of_avro();
    reader.receive(&sent, 4).await;
    assert_eq!(reader.found("body.total.cents:1250").await.len(), 0);
    for letter in reader.found("").await {
        let read = reader.decoded(&letter).await;
        assert_ne!(read["content"]["kind"], "json", "{read}");
    }

    let one = |digest: &str| {
        let placed = PLACED_SCHEMA.replace("\"size\": 4", digest);
        json!({"name": "events", "files": {"events/placed.avsc": placed, "events/money.avsc": MONEY}})
    };
    let (status, kept) = reader.upload(one("\"size\": 4")).await;
    assert_eq!(status, 201, "{kept}");
    assert_eq!(kept["message_types"], json!(["shop.events.Money", "shop.events.Placed"]));
    reader.finds("type:shop.events.Placed body.total.cents:1250 body.lines.sku:a", 4).await;
    for letter in reader.found("").await {
        let read = reader.decoded(&letter).await;
        let step = read["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        assert_eq!(
            (&step["format"], &step["detail"]),
            (&json!("avro"), &json!("shop.events.Placed"))
        );
        assert_eq!(read["content"]["value"]["refund"]["cents"], -3);
    }

    // A newer version does not make unreadable what was written by the one before it.
    assert_eq!(reader.upload(one("\"size\": 8")).await.1["version"], 2);
    reader.receive(&sent, 8).await;
    reader.finds("type:shop.events.Placed body.total.cents:1250", 8).await;
    for version in [1, 2] {
        let path = format!("{PATH}/events?version={version}");
        let whole: Value = reader.counter.get(&path).await.json().await.expect("JSON");
        assert_eq!(whole["is_used"], true, "{version}");
    }
    assert_eq!(reader.remove("events").await, 204);
    reader.finds("body.total.cents:1250", 0).await;
    let whole: Value =
        reader.counter.get("/api/v1/schemas/events?version=1").await.json().await.expect("JSON");
    assert_eq!(whole["is_used"], false);
    let kept = bodies(&pool).await;
    assert!(kept.len() == 8 && kept.iter().all(|body| sent.iter().any(|(_, sent)| sent == body)));
    reader.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn versions_are_counted_and_kept_and_faults_keep_nothing(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let one = |text: &str| json!({"name": "shop", "files": {"shop.proto": text}});
    for (schema, why) in [
        (one("syntax = \"proto3\";\nmessage A { strin id = 1; }"), "shop.proto:2:13"),
        (one("import \"missing.proto\"; message A {}"), "missing.proto"),
        (one("enum E { A = 0; }"), "is a message type"),
        (json!({"name": "shop"}), "either `files` or a `descriptor_set`"),
        (json!({"name": "sh/op", "files": {"a.proto": "message A {}"}}), "the name of a schema"),
        (json!({"name": "shop", "descriptor_set": "%%"}), "not base64"),
        (json!({"name": "shop", "files": {"a.avsc": "{"}}), "a.avsc is not JSON"),
        (json!({"name": "shop", "files": {"a.avsc": "\"int\""}}), "is a message type"),
        (
            json!({"name": "shop", "files": {"a.avsc": MONEY, "b.proto": "message A {}"}}),
            "stand alone",
        ),
    ] {
        let (status, problem) = reader.upload(schema).await;
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(status == 400 && detail.contains(why), "{status} {problem}");
    }
    let list = |counter: &Counter| {
        let request = counter.as_role(Role::Viewer, Method::GET, PATH);
        async { request.send().await.expect("an answer").json::<Value>().await.expect("JSON") }
    };
    assert_eq!(list(&reader.counter).await["items"], json!([]));
    for version in 1..=2 {
        let text = format!("syntax = \"proto3\"; message V{version} {{ string id = 1; }}");
        let (status, kept) = reader.upload(one(&text)).await;
        assert_eq!((status, &kept["version"]), (201, &json!(version)));
    }
    let used = list(&reader.counter).await;
    assert_eq!(used["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(used["items"][0]["message_types"], json!(["V2"]));
    let whole: Value = reader.counter.get("/api/v1/schemas/shop").await.json().await.expect("JSON");
    assert_eq!((&whole["version"], &whole["versions"]), (&json!(2), &json!([2, 1])));
    let first = reader.counter.get("/api/v1/schemas/shop?version=1").await;
    let first: Value = first.json().await.expect("JSON");
    assert!(first["texts"]["shop.proto"].as_str().is_some_and(|text| text.contains("V1")));
    assert_eq!(first["is_used"], false);
    for missing in ["/api/v1/schemas/shop?version=3", "/api/v1/schemas/none"] {
        assert_eq!(reader.counter.get(missing).await.status(), 404, "{missing}");
    }
    assert_eq!((reader.remove("shop").await, reader.remove("shop").await), (204, 404));
    let (_, kept) = reader.upload(one("syntax = \"proto3\"; message V3 {}")).await;
    assert_eq!(kept["version"], 3, "a name that was removed goes on counting");
    reader.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn files_are_uploaded_on_the_page(pool: PgPool) {
    const PART: &str = "--x\r\nContent-Disposition: form-data";
    let reader = Reader::open(&pool).await;
    let shop =
        "syntax = \"proto3\"; import \"shop/money.proto\"; message Order { Money total = 1; }";
    let money = "syntax = \"proto3\"; message Money { int64 cents = 1; }";
    let post = async |files: &[(&str, &str)]| {
        let part = |(name, text): &(&str, &str)| {
            format!("{PART}; name=\"files\"; filename=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let files: Vec<String> = files.iter().map(part).collect();
        let body = format!("{PART}; name=\"name\"\r\n\r\nshop\r\n{}--x--\r\n", files.concat());
        let request = reader.counter.request(Method::POST, "/ui/schemas/add");
        let request = request
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "multipart/form-data; boundary=x")
            .body(body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 303);
        let page = answer.headers()["location"].to_str().expect("a path").to_owned();
        reader
            .counter
            .request(Method::GET, &page)
            .send()
            .await
            .expect("a page")
            .text()
            .await
            .expect("text")
    };
    let page = post(&[("orders.proto", shop), ("money.proto", money)]).await;
    assert!(page.contains("2 message types known."), "{page}");
    assert!(page.contains("New bodies are decoded with it"), "{page}");
    let page = post(&[("money.avsc", MONEY)]).await;
    assert!(page.contains("Avro, version 2") && page.contains("shop.events.Money"), "{page}");
    for (files, why) in [
        (&[("orders.proto", shop)][..], "shop/money.proto"),
        (&[("a.proto", "message A { strin id = 1; }")], "a.proto"),
        (&[("", "")], "Give either"),
        (&[("a/b.proto", money), ("a/b.proto", money)], "two files are called"),
        (&[("shop.pb", "no descriptor set")], "cannot be read"),
    ] {
        let page = post(files).await;
        assert!(page.to_lowercase().contains(&why.to_lowercase()), "{why}: {page}");
        assert!(page.contains("version 2"), "what is there stays");
    }
    reader.close().await;
}
