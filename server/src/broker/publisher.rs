//! Publishes with confirms and `mandatory`, and says of each message what is known to have come
//! of it. Its connection is its own, so that a broker that blocks publishers does not stop
//! intake, and a message that closes the channel harms nobody else.

use std::pin::Pin;
use std::time::Duration;

use dlo_domain::replay::Address;
use dlo_domain::republish::MOST_HEADER_BYTES;
use dlo_domain::wire::{FieldTable, Properties};
use futures_util::future::{maybe_done, poll_immediate};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{Channel, Confirmation, Connection, ConnectionProperties, ErrorKind, PublisherConfirm};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

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
    /// The broker said no, or it cannot be encoded. No queue has it.
    Refused(String),
    /// It may or may not have been published: the answer never came.
    Lost(String),
    /// It never left: the channel was closed, or the time was over, before its turn.
    NotSent,
}

/// A channel with confirms on a connection of its own.
#[derive(Debug)]
pub struct Publisher {
    connection: Connection,
    channel: Channel,
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

enum Sent {
    Awaited(PublisherConfirm),
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
            channel,
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

    /// Publishes messages in order and waits for every answer, but not longer than `patience`.
    /// The answers are in the order of the messages. What is published at the same time leaves
    /// before or after them, not between.
    pub async fn publish(
        &self,
        messages: &[Outgoing],
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
        let mut sent = Vec::with_capacity(messages.len());
        for gulp in messages.chunks(GULP) {
            sent.extend(self.hand_over(gulp, deadline).await);
        }
        failpoint::reach(failpoint::HANDED_OVER);
        drop(turn);
        let alone = messages.len() == 1 && company == Company::Alone;
        let mut answers = Vec::with_capacity(sent.len());
        for one in sent {
            answers.push(match one {
                Sent::Known(known) => known,
                Sent::Awaited(confirm) => answer(confirm, deadline, alone).await,
            });
        }
        failpoint::reach(failpoint::ANSWERED);
        answers
    }

    /// Sends messages at once, so that they leave in few writes. Each is queued when it is first
    /// polled, and that is done in their order.
    async fn hand_over(&self, gulp: &[Outgoing], deadline: Instant) -> Vec<Sent> {
        let mut sending: Vec<_> = gulp
            .iter()
            .map(|message| maybe_done(Box::pin(self.send(message, deadline))))
            .collect();
        for one in &mut sending {
            let _ = poll_immediate(&mut *one).await;
        }
        let mut sent = Vec::with_capacity(sending.len());
        for mut one in sending {
            (&mut one).await;
            sent.extend(Pin::new(&mut one).take_output());
        }
        sent
    }

    async fn send(&self, message: &Outgoing, deadline: Instant) -> Sent {
        // Where those before it took all the time to get away, it would not.
        if !self.is_open() || Instant::now() >= deadline {
            return Sent::Known(Published::NotSent);
        }
        let properties = match properties_to_lapin(&message.properties, &message.headers) {
            Ok(properties) => properties,
            Err(why) => return Sent::Known(Published::Refused(why.to_string())),
        };
        let Address {
            exchange,
            routing_key,
        } = &message.address;
        let name = |text: &String| ShortString::try_new(text.as_str());
        let (Ok(exchange), Ok(key)) = (name(exchange), name(routing_key)) else {
            let why = "a name has more than 255 bytes".to_owned();
            return Sent::Known(Published::Refused(why));
        };
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let publish = self
            .channel
            .basic_publish(exchange, key, options, &message.body, properties);
        match timeout_at(deadline, publish).await {
            Ok(Ok(confirm)) => Sent::Awaited(confirm),
            // Once it was handed over, some of its bytes may have left whatever is said after.
            Ok(Err(why)) => Sent::Known(Published::Lost(why.to_string())),
            Err(_) => Sent::Known(Published::Lost(no_answer())),
        }
    }

    /// Says goodbye to the broker; a broker that does not answer is left alone.
    pub async fn close(self) {
        let _ = within(self.connection.close(200, "done".into())).await;
    }
}

fn no_answer() -> String {
    "the broker did not answer in time".to_owned()
}

async fn answer(confirm: PublisherConfirm, deadline: Instant, alone: bool) -> Published {
    match timeout_at(deadline, confirm).await {
        Ok(Ok(Confirmation::Ack(None))) => Published::Confirmed,
        Ok(Ok(Confirmation::Ack(Some(returned)))) => Published::Returned(format!(
            "the broker returned it: {} {}",
            returned.reply_code, returned.reply_text
        )),
        Ok(Ok(Confirmation::Nack(_))) => Published::Refused(
            "the broker refused it: the queue is full (reject-publish) or could not store it"
                .to_owned(),
        ),
        Ok(Ok(Confirmation::NotRequested)) => {
            Published::Lost("the channel has no confirms".to_owned())
        }
        Ok(Err(why)) if alone && is_refusal(&why) => {
            Published::Refused(format!("the broker refused it: {why}"))
        }
        Ok(Err(why)) => Published::Lost(why.to_string()),
        Err(_) => Published::Lost(no_answer()),
    }
}

/// A channel error answers one publish and is raised before anything is routed: when there was
/// only one on the way, that one was refused. A connection error can come at any time.
fn is_refusal(error: &lapin::Error) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(_)) && error.is_amqp_soft_error()
}
