//! Publishes with confirms and `mandatory`, and says of each message what is known to have come
//! of it. Its connection is its own, so that a broker that blocks publishers does not stop
//! intake, and a message that closes the channel harms nobody else.

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::replay::Address;
use dlo_domain::republish::MOST_HEADER_BYTES;
use dlo_domain::wire::{FieldTable, Properties};
use futures_util::FutureExt as _;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::confirms::{Confirms, MessageKey};
use super::connection::within;
use super::declare::ask_exchange;
use super::{BrokerError, Brokers, properties_to_lapin};
use crate::failpoint;

/// So many messages are handed over before the first of them is known to have left. Those of one gulp
/// are unknown together when one of them closes the channel; later ones were not sent.
const GULP: usize = 50;

/// A message on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// Where to.
    pub address: Address,
    /// Basic properties.
    pub properties: Properties,
    /// Headers.
    pub headers: FieldTable,
    /// Body.
    pub body: Vec<u8>,
}

/// What is known of a publish. Only `Confirmed` is a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published {
    /// A queue has it.
    Confirmed,
    /// The broker gave it back: no queue took it.
    Returned(String),
    /// It cannot be encoded, or the broker refused it before it looked for a queue. No queue has it.
    Refused(String),
    /// A queue refused it, or could not store it. Where an exchange has several queues for it, others may
    /// have it.
    Nacked,
    /// It may or may not have been published: the answer never came.
    Lost(String),
    /// It never left: the channel was closed, or the time was over, before its turn.
    NotSent,
}

/// A channel with confirms on a connection of its own.
#[derive(Debug)]
pub struct Publisher {
    connection: Connection,
    channel: Arc<Channel>,
    confirms: Confirms,
    turnstile: Mutex<()>,
}

/// Whether other messages are on their way through the same channel: then an error of the channel does
/// not say which of them it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// None are, and none will be before the answers are there.
    Alone,
    /// There may be.
    Others,
}

/// A message that was handed over, or why it was not.
enum Sent {
    Awaited(u64),
    Known(Published),
}

impl Publisher {
    /// Connects to a vhost of a broker.
    ///
    /// # Errors
    /// When the broker is unknown, refuses or does not answer.
    pub async fn open(brokers: &Brokers, broker: &str, vhost: &str) -> Result<Self, BrokerError> {
        let uri = brokers.uri(broker, vhost)?;
        let name = ConnectionProperties::default().with_connection_name("dlo replay".into());
        let connection = within(Connection::connect_uri(uri, name)).await?;
        let channel = within(connection.create_channel()).await?;
        within(channel.confirm_select(ConfirmSelectOptions::default())).await?;
        Ok(Self {
            connection,
            channel: Arc::new(channel),
            confirms: Confirms::default(),
            turnstile: Mutex::new(()),
        })
    }

    /// Whether it still stands, as far as we know.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }

    /// Whether the broker takes nothing now, because its memory or disk runs out. What is sent
    /// all the same is neither confirmed nor refused until that is over.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.connection.status().blocked()
    }

    /// The most that the properties and headers of a message may take, in bytes: they travel in one frame,
    /// whose size was agreed on with the broker.
    #[must_use]
    pub fn most_header_bytes(&self) -> usize {
        // A frame says what it is in 8 bytes, and a header once more in 14.
        const AROUND: usize = 64;
        match usize::try_from(self.connection.configuration().frame_max()) {
            Ok(0) | Err(_) => MOST_HEADER_BYTES,
            Ok(frame) => MOST_HEADER_BYTES.min(frame.saturating_sub(AROUND)),
        }
    }

    /// Whether the broker has an exchange of this name.
    ///
    /// # Errors
    /// When the broker does not say, does not answer, or the name is no AMQP name.
    pub async fn has_exchange(&self, exchange: &str) -> Result<bool, BrokerError> {
        // One that is missing closes the channel that asked.
        let channel = within(self.connection.create_channel()).await?;
        ask_exchange(channel, exchange).await
    }

    /// Publishes messages in order and waits until it is certain what came of each, but not longer than
    /// `patience`. The answers are in the order of the messages. What is published at the same time leaves
    /// before or after them, not between.
    pub async fn publish(
        &self,
        messages: Vec<Outgoing>,
        patience: Duration,
        company: Company,
    ) -> Vec<Published> {
        let deadline = Instant::now() + patience;
        let turn = self.turnstile.lock().await;
        if company == Company::Others && self.is_blocked() {
            // Those before it learn when that is over; these would be unknown for nothing.
            return vec![Published::NotSent; messages.len()];
        }
        failpoint::reach(failpoint::MARKED);
        let is_alone = messages.len() == 1 && company == Company::Alone;
        let sent = self.hand_over(messages, deadline, is_alone).await;
        failpoint::reach(failpoint::HANDED_OVER);
        drop(turn);
        let answers = self.answers(sent, deadline).await;
        failpoint::reach(failpoint::ANSWERED);
        answers
    }

    /// Sends messages gulp by gulp. Those of one are handed over at once, so that they leave in few writes.
    async fn hand_over(
        &self,
        messages: Vec<Outgoing>,
        deadline: Instant,
        is_alone: bool,
    ) -> Vec<Sent> {
        let mut sent = Vec::with_capacity(messages.len());
        let mut messages = messages.into_iter().peekable();
        while messages.peek().is_some() {
            let gulp = messages.by_ref().take(GULP);
            let gulp: Vec<Sent> =
                gulp.map(|message| self.send(message, deadline, is_alone)).collect();
            self.confirms.until_left(&tags(&gulp), deadline).await;
            sent.extend(gulp);
        }
        sent
    }

    fn send(&self, message: Outgoing, deadline: Instant, is_alone: bool) -> Sent {
        // Where those before it took all the time to get away, it would not.
        if !self.is_open() || Instant::now() >= deadline {
            return Sent::Known(Published::NotSent);
        }
        let properties = match properties_to_lapin(&message.properties, &message.headers) {
            Ok(properties) => properties,
            Err(why) => return Sent::Known(Published::Refused(why.to_string())),
        };
        let Address { exchange, routing_key } = &message.address;
        let name = |text: &String| ShortString::try_new(text.as_str());
        let (Ok(exchange), Ok(routing_key)) = (name(exchange), name(routing_key)) else {
            let why = "a name has more than 255 bytes".to_owned();
            return Sent::Known(Published::Refused(why));
        };
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let key = MessageKey::of(&properties);
        let channel = Arc::clone(&self.channel);
        let handover = async move {
            let body = &message.body;
            let publish = channel.basic_publish(exchange, routing_key, options, body, properties);
            publish.await
        };
        Sent::Awaited(self.confirms.submit(key, handover.boxed(), is_alone))
    }

    async fn answers(&self, sent: Vec<Sent>, deadline: Instant) -> Vec<Published> {
        self.confirms.until_decided(&tags(&sent), deadline).await;
        let answer = |one| match one {
            Sent::Known(known) => known,
            Sent::Awaited(tag) => self.confirms.take(tag),
        };
        sent.into_iter().map(answer).collect()
    }

    /// Says goodbye to the broker; a broker that does not answer is left alone.
    pub async fn close(self) {
        let _ = within(self.connection.close(200, "done".into())).await;
    }
}

fn tags(sent: &[Sent]) -> Vec<u64> {
    let tag = |one: &Sent| match one {
        Sent::Awaited(tag) => Some(*tag),
        Sent::Known(_) => None,
    };
    sent.iter().filter_map(tag).collect()
}
