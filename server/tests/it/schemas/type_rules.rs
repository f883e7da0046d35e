//! Rules name the type of what died in a queue.

use dlo_server::access::Role;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, LongString};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{KINDS, PLACED, Reader, kinds, order};

const PATH: &str = "/api/v1/type-rules";

/// A message that died in a queue, which calls itself of this type.
fn died_in(queue: &str, kind: &str, body: &[u8]) -> (BasicProperties, Vec<u8>) {
    let mut headers = FieldTable::default();
    let queue = AMQPValue::LongString(LongString::from(queue));
    headers.insert("x-first-death-queue".into(), queue);
    (BasicProperties::default().with_headers(headers).with_type(kind.into()), body.to_vec())
}

impl Reader {
    async fn add_rule(&self, rule: &Value) -> (u16, Value) {
        let request = self.counter.as_role(Role::Admin, Method::POST, PATH).json(rule);
        let answer = request.send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// By what the last step of the only letter of a queue knew the type, and which one.
    async fn type_in(&self, queue: &str) -> (String, String) {
        let letters = self.found(&format!("queue:{queue}")).await;
        let [letter] = &letters[..] else { panic!("one letter: {letters:?}") };
        let read = self.decoded(letter).await;
        let step = read["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        let text = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
        (text("evidence"), text("detail"))
    }
}

fn told(evidence: &str, name: &str) -> (String, String) {
    (evidence.to_owned(), name.to_owned())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_names_the_type_of_what_died_in_a_queue(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let twin = KINDS.replace("package kinds;", "package twin;");
    assert_eq!(reader.upload(kinds()).await.0, 201);
    let twin = json!({"name": "twin", "files": {"protos/twin.proto": twin}});
    assert_eq!(reader.upload(twin).await.0, 201);
    let money = b"\x08\x07\x12\x03EUR";
    let sent = [
        died_in("payments.eu", "x", &order()),
        died_in("payments.us", "kinds.Order", &order()),
        died_in("payments.small", "kinds.Money", money),
        died_in("orders", "kinds.Order", &order()),
    ];
    reader.receive(&sent, 4).await;
    assert_eq!(reader.type_in("payments.eu").await.0, "fit", "both types fit alike");

    let rule = json!({"queue": "payments.*", "message_type": "twin.Order"});
    let (status, kept) = reader.add_rule(&rule).await;
    assert_eq!((status, &kept["routing_key"]), (201, &json!("*")), "{kept}");
    assert_eq!(reader.type_in("payments.eu").await, told("rule", "twin.Order"));
    assert_eq!(reader.type_in("payments.us").await, told("rule", "twin.Order"));
    let small = reader.type_in("payments.small").await;
    assert_eq!(small, told("label", "kinds.Money"), "its bytes do not fit the rule");
    assert_eq!(reader.type_in("orders").await, told("label", "kinds.Order"));

    // What is stored is read again, and what comes later at once; the same queue has one rule.
    reader.finds("queue:payments.* body.order_id:o-42", 2).await;
    let again = json!({"queue": "payments.*", "routing_key": "*", "message_type": "kinds.Order"});
    let (_, changed) = reader.add_rule(&again).await;
    assert_eq!(changed["id"], kept["id"]);
    assert_eq!(reader.type_in("payments.eu").await, told("rule", "kinds.Order"));
    let id = kept["id"].as_str().expect("an id");
    let removal = format!("{PATH}/{id}");
    for wanted in [204, 404] {
        let request = reader.counter.as_role(Role::Admin, Method::DELETE, &removal);
        assert_eq!(request.send().await.expect("an answer").status().as_u16(), wanted);
    }
    assert_eq!(reader.type_in("payments.us").await, told("label", "kinds.Order"));
    reader.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_names_a_schema_of_avro_and_what_cannot_be_used_is_refused(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let unknown = json!({"queue": "events", "message_type": "shop.events.Placed"});
    let (status, problem) = reader.add_rule(&unknown).await;
    assert_eq!(status, 400);
    assert!(problem["detail"].as_str().is_some_and(|why| why.contains("upload its schema first")));
    for wrong in [
        json!({"queue": "", "message_type": "a"}),
        json!({"queue": "a", "message_type": ""}),
        json!({"queue": "a\u{0}", "message_type": "a"}),
        json!({"queue": "a"}),
        json!({"queue": "a", "message_type": "a", "key": "b"}),
    ] {
        let (status, problem) = reader.add_rule(&wrong).await;
        assert_eq!(status, 400, "{wrong}: {problem}");
    }
    let files = json!({"placed.avsc": super::PLACED_SCHEMA, "money.avsc": super::MONEY});
    assert_eq!(reader.upload(json!({"name": "events", "files": files})).await.0, 201);
    assert_eq!(reader.add_rule(&unknown).await.0, 201);
    let placed = hex::decode(PLACED).expect("hexadecimal");
    reader.receive(&[died_in("events", "", &placed)], 1).await;
    assert_eq!(reader.type_in("events").await, told("rule", "shop.events.Placed"));
    assert_eq!(reader.found("type:shop.events.Placed").await.len(), 1, "at intake");
    reader.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_page_adds_and_removes_a_rule(pool: PgPool) {
    let reader = Reader::open(&pool).await;
    let page = async |path: &str| {
        let answer = reader.counter.request(Method::GET, path).send().await.expect("a page");
        answer.text().await.expect("text")
    };
    assert!(!page("/schemas").await.contains("Types by queue"), "no type is known yet");
    assert_eq!(reader.upload(kinds()).await.0, 201);
    let send = async |path: &str, form: &str| {
        let request = reader.counter.request(Method::POST, path);
        let request = request
            .header("sec-fetch-site", "same-origin")
            .header("accept", "text/html")
            .header("referer", "http://office.test/schemas")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned());
        let answer = request.send().await.expect("an answer");
        assert!(answer.status().is_redirection(), "{}", answer.status());
        let to = answer.headers()["location"].to_str().expect("an address");
        page(to.trim_start_matches("http://office.test")).await
    };
    let add = "/ui/type-rules/add";
    let told = send(add, "queue=+billing.*+&routing_key=&message_type=kinds.Order").await;
    assert!(told.contains("New bodies are decoded with it") && told.contains("billing.*"));
    for (form, why) in [
        ("queue=&routing_key=&message_type=kinds.Order", "a pattern is empty"),
        ("queue=a&routing_key=&message_type=kinds.No", "upload its schema first"),
    ] {
        let told = send(add, form).await.to_lowercase();
        assert!(told.contains(why), "{why}: {told}");
    }
    let rules = reader.counter.get(PATH).await.json::<Value>().await.expect("JSON");
    let [rule] = rules["items"].as_array().expect("rules").as_slice() else { panic!("{rules}") };
    assert_eq!((&rule["queue"], &rule["routing_key"]), (&json!("billing.*"), &json!("*")));
    let id = rule["id"].as_str().expect("an id");
    let told = send("/ui/type-rules/remove", &format!("id={id}")).await;
    assert!(told.contains("Bodies are decoded without it") && !told.contains("billing.*"));
    reader.close().await;
}
