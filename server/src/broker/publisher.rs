//! Publishes with confirms and `mandatory`, and says of each message what is known to have come
//! of it. Its connection is its own, so that a broker that blocks publishers does not stop
//! intake, and a message that closes the channel harms nobody else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dlo_domain::replay::Address;
use dlo_domain::republish::MOST_HEADER_BYTES;
use dlo_domain::wire::{FieldTable, Properties};
use futures_util::FutureExt as _;
use futures_util::future::{join, join_all};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{Channel, Connection, ConnectionProperties, ErrorKind};
use tokio::time::{Instant, sleep, sleep_until};

use super::confirms::{Answer, Ended, MessageKey, decide};
use super::connection::within;
use super::declare::ask_exchange;
use super::{BrokerError, Brokers, properties_to_lapin};
use crate::failpoint;

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

/// A connection of its own, for batches that each have a channel to themselves. Clones share it.
#[derive(Debug, Clone)]
pub struct Publisher {
    connection: Arc<Connection>,
    /// Channels with confirms on which nothing is on its way.
    idle: Arc<Mutex<Vec<Channel>>>,
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
        let publisher = Self { connection: Arc::new(connection), idle: Arc::default() };
        let channel = publisher.channel().await?;
        publisher.give_back(channel);
        Ok(publisher)
    }

    /// Whether it still stands, as far as we know.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.connection.status().connected()
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

    /// Publishes messages in order, at once, and waits until it is certain what came of each, but not longer
    /// than `patience`. The answers are in the order of the messages. One that closes the channel leaves those
    /// of its batch unknown, and no others.
    #[tracing::instrument(level = "debug", skip_all, fields(messages = batch.len()))]
    pub async fn publish(&self, batch: Vec<Outgoing>, patience: Duration) -> Vec<Published> {
        let began = Instant::now();
        let deadline = began + patience;
        let not_sent = vec![Published::NotSent; batch.len()];
        if self.is_blocked() {
            // Those before it learn when that is over; these would be unknown for nothing.
            return not_sent;
        }
        let Ok(channel) = self.channel().await else {
            return not_sent;
        };
        failpoint::reach(failpoint::MARKED);
        let is_alone = batch.len() == 1;
        let given_up = self.given_up(deadline).shared();
        let sending =
            batch.iter().map(|message| send(&channel, message, is_alone, given_up.clone()));
        let (ended, ()) =
            join(join_all(sending), async { failpoint::reach(failpoint::HANDED_OVER) }).await;
        failpoint::reach(failpoint::ANSWERED);
        // A channel with an answer outstanding is done with: the answer would be taken for another's.
        if !ended.iter().any(|one| matches!(one.answer, Answer::Missing(Published::Lost(_)))) {
            self.give_back(channel);
        }
        let published = decide(ended);
        let confirmed = published.iter().filter(|one| **one == Published::Confirmed).count();
        tracing::debug!(confirmed, seconds = began.elapsed().as_secs_f64(), "published");
        published
    }

    /// Ends when no answer can come any more, with the reason: the time is over, or the connection has ended.
    ///
    /// lapin fails what waits for a connection when that ends, but not what is handed to it in that very moment
    /// (4.12: `Channels::set_connection_error` drops the frames that wait before it marks the channels).
    async fn given_up(&self, deadline: Instant) -> &'static str {
        /// So long it may tell of each message why it has no answer.
        const SETTLED_IN: Duration = Duration::from_millis(200);
        while self.is_open() {
            let now = Instant::now();
            if now >= deadline {
                return "the broker did not answer in time";
            }
            sleep_until(deadline.min(now + SETTLED_IN)).await;
        }
        sleep(SETTLED_IN).await;
        "the connection ended before the broker answered"
    }

    /// A channel with confirms on which nothing is on its way.
    async fn channel(&self) -> Result<Channel, BrokerError> {
        while let Some(channel) = self.idle().pop() {
            if channel.status().connected() {
                return Ok(channel);
            }
        }
        let channel = within(self.connection.create_channel()).await?;
        within(channel.confirm_select(ConfirmSelectOptions::default())).await?;
        Ok(channel)
    }

    fn give_back(&self, channel: Channel) {
        self.idle().push(channel);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Channel>> {
        // A list cannot be left half changed, whoever panicked.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says goodbye to the broker; a broker that does not answer is left alone.
    pub async fn close(self) {
        let _ = within(self.connection.close(200, "done".into())).await;
    }
}

/// Publishes a message and waits for its end, or until it is given up.
async fn send(
    channel: &Channel,
    message: &Outgoing,
    is_alone: bool,
    given_up: impl Future<Output = &'static str>,
) -> Ended {
    let refused = |why: String| Ended::without_answer(None, Published::Refused(why));
    let properties = match properties_to_lapin(&message.properties, &message.headers) {
        Ok(properties) => properties,
        Err(why) => return refused(why.to_string()),
    };
    let Address { exchange, routing_key } = &message.address;
    let name = |text: &String| ShortString::try_new(text.as_str());
    let (Ok(exchange), Ok(routing_key)) = (name(exchange), name(routing_key)) else {
        return refused("a name has more than 255 bytes".to_owned());
    };
    let key = MessageKey::of(&properties);
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    // lapin has queued it once this was asked for: those of a batch are, in their order, before any waits.
    let publishing =
        channel.basic_publish(exchange, routing_key, options, &message.body, properties);
    let confirming = async {
        let confirm = publishing.await?;
        confirm.await
    };
    tokio::select! {
        biased;
        confirmed = confirming => match confirmed {
            Err(why) if is_alone && is_refusal(&why) => {
                refused(format!("the broker refused it: {why}"))
            }
            confirmation => Ended::read(key, confirmation),
        },
        why = given_up => Ended::without_answer(key, Published::Lost(why.to_owned())),
    }
}

/// A channel error answers one publish and is raised before anything is routed: when there was
/// only one on the way, that one was refused. A connection error can come at any time.
fn is_refusal(error: &lapin::Error) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(_)) && error.is_amqp_soft_error()
}
