//! One session: hears the heartbeats of one vhost until its connection breaks.

use std::time::Duration;

use dlo_domain::worker::{Heartbeat, HeartbeatFault};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::Beats;
use super::{Hearing, Place};
use crate::broker::{self, BrokerError, FleetInlet, Said};
use crate::store::workers::watches;
use crate::store::{StoreError, shared_time};

/// How often an office says something to itself.
const ECHO_EVERY: Duration = Duration::from_secs(1);
/// Where nothing comes within this time, not even an echo, the connection is given up: the broker stands
/// still, or the way to it is cut.
const ECHO_WITHIN: Duration = Duration::from_secs(30);
/// How long heartbeats wait for others to be written with.
const LINGER: Duration = Duration::from_millis(50);
/// Heartbeats in one transaction.
const AT_ONCE: usize = 500;
/// Bytes of a message that is read at all: a heartbeat's largest members are 4 KiB of metadata and 2
/// KiB of an address, both of which may be written with escapes.
const MOST_BYTES: usize = 65_536;
/// How often refused messages are told of.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// Hears until the connection breaks, or `stop`.
pub(super) async fn session(
    hearing: &Hearing,
    place: &Place,
    refused: &mut Refused,
    stop: &CancellationToken,
) -> Result<(), BrokerError> {
    let Place { broker, vhost, way } = place;
    // Whatever is published there: a message that lapin refuses must not make an office deaf.
    let link = broker::connect(&hearing.brokers, broker, vhost, "heartbeats").await?;
    let mut inlet = FleetInlet::open(&link).await?;
    let ear = Ear {
        hearing,
        way: way.clone(),
        beats: Beats::new(hearing.pool.clone(), hearing.clock.clone(), way)
            .with_queues(hearing.queues.clone()),
    };
    let ended = ear.listen(&mut inlet, refused, stop).await;
    inlet.give_back().await;
    link.close().await;
    ended
}

/// What one session writes with.
struct Ear<'a> {
    hearing: &'a Hearing,
    way: String,
    beats: Beats,
}

impl Ear<'_> {
    async fn listen(
        &self,
        inlet: &mut FleetInlet,
        refused: &mut Refused,
        stop: &CancellationToken,
    ) -> Result<(), BrokerError> {
        let mut pace = interval(ECHO_EVERY);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batch: Vec<Said> = Vec::new();
        let mut due = Instant::now();
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                _ = pace.tick() => {
                    if heard.elapsed() > ECHO_WITHIN {
                        return Err(BrokerError::Timeout(ECHO_WITHIN.as_secs()));
                    }
                    inlet.echo().await?;
                }
                said = inlet.next() => {
                    let Some(said) = said? else { return Ok(()) };
                    if batch.is_empty() {
                        due = Instant::now() + LINGER;
                    }
                    // Whatever comes: another office may hear the echo.
                    heard = Instant::now();
                    batch.push(said);
                }
                () = sleep_until(due), if !batch.is_empty() => {}
            }
            if batch.len() >= AT_ONCE || !batch.is_empty() && Instant::now() >= due {
                self.write(&batch, refused).await;
                let last = batch.last().map(|said| said.tag);
                batch.clear();
                if let Some(tag) = last {
                    inlet.acknowledge(tag).await?;
                }
            }
        }
    }

    /// Writes what came. What cannot be written now is let go: others will come, and the watch
    /// stands still meanwhile.
    async fn write(&self, batch: &[Said], refused: &mut Refused) {
        let mut beats = Vec::with_capacity(batch.len());
        for body in batch.iter().filter_map(|said| said.heartbeat.as_deref()) {
            match read(body) {
                Ok((name, heartbeat)) => {
                    let (beat, why) = self.beats.admit(name, heartbeat);
                    beats.push(beat);
                    if let Some(why) = why {
                        refused.count_queue(&self.way, &why);
                    }
                }
                Err(why) => refused.count(&self.way, &why),
            }
        }
        if !beats.is_empty() && self.beats.write(&beats).await.is_err() {
            return;
        }
        if batch.iter().any(|said| said.heartbeat.is_none())
            && let Err(why) = self.look().await
        {
            tracing::debug!(%why, "the watch of heartbeats by message stands still");
        }
    }

    /// The way is open.
    async fn look(&self) -> Result<(), StoreError> {
        let mut transaction = self.hearing.pool.begin().await?;
        let now = shared_time(&mut transaction, &*self.hearing.clock).await?;
        watches::look(&mut transaction, &self.way, now).await?;
        Ok(transaction.commit().await?)
    }
}

/// Why a message is no heartbeat.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("it has more than {MOST_BYTES} bytes")]
    TooLarge,
    #[error("it is not JSON, or does not fit: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Fault(#[from] HeartbeatFault),
}

fn read(body: &[u8]) -> Result<(String, Heartbeat), Unreadable> {
    if body.len() > MOST_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let heartbeat: Heartbeat = serde_json::from_slice(body)?;
    let name = heartbeat.worker.clone().unwrap_or_default();
    heartbeat.check(&name)?;
    Ok((name, heartbeat))
}

/// Messages that could not be read, and queues that were not taken, and when that was told.
#[derive(Debug, Default)]
pub(super) struct Refused {
    count: u64,
    told_at: Option<Instant>,
    told_queue_at: Option<Instant>,
}

impl Refused {
    fn count_queue(&mut self, way: &str, why: &str) {
        metrics::counter!("dlo_fleet_queues_refused_total", "way" => way.to_owned()).increment(1);
        if self.told_queue_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            self.told_queue_at = Some(Instant::now());
            tracing::warn!(way, why, "a heartbeat was taken without its queue");
        }
    }

    fn count(&mut self, way: &str, why: &Unreadable) {
        metrics::counter!("dlo_fleet_unreadable_total", "way" => way.to_owned()).increment(1);
        self.count += 1;
        if self.told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            self.told_at = Some(Instant::now());
            let count = std::mem::take(&mut self.count);
            // Our own words and serde's: a body may hold anything, and is not logged.
            tracing::warn!(way, count, %why, "messages on dlo.fleet are no heartbeats, and were dropped");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_heartbeat_is_told_from_what_is_one() {
        let large = format!(r#"{{"worker": "a", "x": "{}"}}"#, "x".repeat(MOST_BYTES));
        for body in [
            "",
            "{}",
            "[[[[",
            "[]",
            r#"{"worker": [7]}"#,
            r#"{"worker": ""}"#,
            r#"{"worker": "a\u0000"}"#,
            r#"{"worker": "a", "interval_seconds": -1}"#,
            "\u{feff}{}",
            &large,
        ] {
            assert!(read(body.as_bytes()).is_err(), "{body:.40}");
        }
        assert!(read(&[0xff, 0xfe]).is_err());
        let beat = read(br#"{"worker": "a", "at": "2026-11-21T12:00:00Z", "queue": "q"}"#);
        let beat = beat.expect("a heartbeat");
        assert_eq!((&*beat.0, beat.1.queue.as_deref()), ("a", Some("q")));
    }
}
