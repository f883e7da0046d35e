//! Declaring what is our own at the broker.

use dlo_domain::replay::QueueContent;
use dlo_domain::wire::FieldTable;
use lapin::options::{
    ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, ShortString};
use lapin::{Channel, ExchangeKind};

use super::connection::within;
use super::wire::table_to_lapin;
use super::{BrokerError, Fault, Link};

/// Declares a durable classic queue: a vhost may make others quorum queues by default, and these drop what
/// comes back too often. One that is there already stays as it is.
///
/// # Errors
/// Returns an error if the broker refuses or does not answer, or the name is no AMQP name.
pub async fn declare_queue(link: &Link, name: &str) -> Result<(), BrokerError> {
    if queue_content(link, name).await?.is_some() {
        return Ok(());
    }
    let channel = link.channel().await?;
    let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    let mut arguments = lapin::types::FieldTable::default();
    let kind = AMQPValue::LongString("classic".into());
    arguments.insert("x-queue-type".into(), kind);
    within(channel.queue_declare(short(name)?, options, arguments)).await?;
    Ok(())
}

/// How many messages and consumers a queue has now; `None` if the broker has no queue of this name.
///
/// # Errors
/// Returns an error if the broker does not say, does not answer, or the name is not an AMQP name.
pub async fn queue_content(link: &Link, name: &str) -> Result<Option<QueueContent>, BrokerError> {
    // A queue that is missing closes the channel, so each question has its own.
    let channel = link.channel().await?;
    let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let none = lapin::types::FieldTable::default();
    match within(channel.queue_declare(short(name)?, options, none)).await {
        Ok(queue) => {
            within(channel.close(200, "done".into())).await?;
            Ok(Some(QueueContent {
                messages: queue.message_count(),
                consumers: queue.consumer_count(),
            }))
        }
        Err(why) if why.fault() == Fault::QueueMissing => Ok(None),
        Err(why) => Err(why),
    }
}

/// Whether the broker has an exchange of this name.
///
/// # Errors
/// When the broker does not say, does not answer, or the name is no AMQP name.
pub async fn has_exchange(link: &Link, name: &str) -> Result<bool, BrokerError> {
    ask_exchange(link.channel().await?, name).await
}

/// Whether the broker has an exchange of this name, asked on a channel that is used up by it.
pub(super) async fn ask_exchange(channel: Channel, name: &str) -> Result<bool, BrokerError> {
    let options = ExchangeDeclareOptions { passive: true, ..ExchangeDeclareOptions::default() };
    let none = lapin::types::FieldTable::default();
    // What is only asked for is compared by its name.
    let kind = ExchangeKind::Direct;
    match within(channel.exchange_declare(short(name)?, kind, options, none)).await {
        Ok(()) => {
            within(channel.close(200, "done".into())).await?;
            Ok(true)
        }
        Err(why) if why.fault() == Fault::QueueMissing => Ok(false),
        Err(why) => Err(why),
    }
}

/// Deletes a queue with what is in it. One that is not there is no error.
///
/// # Errors
/// When the broker refuses, does not answer, or the name is no AMQP name.
pub async fn delete_queue(link: &Link, name: &str) -> Result<(), BrokerError> {
    let channel = link.channel().await?;
    within(channel.queue_delete(short(name)?, QueueDeleteOptions::default())).await?;
    Ok(())
}

/// Binds a queue to an exchange with a routing key.
///
/// # Errors
/// When the broker refuses, does not answer, or a name is no AMQP name.
pub async fn bind_queue(
    link: &Link,
    queue: &str,
    (exchange, routing_key): (&str, &str),
    arguments: &FieldTable,
) -> Result<(), BrokerError> {
    let channel = link.channel().await?;
    within(channel.queue_bind(
        short(queue)?,
        short(exchange)?,
        short(routing_key)?,
        QueueBindOptions::default(),
        table_to_lapin(arguments)?,
    ))
    .await
}

pub(super) fn short(name: &str) -> Result<ShortString, BrokerError> {
    ShortString::try_new(name)
        .map_err(|_| BrokerError::Address(format!("`{name}` is longer than 255 bytes")))
}
