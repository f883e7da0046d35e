//! The way in for heartbeats: the exchange that workers publish to, and a queue that all offices
//! share. Beside heartbeats an office publishes an echo of its own: where that comes back, all that
//! workers said before has come in too, so silence means silence.

use std::time::Duration;

use futures_util::StreamExt as _;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions,
    BasicPublishOptions, BasicQosOptions, ExchangeDeclareOptions, QueueBindOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Consumer, ExchangeKind};

use super::connection::within;
use super::octets::RawMessages;
use super::{BrokerError, Link};

/// The exchange of the fleet: a topic.
const EXCHANGE: &str = "dlo.fleet";
/// The queue of the offices.
const QUEUE: &str = "dlo.fleet.heartbeats";
/// What heartbeats are published with: anything. What is no heartbeat is counted as such, and nobody reports
/// to nobody for the sake of a routing key.
const HEARTBEATS: &str = "#";
/// What an office's echo is published with.
const ECHO: &str = "office.echo";

/// Messages that wait for us at most, and for how long: what is older tells nothing any more.
const MOST_WAITING: i32 = 100_000;
const WAITS_MS: i32 = 60_000;
/// How long the queue outlives the last office.
const OUTLIVES_MS: i32 = 3_600_000;

/// How long giving messages back may take.
const GIVE_BACK_WITHIN: Duration = Duration::from_secs(2);

/// Messages that we have in hand at once.
const WINDOW: u16 = 1_000;

/// What came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its place on the channel: acknowledging it acknowledges all before it too.
    pub tag: u64,
    /// The body of a heartbeat; nothing for an echo.
    pub heartbeat: Option<Vec<u8>>,
}

/// A channel on the queue of heartbeats.
#[derive(Debug)]
pub struct FleetInlet {
    channel: Channel,
    consumer: Consumer,
    raw: RawMessages,
}

impl FleetInlet {
    /// Declares exchange and queue where they are missing, and begins to consume.
    ///
    /// # Errors
    /// When the broker refuses or does not answer: the exchange may be there as another kind.
    pub async fn open(link: &Link) -> Result<Self, BrokerError> {
        let channel = link.channel().await?;
        let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        let none = FieldTable::default;
        let topic = ExchangeKind::Topic;
        within(channel.exchange_declare(EXCHANGE.into(), topic, durable, none())).await?;
        let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        within(channel.queue_declare(QUEUE.into(), durable, arguments())).await?;
        let options = QueueBindOptions::default();
        let key = HEARTBEATS.into();
        within(channel.queue_bind(QUEUE.into(), EXCHANGE.into(), key, options, none())).await?;
        within(channel.basic_qos(WINDOW, BasicQosOptions { global: false })).await?;
        let consumer = within(channel.basic_consume(
            QUEUE.into(),
            ShortString::default(),
            BasicConsumeOptions::default(),
            none(),
        ))
        .await?;
        Ok(Self { channel, consumer, raw: link.raw_messages() })
    }

    /// What comes next. `None` when the broker ended the consumer. May be dropped while it waits; no
    /// message is lost by that.
    ///
    /// # Errors
    /// When the channel or the connection broke.
    pub async fn next(&mut self) -> Result<Option<Said>, BrokerError> {
        let Some(delivery) = self.consumer.next().await else {
            return Ok(None);
        };
        let delivery = delivery?;
        // A heartbeat is its body alone; what was kept of its header is let go.
        self.raw.skip(self.channel.id(), delivery.delivery_tag);
        let is_echo = delivery.routing_key.as_str() == ECHO;
        Ok(Some(Said {
            tag: delivery.delivery_tag,
            heartbeat: (!is_echo).then_some(delivery.data),
        }))
    }

    /// Publishes an echo.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub async fn echo(&self) -> Result<(), BrokerError> {
        let options = BasicPublishOptions::default();
        let properties = BasicProperties::default().with_type("office.echo".into());
        let sent =
            self.channel.basic_publish(EXCHANGE.into(), ECHO.into(), options, b"", properties);
        within(sent).await?;
        Ok(())
    }

    /// Ends consuming and gives back what is not acknowledged, before the channel is closed. Whatever fails is
    /// left to the broker.
    pub async fn give_back(&self) {
        let giving = async {
            let options = BasicCancelOptions { nowait: false };
            within(self.channel.basic_cancel(self.consumer.tag(), options)).await?;
            let all = BasicNackOptions { multiple: true, requeue: true };
            within(self.channel.basic_nack(0, all)).await?;
            // A channel answers in order: the answer to this says that it has arrived.
            within(self.channel.basic_qos(WINDOW, BasicQosOptions { global: false })).await
        };
        if tokio::time::timeout(GIVE_BACK_WITHIN, giving).await.is_err() {
            tracing::debug!("heartbeats go back with their connection: no answer in time");
        }
    }

    /// Acknowledges everything up to `tag`.
    ///
    /// # Errors
    /// When the channel or the connection broke.
    pub async fn acknowledge(&self, tag: u64) -> Result<(), BrokerError> {
        within(self.channel.basic_ack(tag, BasicAckOptions { multiple: true })).await
    }
}

fn arguments() -> FieldTable {
    let mut table = FieldTable::default();
    for (name, value) in
        [("x-message-ttl", WAITS_MS), ("x-max-length", MOST_WAITING), ("x-expires", OUTLIVES_MS)]
    {
        table.insert(name.into(), AMQPValue::LongInt(value));
    }
    table
}
