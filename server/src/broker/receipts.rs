//! Receipts: the broker's own word on which acknowledgements of a session it carried out.
//!
//! A session has a queue with one message in it, its *receipt*. The queue dead-letters to itself, so that a
//! receipt that is rejected goes to its end again, and the broker counts that in `x-death`. In one transaction of
//! its channel a session acknowledges its messages and rejects its receipt: the channel carries out both or, when
//! it ends before it read `tx.commit`, none (`handle_method(#'tx.commit'{})` of `rabbit_channel`; tried on
//! RabbitMQ 3.10 and 4.3, with classic and quorum queues). While the channel stands, the session has the receipt
//! in hand; when it ends, the receipt is back in its queue, with the count.
//!
//! So nothing is published on a connection that takes messages: a broker that runs short of memory or disk stops
//! reading from connections that publish, and would leave acknowledgements unread.

use std::time::Duration;

use dlo_domain::death::{Reason, read_deaths};
use futures_util::StreamExt as _;
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicGetOptions, BasicPublishOptions, BasicQosOptions,
    BasicRejectOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Consumer};
use tokio::time::Instant;
use uuid::Uuid;

use super::connection::within;
use super::declare::{delete_queue, short};
use super::octets::RawMessages;
use super::{BrokerError, Brokers, Fault, Link, connect};

/// How the queues of receipts are called; behind it stands the id of the session.
pub const RECEIPTS: &str = "dlo.receipts.";

/// How long a queue outlives its session, in milliseconds: an office may stay away over a long weekend.
const OUTLIVES_MS: i32 = 7 * 24 * 3_600_000;

/// What the broker says of a session's acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// Its channel stands: what it has in hand has not been given back.
    Held,
    /// Its channel is gone, and so many acknowledgements were carried out.
    CarriedOut(i64),
    /// The broker has no receipt of it: none was made, or the broker was restarted since.
    Missing,
}

/// The receipt of a session that takes messages.
#[derive(Debug)]
pub(super) struct Keeper {
    queue: String,
    consumer: Consumer,
    raw: RawMessages,
    in_hand: Option<InHand>,
    /// What the broker has counted when the receipt comes next.
    expected: i64,
}

/// A receipt in hand.
#[derive(Debug, Clone, Copy)]
struct InHand {
    tag: u64,
    /// What the broker counted; nothing if its count cannot be read.
    carried_out: Option<i64>,
    since: Instant,
}

/// Makes the receipt of a session, on a connection of its own.
///
/// # Errors
/// Returns an error if the broker refuses or does not answer; one that is short of memory or disk does not.
pub async fn make_receipt(
    brokers: &Brokers,
    broker: &str,
    vhost: &str,
    session: Uuid,
) -> Result<(), BrokerError> {
    let link = connect(brokers, broker, vhost, "receipts").await?;
    let made = make(&link, &queue_of(session)).await;
    link.close().await;
    made
}

async fn make(link: &Link, queue: &str) -> Result<(), BrokerError> {
    let channel = link.channel().await?;
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    within(channel.queue_declare(short(queue)?, durable, arguments(queue))).await?;
    within(channel.confirm_select(ConfirmSelectOptions::default())).await?;
    // Transient: it must not outlive acknowledgements that a killed broker forgot.
    let transient = BasicProperties::default().with_delivery_mode(1);
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    let body = b"What an office has acknowledged is counted here, in x-death.";
    let publishing =
        channel.basic_publish(ShortString::default(), short(queue)?, options, body, transient);
    let confirm = within(publishing).await?;
    within(confirm).await?;
    // What the broker refuses would end the channel that letters come on: tried here before.
    let channel = link.channel().await?;
    within(channel.tx_select()).await?;
    let get = BasicGetOptions { no_ack: false };
    let got = within(channel.basic_get(short(queue)?, get)).await?;
    within(channel.close(200, "done".into())).await?;
    got.map(|_| ()).ok_or_else(|| BrokerError::ReceiptGone(queue.to_owned()))
}

fn arguments(queue: &str) -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("classic".into()));
    arguments.insert("x-expires".into(), AMQPValue::LongInt(OUTLIVES_MS));
    arguments.insert("x-dead-letter-exchange".into(), AMQPValue::LongString("".into()));
    arguments.insert("x-dead-letter-routing-key".into(), AMQPValue::LongString(queue.into()));
    arguments
}

/// What the broker says of the acknowledgements of a session that ended.
///
/// # Errors
/// Returns an error if the broker does not say or does not answer.
pub async fn read_receipt(link: &Link, session: Uuid) -> Result<Receipt, BrokerError> {
    let queue = queue_of(session);
    // One that was just rejected is on its way into its queue when the channel goes: the second look finds it.
    match look_for_receipt(link, &queue).await? {
        Receipt::Missing => look_for_receipt(link, &queue).await,
        found => Ok(found),
    }
}

async fn look_for_receipt(link: &Link, queue: &str) -> Result<Receipt, BrokerError> {
    // A queue that is missing closes the channel, so each question has its own.
    let channel = link.channel().await?;
    let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let none = FieldTable::default();
    let state = match within(channel.queue_declare(short(queue)?, options, none)).await {
        Ok(state) => state,
        Err(why) if matches!(why.fault(), Fault::QueueMissing | Fault::Refused) => {
            return Ok(Receipt::Missing);
        }
        Err(why) => return Err(why),
    };
    // Its consumer and what it has in hand leave a channel in one step.
    let receipt = if state.consumer_count() > 0 {
        Receipt::Held
    } else if state.message_count() > 1 {
        // Somebody else put one there, and which is ours is not known.
        Receipt::Missing
    } else {
        look_at(link, &channel, queue).await?
    };
    within(channel.close(200, "done".into())).await?;
    Ok(receipt)
}

/// What the receipt says that waits in its queue. It is there again when this returns.
async fn look_at(link: &Link, channel: &Channel, queue: &str) -> Result<Receipt, BrokerError> {
    let get = BasicGetOptions { no_ack: false };
    let Some(message) = within(channel.basic_get(short(queue)?, get)).await? else {
        return Ok(Receipt::Missing);
    };
    let tag = message.delivery.delivery_tag;
    let counted = in_hand(channel, &link.raw_messages(), queue, message.delivery);
    within(channel.basic_reject(tag, BasicRejectOptions { requeue: true })).await?;
    // The queue answers in order, and a channel that is closed gives back only some time later.
    let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    within(channel.queue_declare(short(queue)?, passive, FieldTable::default())).await?;
    Ok(counted.carried_out.map_or(Receipt::Missing, Receipt::CarriedOut))
}

/// Deletes the receipt of a session of which nothing is to be asked any more.
///
/// # Errors
/// Returns an error if the broker refuses or does not answer; then the queue goes by itself, days later.
pub async fn delete_receipt(link: &Link, session: Uuid) -> Result<(), BrokerError> {
    delete_queue(link, &queue_of(session)).await
}

fn queue_of(session: Uuid) -> String {
    format!("{RECEIPTS}{session}")
}

fn in_hand(channel: &Channel, raw: &RawMessages, queue: &str, delivery: Delivery) -> InHand {
    let tag = delivery.delivery_tag;
    let delivered = raw.read(channel.id(), delivery);
    if delivered.headers.get("x-death").is_none() {
        return InHand { tag, carried_out: Some(0), since: Instant::now() };
    }
    let history = read_deaths(&delivered.headers);
    let mut deaths = history.deaths.iter();
    let counted = deaths.find(|one| one.reason == Reason::Rejected && one.queue == queue);
    let carried_out = counted.and_then(|one| one.count);
    InHand { tag, carried_out, since: Instant::now() }
}

impl Keeper {
    /// Takes a receipt that was made into hand, and has the channel acknowledge in transactions from now on.
    pub(super) async fn take(
        channel: &Channel,
        raw: RawMessages,
        session: Uuid,
    ) -> Result<Self, BrokerError> {
        let queue = queue_of(session);
        within(channel.tx_select()).await?;
        within(channel.basic_qos(1, BasicQosOptions { global: false })).await?;
        let consumer = within(channel.basic_consume(
            short(&queue)?,
            ShortString::default(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        ))
        .await?;
        let mut keeper = Self { queue, consumer, raw, in_hand: None, expected: 0 };
        keeper.in_hand(channel).await?;
        Ok(keeper)
    }

    /// How many acknowledgements the broker has counted once it has carried out the next one.
    pub(super) async fn next(&mut self, channel: &Channel) -> Result<i64, BrokerError> {
        self.in_hand(channel).await?;
        Ok(self.expected + 1)
    }

    /// Acknowledges everything up to this tag, and has it counted. When this returns, the broker has done both.
    pub(super) async fn acknowledge(
        &mut self,
        channel: &Channel,
        tag: u64,
    ) -> Result<(), BrokerError> {
        // First, or the acknowledgement would be of the receipt too.
        self.reject(channel).await?;
        within(channel.basic_ack(tag, BasicAckOptions { multiple: true })).await?;
        within(channel.tx_commit()).await
    }

    /// Lets the receipt go round once if it was in hand for so long: a broker closes the channel of whoever has a
    /// message for half an hour (`consumer_timeout`).
    pub(super) async fn renew(
        &mut self,
        channel: &Channel,
        after: Duration,
    ) -> Result<(), BrokerError> {
        if self.in_hand(channel).await?.since.elapsed() < after {
            return Ok(());
        }
        self.reject(channel).await?;
        within(channel.tx_commit()).await
    }

    async fn reject(&mut self, channel: &Channel) -> Result<(), BrokerError> {
        let receipt = self.in_hand(channel).await?;
        self.in_hand = None;
        self.expected += 1;
        let reject = BasicRejectOptions { requeue: false };
        within(channel.basic_reject(receipt.tag, reject)).await
    }

    /// The receipt, which comes back at once when it was rejected.
    async fn in_hand(&mut self, channel: &Channel) -> Result<InHand, BrokerError> {
        if let Some(receipt) = self.in_hand {
            return Ok(receipt);
        }
        let coming = async { self.consumer.next().await.transpose() };
        let Some(delivery) = within(coming).await? else {
            return Err(BrokerError::ReceiptGone(self.queue.clone()));
        };
        let receipt = in_hand(channel, &self.raw, &self.queue, delivery);
        // Whoever may write to the queue can put another one there.
        if receipt.carried_out != Some(self.expected) {
            return Err(BrokerError::ReceiptGone(self.queue.clone()));
        }
        self.in_hand = Some(receipt);
        Ok(receipt)
    }
}
