//! Duties in the background: each is a step that is done again and again until the office ends. Every
//! duty has a span, its figures, a pause that grows while it fails, and a condition that the page shows.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::office::Trouble;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::clock::SharedClock;
use crate::events::Hub;
use crate::lifecycle::Lifecycle;
use crate::store::StoreError;

/// Pauses of a duty that fails grow up to this, or to its period if that is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a duty fails before the page tells: a database that restarts is back by then.
const TOLD_AFTER: TimeDelta = TimeDelta::seconds(30);

/// When a duty's next step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A period after this one began.
    Usual,
    /// So long after this one ended; none at all when there is more to do.
    After(Duration),
}

/// What is done again and again.
pub trait Duty: Send + Sync + 'static {
    /// One step. It is not cut off: one that may be long looks at `stop` itself.
    ///
    /// # Errors
    /// When Postgres does not do it. The step is done again, with growing pauses.
    fn step(
        &mut self,
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<Next, StoreError>> + Send;

    /// Whether the next step is at once when this has happened. Events can be lost, so the period counts
    /// in any case.
    fn is_woken_by(&self, _event: &LiveEvent) -> bool {
        false
    }

    /// After the last step.
    fn end(self) -> impl Future<Output = ()> + Send
    where
        Self: Sized,
    {
        async {}
    }
}

/// Begins duties, and knows which of them fail.
#[derive(Debug, Clone)]
pub struct Duties {
    lifecycle: Lifecycle,
    hub: Hub,
    clock: SharedClock,
    conditions: Conditions,
}

impl Duties {
    /// Duties of an office, of which none has begun.
    #[must_use]
    pub fn new(lifecycle: Lifecycle, hub: Hub, clock: SharedClock) -> Self {
        Self { lifecycle, hub, clock, conditions: Conditions::default() }
    }

    /// Does a duty every so often until the office ends. The name is that of its span, of its figures
    /// and of its sentence on the page.
    pub fn every(&self, name: impl Into<String>, period: Duration, duty: impl Duty) {
        let name = name.into();
        let round = Round {
            period,
            events: self.hub.listen(),
            clock: self.clock.clone(),
            conditions: self.conditions.clone(),
            name: name.clone(),
        };
        self.lifecycle.spawn(name, |stop| round.run(duty, stop));
    }

    /// Which of them fail.
    #[must_use]
    pub fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }
}

/// A duty's pace.
struct Round {
    name: String,
    period: Duration,
    events: Receiver<LiveEvent>,
    clock: SharedClock,
    conditions: Conditions,
}

impl Round {
    async fn run(
        mut self,
        mut duty: impl Duty,
        stop: CancellationToken,
    ) -> Result<(), std::convert::Infallible> {
        let mut failures = 0;
        while !stop.is_cancelled() {
            let began = Instant::now();
            let span = tracing::info_span!("duty", name = self.name);
            let done = duty.step(&stop).instrument(span).await;
            self.count(&done, began);
            failures = if done.is_ok() { 0 } else { failures + 1 };
            let due = match done {
                Ok(Next::Usual) => began + self.period,
                Ok(Next::After(pause)) => Instant::now() + pause,
                Err(_) => Instant::now() + pause(self.period, failures),
            };
            let is_woken = failures == 0;
            tokio::select! {
                () = stop.cancelled() => {}
                () = sleep_until(due) => {}
                () = hear(&mut self.events, |event| duty.is_woken_by(event)), if is_woken => {}
            }
        }
        duty.end().await;
        Ok(())
    }

    fn count(&self, done: &Result<Next, StoreError>, began: Instant) {
        let duty = || self.name.clone();
        let seconds = began.elapsed().as_secs_f64();
        metrics::histogram!("dlo_duty_seconds", "duty" => duty()).record(seconds);
        let failing = if done.is_ok() { 0.0 } else { 1.0 };
        metrics::gauge!("dlo_duty_failing", "duty" => duty()).set(failing);
        match done {
            Ok(_) => self.conditions.clear(&self.name),
            Err(why) => {
                metrics::counter!("dlo_duty_failures_total", "duty" => duty()).increment(1);
                self.conditions.set(&self.name, why, self.clock.now());
            }
        }
    }
}

/// The pause after so many failures in a row: doubled each time.
fn pause(period: Duration, failures: u32) -> Duration {
    let doubled = period.saturating_mul(1 << failures.saturating_sub(1).min(16));
    doubled.min(period.max(LONGEST_PAUSE))
}

/// Waits for something that may give work.
async fn hear(events: &mut Receiver<LiveEvent>, wakes: impl Fn(&LiveEvent) -> bool) {
    loop {
        match events.recv().await {
            Ok(event) if event == LiveEvent::Missed || wakes(&event) => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            // The office ends.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// The duties that fail, and since when.
#[derive(Debug, Clone, Default)]
pub struct Conditions(Arc<Mutex<BTreeMap<String, Failing>>>);

#[derive(Debug)]
struct Failing {
    since: DateTime<Utc>,
    why: String,
}

impl Conditions {
    fn set(&self, name: &str, why: &StoreError, now: DateTime<Utc>) {
        let mut failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !failing.contains_key(name);
        if is_new && why.is_passing() {
            tracing::debug!(duty = name, %why, "a duty is tried again");
        } else if is_new {
            tracing::error!(duty = name, %why, "a duty fails; it is tried again and again");
        }
        let one = failing.entry(name.to_owned());
        one.or_insert_with(|| Failing { since: now, why: String::new() }).why = why.to_string();
    }

    fn clear(&self, name: &str) {
        let mut failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failing.remove(name).is_some() {
            tracing::info!(duty = name, "a duty that failed is done again");
        }
    }

    /// The duties that have failed for long, as sentences for the page.
    #[must_use]
    pub fn troubles(&self, now: DateTime<Utc>) -> Vec<Trouble> {
        let failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let for_long = failing.iter().filter(|(_, one)| now - one.since >= TOLD_AFTER);
        for_long
            .map(|(name, one)| Trouble {
                what: format!(
                    "The background duty `{name}` fails and is tried again: {}. Nothing is lost; what it \
                     would have done is done once it works.",
                    one.why
                ),
                since: one.since,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
