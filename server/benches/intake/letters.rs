//! The servers, the queue and the letters of the benchmark.

use std::error::Error;
use std::ops::Range;
use std::time::Duration;

use dlo_server::broker::Brokers;
use dlo_server::store;
use lapin::options::{
    BasicPublishOptions, ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties, ExchangeKind};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::variable;
use crate::whole_office::Servers;

/// Letters in flight while the queue is filled.
const PUBLISH_WINDOW: usize = 500;

/// What both contestants drain.
pub const QUEUE: &str = "bench.dead";

/// The servers of the benchmark.
pub struct Bench {
    pub pool: PgPool,
    pub vhost: String,
    database_url: String,
    amqp: String,
    management: String,
    channel: Channel,
    _connection: Connection,
    admin: PgPool,
    database: String,
}

impl Bench {
    /// Makes a database and a vhost of its own.
    pub async fn prepare() -> Result<Self, Box<dyn Error>> {
        // Clients of HTTP and AMQP speak TLS by it, where they are asked to.
        dlo_server::tls::install_provider();
        let server = variable("DATABASE_URL")?;
        let (amqp, management) =
            (variable("DLO_TEST_AMQP_URL")?, variable("DLO_TEST_MANAGEMENT_URL")?);
        let admin = PgPool::connect(&server).await?;
        let database = format!("bench_{}", Uuid::new_v4().simple());
        sqlx::raw_sql(AssertSqlSafe(format!("create database {database}"))).execute(&admin).await?;
        let (base, _) = server.rsplit_once('/').ok_or("an address with a path")?;
        let database_url = format!("{base}/{database}");
        let pool = store::connect(&database_url, 8)?;
        store::migrate(&pool).await?;
        let vhost = format!("bench-{}", Uuid::new_v4());
        reqwest::Client::new()
            .put(format!("{management}/api/vhosts/{vhost}"))
            .send()
            .await?
            .error_for_status()?;
        let brokers = Brokers::main(&amqp, Some(&management));
        let uri = brokers.uri("main", &vhost)?;
        let connection = Connection::connect_uri(uri, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        declare(&channel).await?;
        Ok(Self {
            pool,
            vhost,
            database_url,
            amqp,
            management,
            channel,
            _connection: connection,
            admin,
            database,
        })
    }

    /// Where they are, for an office.
    pub fn servers(&self) -> Servers {
        Servers {
            database: self.database_url.clone(),
            amqp: self.amqp.clone(),
            management: self.management.clone(),
        }
    }

    /// Makes so many dead letters with bodies of this size, and waits until they are all dead.
    pub async fn fill(&self, size: usize, count: usize) -> Result<(), Box<dyn Error>> {
        self.publish(size, 0..count).await?;
        while usize::try_from(self.depth().await?)? < count {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Publishes letters of this size, by their numbers, that die at once.
    pub async fn publish(&self, size: usize, numbers: Range<usize>) -> Result<(), Box<dyn Error>> {
        let mut confirms = std::collections::VecDeque::new();
        for number in numbers {
            let confirm = self
                .channel
                .basic_publish(
                    "".into(),
                    "bench.work".into(),
                    BasicPublishOptions::default(),
                    &body(number, size),
                    properties(number),
                )
                .await?;
            confirms.push_back(confirm);
            if confirms.len() >= PUBLISH_WINDOW
                && let Some(first) = confirms.pop_front()
            {
                first.await?;
            }
        }
        for confirm in confirms {
            confirm.await?;
        }
        Ok(())
    }

    /// Messages that are ready in the queue of the dead.
    pub async fn depth(&self) -> Result<u32, lapin::Error> {
        self.depth_of(QUEUE).await
    }

    /// Messages that are ready in a queue.
    pub async fn depth_of(&self, queue: &str) -> Result<u32, lapin::Error> {
        let passive =
            QueueDeclareOptions { passive: true, durable: true, ..QueueDeclareOptions::default() };
        let queue =
            self.channel.queue_declare(queue.into(), passive, FieldTable::default()).await?;
        Ok(queue.message_count())
    }

    /// Takes the database away again; the vhost goes with the sandbox.
    pub async fn finish(self) -> Result<(), Box<dyn Error>> {
        self.pool.close().await;
        let drop = format!("drop database {} with (force)", self.database);
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&self.admin).await?;
        Ok(())
    }
}

async fn declare(channel: &Channel) -> Result<(), lapin::Error> {
    let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
    channel
        .exchange_declare("bench.dlx".into(), ExchangeKind::Fanout, durable, FieldTable::default())
        .await?;
    let mut dying = FieldTable::default();
    dying.insert("x-message-ttl".into(), AMQPValue::LongInt(0));
    dying.insert("x-dead-letter-exchange".into(), text("bench.dlx"));
    for (name, arguments) in [(QUEUE, FieldTable::default()), ("bench.work", dying)] {
        let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        channel.queue_declare(name.into(), durable, arguments).await?;
    }
    let (queue, exchange) = (ShortString::from(QUEUE), ShortString::from("bench.dlx"));
    channel
        .queue_bind(queue, exchange, "".into(), QueueBindOptions::default(), FieldTable::default())
        .await
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

/// An order as JSON, of this size and different for each number. LZ4 leaves about two fifths of it, as of other
/// documents: a body that compresses to nothing would be stored for nothing.
fn body(number: usize, size: usize) -> Vec<u8> {
    const END: [&str; 2] = ["{}],\"note\":\"", "\"}"];
    let mut random = StdRng::seed_from_u64(u64::try_from(number).unwrap_or_default());
    let customer: u64 = random.random();
    let mut body = format!(
        "{{\"message_type\":\"OrderPlaced\",\"order\":{number},\"customer\":\"{customer:016x}\",\"lines\":["
    );
    loop {
        let line = line(random.random());
        if body.len() + line.len() + END.concat().len() > size {
            break;
        }
        body.push_str(&line);
    }
    let room = size.saturating_sub(body.len() + END.concat().len());
    body.push_str(END[0]);
    body.push_str(&"-".repeat(room));
    body.push_str(END[1]);
    body.into_bytes()
}

/// What was ordered.
fn line(noise: u64) -> String {
    const WORDS: [&str; 16] = [
        "amber", "bolt", "copper", "drill", "elastic", "frame", "glass", "hinge", "iron", "joint",
        "kettle", "lamp", "marble", "nickel", "oak", "panel",
    ];
    let word = |place: u32| WORDS[usize::try_from(noise >> place & 15).unwrap_or_default()];
    let (article, price) = (noise % 1_000_000, noise >> 32 & 0x3fff);
    let (first, second, third) = (word(12), word(20), word(28));
    format!(
        "{{\"article\":\"A-{article:06}\",\"name\":\"{first} {second} {third}\",\"quantity\":{},\"price\":{price}}},",
        noise >> 48 & 31
    )
}

fn properties(number: usize) -> BasicProperties {
    let mut headers = FieldTable::default();
    headers.insert("x-tenant".into(), text(["acme", "globex", "initech"][number % 3]));
    headers.insert("x-version".into(), text("2.3.1"));
    headers.insert("x-retries".into(), AMQPValue::LongInt(3));
    headers.insert("x-exception-type".into(), text("shop.orders.PaymentRefused"));
    headers.insert(
        "x-exception-message".into(),
        text(&format!("payment of order {number} was refused by the bank")),
    );
    headers.insert("x-trace".into(), text(&format!("{number:032x}")));
    BasicProperties::default()
        .with_headers(headers)
        .with_content_type("application/json".into())
        .with_message_id(format!("m-{number}").into())
        .with_delivery_mode(2)
}
