//! Publishes the script: a burst at first, then at a slow, lively rate. Declares the topology on
//! every connection, because a broker can come back empty. Must not consume.
//!
//! Each vhost has producers of its own, and so has the executor, who waits until an office knows of
//! what it hands out. All of them walk through the whole script at the same
//! pace, and each publishes what happens in its vhost: so they need not speak with each other.

use super::clock;
use super::dice::Dice;
use super::failures::Service;
use super::message::Publication;
use super::office::Office;
use super::realm::Realm;
use super::script::{Incident, Script};
use super::services::executions;
use super::supervision::{Shift, ShiftError, confirming};
use super::topology;
use lapin::{Channel, Confirmation, Connection, PublisherConfirm, options::BasicPublishOptions};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Whose messages are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Executor,
    /// Everybody else in a vhost.
    Rest(Realm),
}

impl Part {
    pub(super) const ALL: [Self; 3] =
        [Self::Rest(Realm::Company), Self::Rest(Realm::Sales), Self::Executor];

    pub(super) fn realm(self) -> Realm {
        match self {
            Self::Executor => Service::Executions.realm(),
            Self::Rest(realm) => realm,
        }
    }

    fn of(service: Service) -> Self {
        match service {
            Service::Executions => Self::Executor,
            other => Self::Rest(other.realm()),
        }
    }
}

/// The publishing side of one part of the company.
pub(super) struct Producers {
    part: Part,
    office: Office,
    script: Script,
    /// Rhythm only: has its own dice, so that pauses do not change what is published.
    rhythm: Dice,
    /// The user of the connection, for messages that name their sender.
    user: String,
    rate_per_second: f64,
    burst_left: u32,
    /// What was being published when the connection broke: published again, as a real
    /// at-least-once producer does.
    unfinished: Option<Incident>,
}

/// How fast things happen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub seed: u64,
    pub letters_per_second: f64,
    /// Letters that are made without any pause at the start.
    pub burst: u32,
}

impl Producers {
    pub(super) fn new(
        (part, office): (Part, Office),
        script: Script,
        user: String,
        pace: Pace,
    ) -> Self {
        Self {
            part,
            office,
            script,
            rhythm: Dice::seeded(pace.seed.rotate_left(17)),
            user,
            rate_per_second: pace.letters_per_second,
            burst_left: pace.burst,
            unfinished: None,
        }
    }

    async fn publish(&self, channel: &Channel, incident: &Incident) -> Result<(), ShiftError> {
        // All of an incident is sent before the first confirm is awaited: a campaign that
        // waited for each confirm would never overflow its queue.
        let mut confirms = Vec::with_capacity(incident.publications.len());
        for publication in &incident.publications {
            confirms.push((publication, send(channel, publication, &self.user).await?));
        }
        for (publication, confirm) in confirms {
            if confirm.await? != Confirmation::Ack(None) {
                return Err(ShiftError::Refused {
                    exchange: publication.exchange.to_owned(),
                    key: publication.routing_key.clone(),
                });
            }
        }
        Ok(())
    }

    /// How long to wait after an incident: half to one and a half times the mean, and not at all
    /// after one that leaves no letter.
    fn pause(&mut self, letters: u32) -> Duration {
        if self.burst_left > 0 {
            self.burst_left = self.burst_left.saturating_sub(letters);
            return Duration::ZERO;
        }
        let jitter = self.rhythm.money(0, 1) + 0.5;
        let seconds = f64::from(letters) / self.rate_per_second * jitter;
        // A rate of nearly nothing must not overflow the clock.
        Duration::from_secs_f64(seconds.clamp(0.0, 3600.0))
    }
}

impl Shift for Producers {
    fn name(&self) -> &'static str {
        "producers"
    }

    async fn ready(&mut self) {}

    async fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> Result<(), ShiftError> {
        let channel = confirming(connection).await?;
        topology::declare(&channel, self.part.realm()).await?;
        while let Some(incident) = self.unfinished.take().or_else(|| self.script.next()) {
            let letters = incident.letters();
            self.unfinished = Some(incident);
            if let Some(incident) = &self.unfinished
                && Part::of(incident.service) == self.part
            {
                if self.part == Part::Executor {
                    let messages = incident.publications.iter();
                    let reports: Vec<_> = messages.flat_map(executions::handed_out).collect();
                    self.office.tell(&reports, stop).await;
                }
                self.publish(&channel, incident).await?;
            }
            self.unfinished = None;
            let pause = self.pause(letters);
            let Some(()) = stop.run_until_cancelled(tokio::time::sleep(pause)).await else {
                break;
            };
        }
        Ok(())
    }
}

async fn send(
    channel: &Channel,
    publication: &Publication,
    user: &str,
) -> Result<PublisherConfirm, lapin::Error> {
    let mut properties = publication.properties.clone();
    if publication.timestamped {
        properties = properties.with_timestamp(clock::now().timestamp().unsigned_abs());
    }
    if publication.signed {
        properties = properties.with_user_id(user.into());
    }
    let (exchange, key) = (publication.exchange.into(), publication.routing_key.as_str().into());
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    channel.basic_publish(exchange, key, options, &publication.body, properties).await
}

#[cfg(test)]
mod tests {
    use super::{Pace, Part, Producers};
    use crate::fleet::office::Office;
    use crate::fleet::realm::Realm;
    use crate::fleet::script::Script;
    use chrono::DateTime;

    #[test]
    fn the_burst_does_not_pause_and_afterwards_the_mean_pause_keeps_the_rate() {
        let script = Script::new(1, DateTime::UNIX_EPOCH);
        let pace = Pace { seed: 1, letters_per_second: 2.0, burst: 3 };
        let office = Office::at(None).expect("nobody");
        let whose = (Part::Rest(Realm::Company), office);
        let mut producers = Producers::new(whose, script, "guest".to_owned(), pace);
        for _ in 0..3 {
            assert!(producers.pause(1).is_zero());
        }
        let total: f64 = (0..2000).map(|_| producers.pause(1).as_secs_f64()).sum();
        assert!((900.0..1100.0).contains(&total), "2,000 letters at 2 per second took {total} s");
    }
}
