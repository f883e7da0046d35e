//! An office on a real broker in which everything that can be named has an odd name.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::changing::{NewDraft, Shape};
use dlo_domain::ids::LetterId;
use dlo_server::access::{Role, Token};
use dlo_server::alerts::Evaluator;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::store::alerts::rules;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::address;
use crate::desk::groups::receive;
use crate::support::consumer::Consumer;
use crate::support::desk::Bench;
use crate::support::front::{Counter, token};
use crate::support::odd_names::unseen;
use crate::support::office::{Office, letters};
use crate::support::topology::{Watcher, dying};
use crate::support::until;

/// Its pages.
pub struct OddOffice {
    pub counter: Counter,
    pub watcher: Watcher,
    /// The letter that died on the odd queue.
    pub letter: LetterId,
    bench: Bench,
    /// Somebody with an odd name.
    somebody: Token,
    /// What was made, by its kind.
    made: Value,
}

/// An odd name.
pub fn odd(name: &str) -> String {
    format!("{name}{}", unseen())
}

/// The same for what takes no control characters.
pub fn spoken(name: &str) -> String {
    odd(name).replace(char::is_control, "")
}

impl OddOffice {
    pub async fn open(pool: &PgPool) -> Self {
        let watcher = Watcher::start(pool, "policymaker").await;
        let letter = die(pool, &watcher).await;
        let bench = Bench::new(pool, &watcher.surveyor.brokers, &watcher.vhost.name).await;
        receive(&bench, &[&odd("the ledger is closed"), &odd("no such customer")]).await;
        let counter = Counter::open_before(pool, bench.desk.clone()).await;
        let somebody = token(pool, &spoken("anna"), Role::Admin).await;
        let mut office = Self { counter, watcher, letter, bench, somebody, made: json!({}) };
        office.name_workers().await;
        office.name_decisions().await;
        office.name_replays().await;
        office.name_values().await;
        office.watcher.look().await;
        office.name_alerts().await;
        office
    }

    /// Has the one with the odd name do something.
    async fn ask(&self, method: Method, path: &[&str], body: Value) -> Value {
        let path = address(&[&["api", "v1"], path].concat(), &[]);
        let request = self.counter.request(method, &path).bearer_auth(self.somebody.reveal());
        let answer = request.json(&body).send().await.expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("text");
        assert!(status.is_success(), "{path} {body}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn post(&self, path: &[&str], body: Value) -> Value {
        self.ask(Method::POST, path, body).await
    }

    async fn name_workers(&mut self) {
        let worker = spoken("worker");
        let beat = json!({"queue": spoken("jobs"), "version": spoken("v1"),
            "metadata": {"zone": spoken("fra")}});
        self.post(&["workers", &worker, "heartbeat"], beat).await;
        self.post(&["workers", &worker, "drain"], json!(null)).await;
        let job = spoken("job");
        let report = json!({"state": "failed", "worker": worker, "error": odd("it broke")});
        self.post(&["executions", &job], report).await;
        let running = json!({"state": "running", "worker": worker});
        self.post(&["executions", &spoken("job 2")], running).await;
        self.post(&["executions", &spoken("job 2"), "fail"], json!({"reason": odd("late")})).await;
    }

    async fn name_decisions(&mut self) {
        let filter = format!("queue:\"{}\"", odd("work"));
        let rule =
            json!({"name": spoken("rule"), "filter": filter, "verdict": {"severity": "high"}});
        self.made["rule"] = self.post(&["rules", "severity"], rule).await["id"].clone();
        let key = json!({"name": spoken("key"), "filter": filter, "verdict": {"grouping": {"key": odd("k")}}});
        self.post(&["rules", "grouping"], key).await;
        let policy = json!({"name": spoken("policy"), "filter": filter, "shadow": true});
        self.made["policy"] = self.post(&["retry-policies"], policy).await["id"].clone();
        self.post(&["views"], json!({"name": spoken("view"), "filter": filter})).await;
        let groups = self.bench.desk.groups(None, None, 50).await.expect("groups").items;
        let group = groups[0].id.to_string();
        let edit = json!({"owner": spoken("team"), "tags": [spoken("tag")], "note": spoken("look"),
            "ticket_url": "https://tickets/1"});
        self.ask(Method::PATCH, &["groups", &group], edit).await;
        self.made["group"] = json!(group);
        let source = json!({"vhost": self.watcher.vhost.name, "queue": odd("jobs"), "name": odd("orders"),
            "origins": [spoken("work")], "executions": {"header": "x-id", "message_type": odd("Paid")}});
        let source = self.post(&["sources"], source).await;
        let id = source["id"].as_str().expect("an id");
        sqlx::query("update sources set condition = 'delivery_limit', condition_detail = $1, delivery_limit = 20")
            .bind(odd("it drops letters"))
            .execute(&self.bench.pool)
            .await
            .expect("set");
        let loss = json!({"letters": 2, "delivery_limit": 20});
        self.ask(Method::PUT, &["sources", id, "accepted-loss"], loss).await;
    }

    async fn name_replays(&mut self) {
        let these = json!({"ids": [self.letter]});
        self.post(&["discards"], json!({"selection": these, "reason": odd("no use")})).await;
        self.post(&["restores"], json!({"selection": these})).await;
        let draft = NewDraft {
            shape: Shape::Text,
            text: odd("other"),
            content_type: odd("text/plain").replace(char::is_control, ""),
        };
        let anna = Actor(spoken("anna"));
        let kept = self.bench.desk.keep_draft(&anna, self.letter, &draft).await;
        self.made["draft"] = json!(kept.expect("kept"));
        let replay = json!({"selection": these, "target": {"mode": "queue", "queue": odd("jobs")},
            "transform": {"jq": format!(".a = \"{}\"", spoken("b"))}});
        let replay = self.post(&["replays"], replay).await;
        self.made["replay"] = replay["id"].clone();
    }

    /// Another arrival, of which even the names of values are odd.
    async fn name_values(&self) {
        sqlx::query(
            "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
                 properties, headers, deaths, body, body_sha256)
             select letter_id, 2, now(), source_id, exchange, routing_key, properties, '[]', deaths, $2, sha256($2)
             from arrivals where letter_id = $1 and ordinal = 1",
        )
        .bind(self.letter.0)
        .bind(json!({odd("name"): odd("value")}).to_string().as_bytes())
        .execute(&self.bench.pool)
        .await
        .expect("an arrival");
    }

    async fn name_alerts(&mut self) {
        let channel = json!({"name": spoken("channel"), "kind": "slack", "address": "http://127.0.0.1:9/x",
            "route": {"severities": ["critical", "high", "normal", "low"]}});
        self.made["channel"] = self.post(&["channels"], channel).await["id"].clone();
        let pool = &self.bench.pool;
        let mut conn = pool.acquire().await.expect("a connection");
        let before = SystemClock.now() - TimeDelta::hours(1);
        rules::add_missing(&mut conn, &SystemClock, before).await.expect("added");
        drop(conn);
        let clock = Arc::new(SystemClock);
        let evaluator = Evaluator::new(pool.clone(), clock, Duration::from_mins(1));
        evaluator.look().await.expect("looked");
        let alerts = self.ask(Method::GET, &["alerts"], json!(null)).await;
        let alerts = alerts["items"].as_array().expect("alerts").clone();
        let of_group = alerts.iter().find(|alert| alert["subject"]["group"] == self.made["group"]);
        let alert = of_group.unwrap_or_else(|| panic!("no alert of the group in {alerts:?}"));
        self.made["alert"] = alert["id"].clone();
        self.post(&["alerts", self.id("alert"), "acknowledge"], json!(null)).await;
        let silence = json!({"scope": {"group": self.made["group"]}, "reason": odd("later"),
            "until": SystemClock.now() + TimeDelta::hours(1)});
        self.post(&["silences"], silence).await;
        let rules = self.ask(Method::GET, &["alert-rules"], json!(null)).await;
        let mut rule = rules["items"][0].clone();
        let id = rule["id"].clone();
        rule["name"] = json!(spoken("many"));
        for name in ["id", "built_in"] {
            rule.as_object_mut().expect("a rule").remove(name);
        }
        self.ask(Method::PUT, &["alert-rules", id.as_str().expect("an id")], rule).await;
        self.made["alert rule"] = id;
    }

    /// The id of what was made.
    pub fn id(&self, kind: &str) -> &str {
        self.made[kind].as_str().unwrap_or_else(|| panic!("no {kind} in {}", self.made))
    }

    pub async fn close(self) {
        self.counter.close().await;
        self.watcher.end().await;
    }
}

/// Has a message with odd properties and headers die on an odd queue, and an office take it.
async fn die(pool: &PgPool, watcher: &Watcher) -> LetterId {
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair(&odd("dlx"), &odd("dead")).await;
    vhost.queue(&odd("work"), &dying(&odd("dlx"))).await;
    for queue in [odd("jobs"), spoken("jobs")] {
        vhost.queue(&queue, &[]).await;
    }
    let source = vhost.name.clone();
    crate::support::office::watch(
        pool,
        &source,
        &odd("dead"),
        dlo_domain::source::SourceMode::Take,
    )
    .await;
    let mut headers = FieldTable::default();
    for name in ["x-plain", "x-odd", "exception"] {
        headers.insert(odd(name).into(), AMQPValue::LongString(odd("text").into()));
    }
    headers.insert("x-exception-message".into(), AMQPValue::LongString(odd("it broke").into()));
    let properties = BasicProperties::default()
        .with_headers(headers)
        .with_content_type("application/json".into())
        .with_message_id(odd("m").into())
        .with_app_id(odd("app").into())
        .with_correlation_id(odd("c").into())
        .with_reply_to(odd("r").into())
        .with_type(odd("Paid").into());
    let body = json!({odd("a"): odd("b")}).to_string();
    vhost.publish(&odd("work"), properties, body.as_bytes()).await;
    let consumer = Consumer::start(vhost, &odd("work")).await;
    let office = Office::start(pool, &vhost.brokers).await;
    until("it is a letter", || async { letters(pool).await == 1 }).await;
    office.stop().await;
    consumer.stop();
    let id = sqlx::query_scalar("select id from letters").fetch_one(pool).await;
    LetterId(id.expect("a letter"))
}
