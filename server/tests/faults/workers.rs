//! The workers of `docs/workers`, in every language, on a real queue: what each outcome does to a message, and what
//! is known of it afterwards.

mod programs;

use std::sync::Arc;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::death::Reason;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::Letter;
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use dlo_server::access::Role;
use dlo_server::clock::SystemClock;
use dlo_server::error_reports::{Joiner, LOOK_EVERY};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use sqlx::PgPool;
use tokio::process::{Child, Command};

use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, letters};
use crate::support::{needed, until};
use programs::Program;

/// A queue of orders, and an office that takes what dies there.
struct Company {
    vhost: Vhost,
    bench: Bench,
    counter: Counter,
    office: Office,
    background: Background,
}

impl Company {
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.queue("dead", &[]).await;
        let text = |value: &str| AMQPValue::LongString(value.into());
        let arguments = [
            ("x-queue-type", text("quorum")),
            ("x-delivery-limit", AMQPValue::LongInt(3)),
            ("x-dead-letter-exchange", text("")),
            ("x-dead-letter-routing-key", text("dead")),
        ];
        vhost.queue("orders", &arguments).await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        let counter = Counter::open_before(pool, bench.desk.clone()).await;
        let office = Office::start(pool, &vhost.brokers).await;
        let background = Background::new();
        let joiner = Joiner::new(pool.clone(), Arc::new(SystemClock));
        background.duties.every("joining error reports", LOOK_EVERY, joiner);
        Self { vhost, bench, counter, office, background }
    }

    /// Starts a worker.
    fn work(&self, program: &Program, stock: &str) -> Child {
        let broker = needed("DLO_TEST_AMQP_URL");
        let (server, _) = broker.rsplit_once('/').expect("a vhost");
        let mut command: Command = program.command();
        command
            .env("AMQP_URL", format!("{server}/{}", self.vhost.name))
            .env("QUEUE", "orders")
            .env("DLO_URL", &self.counter.address)
            .env("DLO_TOKEN", self.counter.token(Role::Worker))
            .env("STOCK", stock);
        command.kill_on_drop(true).spawn().expect("it starts")
    }

    async fn order(&self, id: u32, body: &str) {
        let properties = BasicProperties::default().with_message_id(format!("order-{id}").into());
        self.vhost.publish("orders", properties, body.as_bytes()).await;
    }

    /// The letter of an order.
    async fn letter(&self, id: u32) -> Letter {
        let filter = LetterFilter::parse(&format!("message_id:order-{id}")).expect("a filter");
        let page = self.bench.desk.letters(&filter, None, 10).await.expect("listed");
        assert_eq!(page.items.len(), 1, "order {id} is one letter");
        self.bench.desk.letter(page.items[0].id).await.expect("a letter")
    }

    async fn close(self) {
        self.office.stop().await;
        self.background.stop().await;
        self.counter.close().await;
        self.vhost.delete().await;
    }
}

/// Four orders: one succeeds, one fails, one is another worker's, and one cannot be read. Then there is stock, and the
/// one that failed is replayed.
async fn each_outcome_is_what_it_says(pool: PgPool, program: Program) {
    let company = Company::open(&pool).await;
    company.order(1, r#"{"id": 1, "warehouse": "north", "quantity": 1}"#).await;
    company.order(2, r#"{"id": 2, "warehouse": "north", "quantity": 11}"#).await;
    company.order(3, r#"{"id": 3, "warehouse": "south", "quantity": 1}"#).await;
    company.order(4, "{").await;
    let mut worker = company.work(&program, "10");
    until("three letters", || async { letters(&pool).await == 3 }).await;
    until("nothing is left in the queue", || async {
        company.vhost.census("orders").await.contains("0 unacknowledged")
            && company.vhost.depth("orders").await == 0
    })
    .await;
    worker.kill().await.expect("ended");

    let failed = company.letter(2).await;
    assert_eq!(failed.told_by.as_deref(), Some("report"));
    assert_eq!(failed.summary.reason, Reason::Rejected);
    let class = failed.summary.error_class.expect("a class");
    assert!(class.ends_with("OutOfStock"), "{class}");
    assert_eq!(failed.summary.error_message.as_deref(), Some("no stock for order 2"));
    assert_eq!(failed.circumstances.attempts, Some(1));
    assert!(failed.circumstances.failed_at.is_some() && failed.circumstances.host.is_some());
    if let Some(place) = program.place {
        let stack = failed.stack_trace.expect("a stack");
        assert!(stack.contains(place), "{stack}");
    }
    let declined = company.letter(3).await;
    assert_eq!(declined.summary.reason, Reason::DeliveryLimit);
    assert_eq!(declined.summary.error_message, None, "nothing went wrong with it");
    let unreadable = company.letter(4).await;
    assert_eq!(unreadable.told_by.as_deref(), Some("report"));

    let mut worker = company.work(&program, "100");
    let engine = company.bench.engine().await;
    let replay = company.bench.replay_home(&[failed.summary.id]).await;
    until("it is told to be processed", || async {
        company.bench.state(failed.summary.id).await == LetterState::Resolved
    })
    .await;
    let items = company.bench.items(replay).await;
    assert_eq!(items[0].outcome, Outcome::Processed);
    worker.kill().await.expect("ended");
    engine.stop().await;
    company.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn in_python(pool: PgPool) {
    each_outcome_is_what_it_says(pool, programs::python()).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn in_node(pool: PgPool) {
    each_outcome_is_what_it_says(pool, programs::node()).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn in_php(pool: PgPool) {
    each_outcome_is_what_it_says(pool, programs::php()).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn in_go(pool: PgPool) {
    each_outcome_is_what_it_says(pool, programs::go().await).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn in_rust(pool: PgPool) {
    each_outcome_is_what_it_says(pool, programs::rust()).await;
}
