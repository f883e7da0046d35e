//! A worker of a queue of orders, with the three outcomes of ../README.md. Needs lapin 4, reqwest, rustls,
//! `serde_json`, sha2, tokio, futures-util, chrono and thiserror.

#![expect(
    clippy::disallowed_methods,
    reason = "a program by itself, which has a clock and an environment"
)]

use std::env;
use std::error::Error;
use std::time::Duration;

use chrono::Utc;
use futures_util::StreamExt as _;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Connection, ConnectionProperties};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// How the work ended where it did not fail.
enum Outcome {
    Succeeded,
    Rejected,
}

/// Why the work failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the order is not JSON")]
    Unreadable(#[from] serde_json::Error),
    #[error("no stock for order {0}")]
    OutOfStock(Value),
}

impl Failure {
    /// What it is grouped by.
    fn class(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "Unreadable",
            Self::OutOfStock(_) => "OutOfStock",
        }
    }

    /// It and its causes: errors of Rust have no stack of their own.
    fn causes(&self) -> String {
        let mut told = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            told = format!("{told}\ncaused by: {error}");
            cause = error.source();
        }
        told
    }
}

/// The work itself.
fn handle(body: &[u8]) -> Result<Outcome, Failure> {
    let order: Value = serde_json::from_slice(body)?;
    if order["warehouse"] != or("WAREHOUSE", "north") {
        // Another worker's.
        return Ok(Outcome::Rejected);
    }
    let stock: i64 = or("STOCK", "10").parse().unwrap_or(0);
    if order["quantity"].as_i64().is_some_and(|quantity| quantity > stock) {
        return Err(Failure::OutOfStock(order["id"].clone()));
    }
    Ok(Outcome::Succeeded)
}

async fn on_message(office: &Office, message: Delivery) -> lapin::Result<()> {
    match handle(&message.data) {
        Err(failure) => {
            office.report(&message, &failure).await;
            message.reject(BasicRejectOptions { requeue: false }).await?;
        }
        Ok(Outcome::Rejected) => {
            // Not nack: see ../README.md.
            message.reject(BasicRejectOptions { requeue: true }).await?;
        }
        Ok(Outcome::Succeeded) => {
            message.ack(BasicAckOptions::default()).await?;
            if let Some(AMQPValue::LongString(letter)) = header(&message, "x-dlo-letter") {
                office.tell(&format!("/api/v1/letters/{letter}/processed"), None).await;
            }
        }
    }
    Ok(())
}

fn header<'a>(message: &'a Delivery, name: &str) -> Option<&'a AMQPValue> {
    message.properties.headers().as_ref()?.inner().get(name)
}

/// The office that is told.
struct Office {
    client: reqwest::Client,
    address: String,
    token: String,
}

impl Office {
    async fn report(&self, message: &Delivery, failure: &Failure) {
        let tries = match header(message, "x-delivery-count") {
            Some(AMQPValue::LongLongInt(count)) => *count,
            _ => 0,
        };
        let id = message.properties.message_id().as_ref().map(ShortString::as_str);
        let report = json!({
            "message_id": id,
            "body_sha256": hex(&Sha256::digest(&message.data)),
            "queue": or("QUEUE", ""),
            "error_class": failure.class(),
            "error_message": failure.to_string(),
            "stack_trace": failure.causes(),
            "circumstances": {
                "attempts": tries + 1, "failed_at": Utc::now(),
                "host": or("HOSTNAME", "unknown"), "process": "orders-worker",
            },
        });
        self.tell("/api/v1/error-reports", Some(report)).await;
    }

    /// Tells it something. If that fails, the message is answered all the same.
    async fn tell(&self, path: &str, content: Option<Value>) {
        let mut request = self
            .client
            .post(format!("{}{path}", self.address))
            .bearer_auth(&self.token)
            .timeout(Duration::from_secs(2));
        if let Some(content) = content {
            request = request.json(&content);
        }
        match request.send().await {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => {
                let why = answer.text().await.unwrap_or_default();
                eprintln!("{path} could not be told: {why}");
            }
            Err(why) => eprintln!("{path} could not be told: {why}"),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn or(name: &str, otherwise: &str) -> String {
    env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // reqwest needs to be told where it is built without a provider of its own; a second one changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let office = Office {
        client: reqwest::Client::new(),
        address: env::var("DLO_URL")?,
        token: env::var("DLO_TOKEN")?,
    };
    let address = env::var("AMQP_URL")?;
    let connection = Connection::connect(&address, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    channel.basic_qos(10, BasicQosOptions::default()).await?;
    let queue = env::var("QUEUE")?;
    let options = BasicConsumeOptions::default();
    let consumer = channel.basic_consume(queue.into(), "".into(), options, FieldTable::default());
    let mut messages = consumer.await?;
    while let Some(message) = messages.next().await {
        on_message(&office, message?).await?;
    }
    Err("the broker ended the consumer".into())
}
