//! Publishes what the outbox holds, with confirms. A message stays there until a queue has it: one
//! that was cut off is sent again under the same message id, so that a receiver can tell.

use std::collections::HashMap;
use std::time::Duration;

use chrono::TimeDelta;
use dlo_domain::event::LiveEvent;
use dlo_domain::execution::COMPLETED;
use dlo_domain::reading::cut;
use dlo_domain::replay::Address;
use dlo_domain::wire::{FieldTable, Properties};
use tokio_util::sync::CancellationToken;

use super::Keeper;
use crate::broker::{Outgoing, Published, Publisher};
use crate::duty::{Duty, Next};
use crate::store::executions::outbox::{self, Waiting};
use crate::store::{StoreError, shared_time};

/// Messages that are taken at once.
const AT_ONCE: i64 = 100;

/// How long answers are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// By then it is known what came of a message, or the office that took it is gone.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// The longest pause between two tries.
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// Publishes, and keeps its connections.
#[derive(Debug)]
pub struct Announcer {
    keeper: Keeper,
    publishers: HashMap<(String, String), Publisher>,
}

impl Duty for Announcer {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        while !stop.is_cancelled() && self.publish_some().await? > 0 {}
        Ok(Next::Usual)
    }

    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        *event == LiveEvent::Executions
    }

    /// Says goodbye to brokers.
    async fn end(self) {
        for publisher in self.publishers.into_values() {
            publisher.close().await;
        }
    }
}

impl Announcer {
    /// One that is connected to nobody.
    #[must_use]
    pub fn new(keeper: Keeper) -> Self {
        Self { keeper, publishers: HashMap::new() }
    }

    /// Publishes what is due, at most a hundred. Tells how many were tried.
    ///
    /// # Errors
    /// When Postgres does not do it; what is not known to have a queue is tried again.
    pub async fn publish_some(&mut self) -> Result<usize, StoreError> {
        let taken = self.take().await?;
        let mut by_place: HashMap<(String, String), Vec<Waiting>> = HashMap::new();
        let count = taken.len();
        for waiting in taken {
            let to = &waiting.destination;
            let place = (to.broker.clone(), to.vhost.clone());
            by_place.entry(place).or_default().push(waiting);
        }
        for (place, messages) in by_place {
            let outcomes = self.publish(&place, &messages).await;
            self.record(&messages, outcomes).await?;
        }
        Ok(count)
    }

    async fn take(&self) -> Result<Vec<Waiting>, StoreError> {
        let mut conn = self.keeper.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.keeper.clock).await?;
        let until = (now + LEASE, now + LONGEST_PAUSE + LEASE);
        outbox::take(&mut conn, now, until, AT_ONCE).await
    }

    /// What came of each; why not, where it was not published.
    async fn publish(
        &mut self,
        place: &(String, String),
        messages: &[Waiting],
    ) -> Vec<Result<(), String>> {
        match self.try_publish(place, messages).await {
            Ok(published) => published,
            Err(why) => {
                self.publishers.remove(place);
                vec![Err(why); messages.len()]
            }
        }
    }

    async fn try_publish(
        &mut self,
        place: &(String, String),
        messages: &[Waiting],
    ) -> Result<Vec<Result<(), String>>, String> {
        let publisher = self.publisher(place).await?;
        let mut known: HashMap<&str, bool> = HashMap::new();
        for message in messages {
            let exchange = &*message.destination.exchange;
            if !known.contains_key(exchange) {
                // Publishing to one that is missing closes the channel on all others.
                let is_there = publisher.has_exchange(exchange).await;
                known.insert(exchange, is_there.map_err(|why| why.to_string())?);
            }
        }
        let sendable = |message: &&Waiting| known[&*message.destination.exchange];
        let outgoing: Vec<Outgoing> = messages.iter().filter(sendable).map(outgoing).collect();
        let answers = publisher.publish(outgoing, PATIENCE).await;
        let mut answers = answers.into_iter();
        Ok(messages
            .iter()
            .map(|message| {
                if sendable(&message) {
                    answers.next().map_or(Err(String::new()), outcome)
                } else {
                    let exchange = &message.destination.exchange;
                    Err(format!("there is no exchange `{exchange}`"))
                }
            })
            .collect())
    }

    async fn publisher(&mut self, place: &(String, String)) -> Result<&Publisher, String> {
        let is_open = |publisher: &Publisher| publisher.is_open();
        if !self.publishers.get(place).is_some_and(is_open) {
            self.publishers.remove(place);
            let opened = Publisher::open(&self.keeper.brokers, &place.0, &place.1).await;
            let opened = opened.map_err(|why| why.to_string())?;
            self.publishers.insert(place.clone(), opened);
        }
        Ok(&self.publishers[place])
    }

    async fn record(
        &self,
        messages: &[Waiting],
        outcomes: Vec<Result<(), String>>,
    ) -> Result<(), StoreError> {
        let mut conn = self.keeper.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.keeper.clock).await?;
        let mut done = Vec::new();
        for (message, outcome) in messages.iter().zip(outcomes) {
            match outcome {
                Ok(()) => done.push(message.id),
                Err(why) => {
                    let pause = TimeDelta::seconds(1 << message.tries.clamp(0, 9));
                    let due_at = now + pause.min(LONGEST_PAUSE);
                    tracing::debug!(%why, "an ended execution is announced later");
                    outbox::failed(&mut conn, message.id, due_at, &cut(&why, 1_024)).await?;
                }
            }
        }
        outbox::done(&mut conn, &done).await
    }
}

fn outgoing(message: &Waiting) -> Outgoing {
    Outgoing {
        address: Address {
            exchange: message.destination.exchange.clone(),
            routing_key: message.destination.routing_key.clone(),
        },
        properties: Properties {
            content_type: Some("application/json".into()),
            delivery_mode: Some(2),
            message_id: Some(message.id.to_string().as_str().into()),
            kind: Some(COMPLETED.into()),
            ..Properties::default()
        },
        headers: FieldTable::default(),
        body: message.body.to_string().into_bytes(),
    }
}

fn outcome(published: Published) -> Result<(), String> {
    match published {
        Published::Confirmed => Ok(()),
        Published::Returned(why) | Published::Refused(why) | Published::Lost(why) => Err(why),
        Published::Nacked => {
            Err("a queue refused it: it is full (reject-publish) or could not store it".to_owned())
        }
        Published::NotSent => Err("the broker could not be reached in time".to_owned()),
    }
}
