//! Error reports of workers that take messages from a real queue, and reject them.

mod joining;
mod refusing;

use dlo_app::desk::{ErrorReportDesk as _, TriageDesk as _};
use dlo_domain::error_report::KeptErrorReport;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::Letter;
use dlo_server::access::Role;
use dlo_server::error_reports::{Joiner, LOOK_EVERY};
use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, letters};
use crate::support::until;

/// An office that takes what dies in `orders` and `bills`, joins reports, and hears them.
struct Shop {
    vhost: Vhost,
    bench: Bench,
    counter: Counter,
    office: Option<Office>,
    background: Background,
}

impl Shop {
    /// Opens it; its intake has not begun.
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.queue("dead", &[]).await;
        let to_dead = |value: &str| lapin::types::AMQPValue::LongString(value.into());
        for queue in ["orders", "bills"] {
            let arguments = [
                ("x-dead-letter-exchange", to_dead("")),
                ("x-dead-letter-routing-key", to_dead("dead")),
            ];
            vhost.queue(queue, &arguments).await;
        }
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        let counter = Counter::open_before(pool, bench.desk.clone()).await;
        let background = Background::new();
        let clock = std::sync::Arc::new(dlo_server::clock::SystemClock);
        let joiner = Joiner::new(pool.clone(), clock);
        background.duties.every("joining error reports", LOOK_EVERY, joiner);
        Self { vhost, bench, counter, office: None, background }
    }

    async fn take_letters(&mut self) {
        let office = Office::start(&self.bench.pool, &self.vhost.brokers).await;
        self.office = Some(office);
    }

    /// A worker takes a message that was published to its queue, and rejects it.
    async fn dies(&self, queue: &str, message_id: Option<&str>, body: &str) {
        let properties = BasicProperties::default();
        let properties = match message_id {
            Some(id) => properties.with_message_id(id.into()),
            None => properties,
        };
        self.vhost.publish(queue, properties, body.as_bytes()).await;
        let channel = &self.vhost.channel;
        let got = channel.basic_get(queue.into(), BasicGetOptions::default()).await;
        let tag = got.expect("answered").expect("a message").delivery.delivery_tag;
        let reject = BasicRejectOptions { requeue: false };
        channel.basic_reject(tag, reject).await.expect("rejected");
    }

    /// A worker reports; returns what is answered.
    async fn report(&self, report: Value) -> Value {
        let path = "/api/v1/error-reports";
        let request = self.counter.as_role(Role::Worker, Method::POST, path).json(&report);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 201, "{report}");
        let location = answer.headers()["location"].to_str().expect("a path").to_owned();
        let kept: Value = answer.json().await.expect("JSON");
        assert_eq!(location, format!("{path}/{}", kept["id"].as_str().expect("an id")));
        kept
    }

    /// What became of a report.
    async fn state(&self, report: &Value) -> String {
        let path = format!("/api/v1/error-reports/{}", report["id"].as_str().expect("an id"));
        let kept: Value = self.counter.get(&path).await.json().await.expect("JSON");
        kept["state"].as_str().expect("a state").to_owned()
    }

    async fn becomes(&self, report: &Value, state: &str) {
        until(state, || async { self.state(report).await == state }).await;
    }

    async fn has_letters(&self, count: i64) {
        until("letters", || async { letters(&self.bench.pool).await == count }).await;
    }

    /// The letters that a filter finds, the oldest first.
    async fn letters(&self, filter: &str) -> Vec<Letter> {
        let filter = LetterFilter::parse(filter).expect("a filter");
        let page = self.bench.desk.letters(&filter, None, 100).await.expect("listed");
        let mut letters = Vec::new();
        for summary in page.items.into_iter().rev() {
            letters.push(self.bench.desk.letter(summary.id).await.expect("a letter"));
        }
        letters
    }

    /// What a letter shows of reports.
    async fn reports(&self, letter: &Letter) -> Vec<KeptErrorReport> {
        let reports = self.bench.desk.error_reports_of(letter.summary.id).await;
        reports.expect("read")
    }

    /// The error messages of the letters of a queue, the oldest letter first.
    async fn told(&self, queue: &str) -> Vec<Option<String>> {
        let letters = self.letters(&format!("queue:{queue}")).await.into_iter();
        letters.map(|letter| letter.summary.error_message).collect()
    }

    async fn close(self) {
        if let Some(office) = self.office {
            office.stop().await;
        }
        self.background.stop().await;
        self.counter.close().await;
        self.vhost.delete().await;
    }
}

/// A report of a message with this id in `orders`.
fn of(message_id: &str, error_message: &str) -> Value {
    json!({"message_id": message_id, "queue": "orders", "error_message": error_message})
}
