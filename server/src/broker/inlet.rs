//! The way in: one channel on one queue, from which messages are taken and acknowledged in bulk.

mod fetch;

use std::collections::VecDeque;
use std::time::Duration;

use dlo_domain::arrival::Delivered;
use dlo_domain::delivery_limit::{COUNTS, Evidence};
use dlo_domain::topology::QueueKind;
use dlo_domain::wire::FieldValue;
use futures_util::{FutureExt as _, StreamExt as _};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, Consumer};
use uuid::Uuid;

use fetch::Fetch;

use super::connection::within;
use super::declare::short;
use super::octets::RawMessages;
use super::receipts::Keeper;
use super::{BrokerError, Link};

/// How long giving messages back may take: a broker that does not answer has them back with the connection.
const GIVE_BACK_WITHIN: Duration = Duration::from_secs(2);

/// Ends a consumer whose queue goes, where RabbitMQ would take it to a queue of the same name.
const CANCEL_ON_FAILOVER: &str = "x-cancel-on-ha-failover";

/// A message that is ours to acknowledge.
#[derive(Debug)]
pub struct Taken {
    /// Its place on the channel: acknowledging it acknowledges all before it too.
    pub tag: u64,
    /// The message.
    pub delivered: Delivered,
}

/// A channel on one queue.
#[derive(Debug)]
pub struct Inlet {
    channel: Channel,
    raw: RawMessages,
    queue: ShortString,
    consumer: Option<Consumer>,
    /// What the tags of its consumers begin with.
    name: String,
    /// How many consumers were begun here.
    consumers: u64,
    fetch: Option<Fetch>,
    keeper: Option<Keeper>,
    /// The tag of the last message that came.
    last_tag: u64,
    evidence: Evidence,
}

impl Inlet {
    /// Opens a channel; nothing is consumed yet, nor is the queue asked for. `evidence` is what messages told
    /// of the queue before.
    ///
    /// # Errors
    /// When the broker refuses or does not answer, or the name is no AMQP name.
    pub async fn open(link: &Link, queue: &str, evidence: Evidence) -> Result<Self, BrokerError> {
        let queue = short(queue)?;
        Ok(Self {
            channel: link.channel().await?,
            raw: link.raw_messages(),
            queue,
            consumer: None,
            name: format!("dlo-{}", Uuid::new_v4()),
            consumers: 0,
            fetch: None,
            keeper: None,
            last_tag: 0,
            evidence,
        })
    }

    /// Fetches one message, without consuming. `None` when the queue is empty.
    ///
    /// # Errors
    /// Returns an error if the broker refuses or does not answer.
    pub async fn get(&mut self) -> Result<Option<Taken>, BrokerError> {
        let got = fetch::get(self.channel.clone(), self.queue.clone()).await?;
        Ok(got.map(|delivery| self.taken(delivery)))
    }

    /// Starts to consume, with at most `window` messages unacknowledged at any time; `kind` is the type of the queue,
    /// `Other` where it is not known.
    ///
    /// # Errors
    /// Returns an error if the broker refuses or does not answer.
    pub async fn consume(&mut self, window: u16, kind: QueueKind) -> Result<(), BrokerError> {
        let options = BasicQosOptions { global: false };
        within(self.channel.basic_qos(window, options)).await?;
        self.consumer = Some(self.begin_consumer(kind).await?);
        // A channel answers in order: a consumer that the broker refuses ends the channel before this.
        within(self.channel.basic_qos(window, options)).await
    }

    /// Has the broker begin a consumer, without an answer to that. Where it is to answer, RabbitMQ puts a consumer
    /// on the list of those that end with their queue only as it does so. If the queue is deleted and made again
    /// meanwhile, then what the new queue delivers is dropped by the channel, which consumed from the old one
    /// (`consumer_monitor` and `handle_eol` of `rabbit_channel`, 3.10 to 4.3).
    async fn begin_consumer(&mut self, kind: QueueKind) -> Result<Consumer, BrokerError> {
        self.consumers += 1;
        let tag = short(&format!("{}-{}", self.name, self.consumers))?;
        let options = BasicConsumeOptions { nowait: true, ..BasicConsumeOptions::default() };
        let mut arguments = FieldTable::default();
        if kind == QueueKind::Classic {
            // Or RabbitMQ before 4.0 moves it to a queue that was made again, and drops what that delivers. Other
            // types of queue refuse this.
            arguments.insert(CANCEL_ON_FAILOVER.into(), AMQPValue::Boolean(true));
        }
        let beginning = self.channel.basic_consume(self.queue.clone(), tag, options, arguments);
        tokio::pin!(beginning);
        // lapin drops what comes for a consumer that it does not know, and notes this one after it asked for it.
        let begun = self.raw.while_nothing_comes(|| beginning.as_mut().now_or_never());
        match begun {
            Some(consumer) => Ok(consumer?),
            None => within(beginning).await,
        }
    }

    /// Starts to fetch message by message, without a consumer, with at most `window` of them unacknowledged
    /// at any time: for a queue that would be deleted with its last consumer.
    ///
    /// # Errors
    /// When the broker refuses or does not answer.
    pub async fn fetch(&mut self, window: u16) -> Result<(), BrokerError> {
        self.fetch = Some(Fetch::begin(&self.channel, &self.queue, window).await?);
        Ok(())
    }

    /// Whether no message came here, and none can be on its way.
    #[must_use]
    pub fn was_given_nothing(&self) -> bool {
        self.last_tag == 0 && self.consumer.is_none()
    }

    /// The channel on which its messages come.
    #[must_use]
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Whether a consumer of this tag was begun here.
    #[must_use]
    pub fn has_begun(&self, tag: &str) -> bool {
        tag.starts_with(&self.name)
    }

    /// Whether messages come by themselves.
    #[must_use]
    pub fn is_taking(&self) -> bool {
        self.consumer.is_some() || self.fetch.is_some()
    }

    /// The next message. `None` when the broker ended the consumer: the queue was deleted, or it
    /// moved. May be dropped while it waits; no message is lost by that.
    ///
    /// # Errors
    /// When the channel or the connection broke.
    pub async fn next(&mut self) -> Result<Option<Taken>, BrokerError> {
        if let Some(fetch) = self.fetch.as_mut() {
            let delivery = fetch.next(&self.channel, &self.queue).await?;
            return Ok(Some(self.taken(delivery)));
        }
        let Some(consumer) = self.consumer.as_mut() else {
            return Ok(None);
        };
        let Some(delivery) = consumer.next().await.transpose()? else {
            // Its end comes once: whoever waited for another would wait for ever.
            self.consumer = None;
            return Ok(None);
        };
        Ok(Some(self.taken(delivery)))
    }

    /// Ends consuming or fetching; returns what was on its way. When this returns, the broker sends nothing
    /// more, so that what we hold is all there is.
    ///
    /// # Errors
    /// When the channel or the connection broke.
    pub async fn cancel(&mut self) -> Result<VecDeque<Taken>, BrokerError> {
        if let Some(fetch) = self.fetch.take() {
            let last = fetch.end().await?;
            return Ok(last.map(|delivery| self.taken(delivery)).into_iter().collect());
        }
        let Some(mut consumer) = self.consumer.take() else {
            return Ok(VecDeque::new());
        };
        let options = BasicCancelOptions { nowait: false };
        within(self.channel.basic_cancel(consumer.tag(), options)).await?;
        let mut rest = VecDeque::new();
        while let Some(delivery) = consumer.next().await {
            rest.push_back(self.taken(delivery?));
        }
        Ok(rest)
    }

    /// Takes the receipt of this session into hand, which was made: from now on the broker counts what it
    /// acknowledges here.
    ///
    /// # Errors
    /// When the broker refuses or does not answer.
    pub async fn keep_receipt(&mut self, session: Uuid) -> Result<(), BrokerError> {
        self.keeper = Some(Keeper::take(&self.channel, self.raw.clone(), session).await?);
        Ok(())
    }

    /// What the receipt of this session says once the next acknowledgement is carried out; `None` if it has
    /// none.
    ///
    /// # Errors
    /// When the receipt is gone, or the broker does not answer.
    pub async fn next_receipt(&mut self) -> Result<Option<i64>, BrokerError> {
        match self.keeper.as_mut() {
            Some(keeper) => Ok(Some(keeper.next(&self.channel).await?)),
            None => Ok(None),
        }
    }

    /// Has the receipt of this session, if it has one, come anew when it was in hand for so long. Never between
    /// `next_receipt` and `acknowledge`: the broker counts this too.
    ///
    /// # Errors
    /// When the receipt is gone, or the broker does not answer.
    pub async fn renew_receipt(&mut self, after: Duration) -> Result<(), BrokerError> {
        match self.keeper.as_mut() {
            Some(keeper) => keeper.renew(&self.channel, after).await,
            None => Ok(()),
        }
    }

    /// Acknowledges everything up to `tag`, and returns once the broker has it: a channel answers
    /// in order, so that the answer to a later question says so.
    ///
    /// # Errors
    /// When that is not known. It may have arrived or not.
    pub async fn acknowledge(&mut self, tag: u64, window: u16) -> Result<(), BrokerError> {
        if let Some(keeper) = self.keeper.as_mut() {
            return keeper.acknowledge(&self.channel, tag).await;
        }
        let options = BasicAckOptions { multiple: true };
        within(self.channel.basic_ack(tag, options)).await?;
        // The question changes nothing: it sets what is set already.
        let same = BasicQosOptions { global: false };
        within(self.channel.basic_qos(window, same)).await
    }

    /// What the messages that came here tell of their queue.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Gives back everything that is not acknowledged, before the channel is closed: a queue that counts
    /// failures counts a closed channel among them, and since RabbitMQ 4.3 not what is given back in order.
    /// The consumer goes first, so that nothing comes here again. Whatever fails is left to the broker.
    pub async fn give_back(&mut self) {
        let giving = async {
            self.cancel().await?;
            let all = BasicNackOptions { multiple: true, requeue: true };
            within(self.channel.basic_nack(0, all)).await?;
            if self.keeper.is_some() {
                return within(self.channel.tx_commit()).await;
            }
            // A channel answers in order: the answer to this says that it has arrived.
            let options = BasicQosOptions { global: false };
            within(self.channel.basic_qos(1, options)).await
        };
        match tokio::time::timeout(GIVE_BACK_WITHIN, giving).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "messages go back with their connection"),
            Err(_) => tracing::debug!("messages go back with their connection: no answer in time"),
        }
    }

    fn taken(&mut self, delivery: Delivery) -> Taken {
        let tag = delivery.delivery_tag;
        self.last_tag = tag;
        let delivered = self.raw.read(self.channel.id(), delivery);
        let has_count = COUNTS.iter().any(|name| {
            let count = delivered.headers.get(name).and_then(FieldValue::as_integer);
            count.is_some_and(|count| count > 0)
        });
        self.evidence = self.evidence.and(delivered.redelivered, has_count);
        Taken { tag, delivered }
    }
}
