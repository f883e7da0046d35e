//! What a worker says of itself while it lives: a small message on `dlo.fleet` at a steady pace, and
//! sooner as long as nobody hears it. Must not know who listens.

use super::clock;
use super::roster::Post;
use super::supervision::ShiftError;
use super::topology;
use lapin::{BasicProperties, Channel, Confirmation, options::BasicPublishOptions};
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};

/// The routing key of all heartbeats; others of the exchange may mean other things.
const ROUTING_KEY: &str = "worker.heartbeat";
/// What all workers of the company run.
const VERSION: &str = "2.3.1";
/// How soon it is said again when nobody listens.
const UNHEARD: Duration = Duration::from_millis(500);

/// The heart of one worker, on the channel that it works with: when that hangs, so does it.
pub(super) struct Heart {
    post: Post,
    every: Duration,
    pace: Interval,
    state: &'static str,
}

impl Heart {
    /// Beats at once, and then at this pace.
    pub(super) fn new(post: Post, every: Duration) -> Self {
        let mut pace = tokio::time::interval(every);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { post, every, pace, state: "active" }
    }

    /// Says from now on that it takes nothing new.
    pub(super) fn draining(mut self) -> Self {
        self.state = "draining";
        self
    }

    /// Waits for the next beat. Nothing is lost when this is dropped.
    pub(super) async fn due(&mut self) {
        self.pace.tick().await;
    }

    /// One beat, with what is in hand.
    pub(super) async fn beat(
        &mut self,
        channel: &Channel,
        in_hand: usize,
    ) -> Result<(), ShiftError> {
        if !self.say(channel, self.state, in_hand).await? {
            self.pace.reset_after(UNHEARD.min(self.every));
        }
        Ok(())
    }

    /// The last word of one that ends in good order. Tells whether it was heard.
    pub(super) async fn stop(&self, channel: &Channel) -> Result<bool, ShiftError> {
        self.say(channel, "stopped", 0).await
    }

    async fn say(
        &self,
        channel: &Channel,
        state: &str,
        in_hand: usize,
    ) -> Result<bool, ShiftError> {
        let mut message = serde_json::json!({
            "worker": self.post.name,
            "queue": self.post.queue,
            "at": clock::now(),
            "interval_seconds": self.every.as_secs_f64(),
            "version": VERSION,
            "state": state,
        });
        if self.post.hands > 1 {
            message["running"] = in_hand.into();
            message["capacity"] = self.post.hands.into();
        }
        let properties = BasicProperties::default()
            .with_content_type("application/json".into())
            .with_type("worker.heartbeat".into());
        let confirm = channel
            .basic_publish(
                topology::FLEET_EXCHANGE.into(),
                ROUTING_KEY.into(),
                BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() },
                message.to_string().as_bytes(),
                properties,
            )
            .await?;
        Ok(confirm.await? == Confirmation::Ack(None))
    }
}
