//! Messages fetched one after the other, without a consumer. A queue that is declared auto-delete is deleted
//! when its last consumer goes, and not before one was there: whoever only fetches never causes it
//! (<https://www.rabbitmq.com/docs/queues#temporary-queues>).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lapin::Channel;
use lapin::message::Delivery;
use lapin::options::BasicGetOptions;
use lapin::types::ShortString;
use tokio::time::Instant;

use crate::broker::BrokerError;

/// How long one message may take to come; a large one takes a second.
const GET_WITHIN: Duration = Duration::from_secs(8);

/// How soon a queue that was empty is asked again.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(100);

type Answer = Result<Option<Delivery>, BrokerError>;

/// Asks a queue for one message. `None` if it is empty.
///
/// # Errors
/// Returns an error if the broker refuses or does not answer. That it does not answer in time says nothing
/// of the message: what lapin could not decode is replaced before lapin sees it.
pub(super) async fn get(channel: Channel, queue: ShortString) -> Answer {
    let asked = channel.basic_get(queue, BasicGetOptions { no_ack: false });
    let got = tokio::time::timeout(GET_WITHIN, asked)
        .await
        .map_err(|_| BrokerError::Timeout(GET_WITHIN.as_secs()))??;
    Ok(got.map(|message| message.delivery))
}

/// Fetching under way.
pub(super) struct Fetch {
    /// How many messages may still come: none is acknowledged before fetching ends.
    room: u16,
    /// What the queue had when it was asked first, until that is taken.
    first: Option<Delivery>,
    /// A question that is not answered yet. Kept over a `next` that is dropped: its message is ours.
    /// Never locked: the lock only lets references to this be sent.
    asked: Mutex<Option<Pin<Box<dyn Future<Output = Answer> + Send>>>>,
    not_before: Instant,
}

impl Fetch {
    /// Begins to fetch at most `window` messages, one or more, with the first question.
    ///
    /// # Errors
    /// Returns an error if the broker refuses or does not answer.
    pub(super) async fn begin(
        channel: &Channel,
        queue: &ShortString,
        window: u16,
    ) -> Result<Self, BrokerError> {
        let first = get(channel.clone(), queue.clone()).await?;
        let pause = if first.is_some() { Duration::ZERO } else { ASK_AGAIN_AFTER };
        let not_before = Instant::now() + pause;
        Ok(Self { room: window, first, asked: Mutex::default(), not_before })
    }

    /// The next message. Waits for one, and does not return while the window is full. May be dropped while it waits.
    pub(super) async fn next(
        &mut self,
        channel: &Channel,
        queue: &ShortString,
    ) -> Result<Delivery, BrokerError> {
        if let Some(first) = self.first.take() {
            self.room = self.room.saturating_sub(1);
            return Ok(first);
        }
        loop {
            if self.room == 0 {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep_until(self.not_before).await;
            let asked = self.asked.get_mut().unwrap_or_else(PoisonError::into_inner);
            let answer =
                asked.get_or_insert_with(|| Box::pin(get(channel.clone(), queue.clone()))).await;
            *asked = None;
            if let Some(delivery) = answer? {
                self.room -= 1;
                return Ok(delivery);
            }
            self.not_before = Instant::now() + ASK_AGAIN_AFTER;
        }
    }

    /// Asks for nothing more; returns what was on its way.
    pub(super) async fn end(self) -> Answer {
        match self.asked.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(asked) => asked.await,
            None => Ok(self.first),
        }
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch").field("room", &self.room).finish_non_exhaustive()
    }
}
