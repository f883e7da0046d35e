//! Real questions to the servers: a query, a message there and back, the management API.

use std::path::{Path, PathBuf};

use lapin::options::{
    BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Connection, ConnectionProperties};
use sqlx::{Connection as _, PgConnection};

pub const QUEUE: &str = "letters";

pub async fn ask(database: &str, query: &'static str) -> Result<String, sqlx::Error> {
    let mut connection = PgConnection::connect(database).await?;
    sqlx::query_scalar(query).fetch_one(&mut connection).await
}

/// The sandbox's directory, as its Postgres knows it.
pub async fn directory_of(database: &str) -> PathBuf {
    let files = ask(database, "SHOW data_directory").await.unwrap();
    Path::new(&files).ancestors().nth(2).unwrap().to_owned()
}

/// Stores one message durably: returns when the broker has confirmed it.
pub async fn publish(amqp: &str, body: &[u8]) -> Result<(), lapin::Error> {
    let connection = Connection::connect(amqp, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(QUEUE.into(), options, FieldTable::default()).await?;
    let persistent = BasicProperties::default().with_delivery_mode(2);
    let options = BasicPublishOptions::default();
    channel.basic_publish("".into(), QUEUE.into(), options, body, persistent).await?.await?;
    connection.close(200, "done".into()).await
}

/// Takes one message off the queue.
pub async fn take(amqp: &str) -> Result<Option<Vec<u8>>, lapin::Error> {
    let connection = Connection::connect(amqp, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    let message = channel.basic_get(QUEUE.into(), BasicGetOptions { no_ack: true }).await?;
    connection.close(200, "done".into()).await?;
    Ok(message.map(|message| message.delivery.data))
}

pub async fn management_user(management: &str) -> String {
    let address = format!("{management}/api/whoami");
    let answer = reqwest::get(address).await.unwrap();
    let user: serde_json::Value = answer.json().await.unwrap();
    user["name"].as_str().unwrap().to_owned()
}
