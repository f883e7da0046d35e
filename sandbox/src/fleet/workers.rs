//! The consuming side: workers that succeed, reject, give back, crash, park or stay away. A
//! worker decides from the message alone, so that a mended message succeeds when it is replayed.
//! Must not publish into a dead-letter queue, except where a client framework does just that.

use super::failures::{Failure, Lasting, Service, Way};
use super::heartbeat::Heart;
use super::message::Reading;
use super::office::Notes;
use super::roster::{Attendance, Post};
use super::services::{
    self,
    executions::{self, Stage},
};
use super::supervision::{Shift, ShiftError, confirming};
use super::verdicts::{RETRIES_HEADER, done, error_queue, reject, republish};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use lapin::{
    Channel, Connection,
    message::Delivery,
    options::{BasicConsumeOptions, BasicQosOptions},
    types::FieldTable,
};
use std::time::Duration;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

/// How soon a last word is said again when nobody listens.
const LAST_WORD_AGAIN: Duration = Duration::from_secs(1);

/// What a worker goes by.
#[derive(Debug, Clone)]
pub(super) struct Orders {
    /// When the fleet started.
    pub started: Instant,
    /// How often it says that it lives.
    pub heartbeat: Duration,
    pub fixed: watch::Receiver<bool>,
    /// Where it tells of executions.
    pub notes: Notes,
}

/// A worker at its post.
pub(super) struct Worker {
    post: Post,
    orders: Orders,
    /// It stopped in good order, and does not come back.
    has_left: bool,
}

impl Worker {
    pub(super) fn new(post: Post, orders: Orders) -> Self {
        Self { post, orders, has_left: false }
    }

    fn is_fixed(&self) -> bool {
        *self.orders.fixed.borrow()
    }

    /// Until when it only says that it lives, if it does so and this is still to come.
    fn idle_until(&self) -> Option<Instant> {
        match self.post.attendance {
            Attendance::FallsSilent(after) => {
                let silent = self.orders.started + after;
                (!self.is_fixed() && Instant::now() < silent).then_some(silent)
            }
            Attendance::Leaves(after) => Some(self.orders.started + after),
            Attendance::Always | Attendance::Late(_) => None,
        }
    }

    /// Lives, as far as anybody can tell, but takes nothing.
    async fn idle(&mut self, channel: &Channel, until: Instant) -> Result<(), ShiftError> {
        let mut heart = Heart::new(self.post, self.orders.heartbeat);
        if matches!(self.post.attendance, Attendance::Leaves(_)) {
            heart = heart.draining();
        }
        let mut fixed = self.orders.fixed.clone();
        let is_mended = matches!(self.post.attendance, Attendance::FallsSilent(_));
        loop {
            tokio::select! {
                () = heart.due() => heart.beat(channel, 0).await?,
                () = tokio::time::sleep_until(until) => break,
                () = turned(&mut fixed, true), if is_mended => break,
            }
        }
        if matches!(self.post.attendance, Attendance::Leaves(_)) {
            while !heart.stop(channel).await? {
                tokio::time::sleep(LAST_WORD_AGAIN).await;
            }
            self.has_left = true;
        }
        Err(ShiftError::OffDuty)
    }

    /// The failure that stands in the way of this message now, if any.
    fn failure(&self, reading: &Reading) -> Option<Failure> {
        let failure = services::diagnose(self.post.service, reading)?;
        let overcome = match failure.lasting() {
            Lasting::Transient => reading.is_replay(),
            Lasting::Permanent => self.is_fixed(),
        };
        (!overcome).then_some(failure)
    }

    /// Tells how far it is with the execution that a message names.
    fn tell(&self, reading: &Reading, stage: Stage) {
        if self.post.service == Service::Executions
            && let Some(report) = executions::told(self.post.name, reading, stage)
        {
            self.orders.notes.leave(report);
        }
    }

    async fn work_on(&self, reading: &Reading<'_>) {
        let times = match self.post.service {
            Service::Executions => 1 + reading.salt() % 8,
            _ => 1,
        };
        let takes = self.post.pace * u32::try_from(times).unwrap_or(1);
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
    }

    async fn handle(&self, channel: &Channel, delivery: Delivery) -> Result<(), ShiftError> {
        let reading = Reading::new(self.post.queue, &delivery.properties, &delivery.data);
        let failure = self.failure(&reading);
        let way = failure.map(Failure::way);
        if way == Some(Way::RejectWithError) && reading.header(RETRIES_HEADER).is_some() {
            return reject(&delivery, false).await;
        }
        self.tell(&reading, Stage::Begun);
        self.work_on(&reading).await;
        let Some(failure) = failure else {
            self.tell(&reading, Stage::Done);
            return done(&delivery).await;
        };
        match failure.way() {
            Way::Unattended => done(&delivery).await,
            Way::Reject => reject(&delivery, false).await,
            Way::GiveBack => reject(&delivery, true).await,
            Way::Crash => Err(ShiftError::Crashed),
            Way::RejectWithError => {
                let report = services::report(failure, &reading);
                if let Some(report) = &report {
                    self.tell(&reading, Stage::WentWrong(&report.message));
                }
                let target = (delivery.exchange.as_str(), delivery.routing_key.as_str());
                republish(channel, &delivery, target, report.as_ref(), Some(1)).await?;
                done(&delivery).await
            }
            Way::Park => {
                let report = services::report(failure, &reading);
                let target = report.as_ref().map_or(("", self.post.queue), error_queue);
                republish(channel, &delivery, target, report.as_ref(), None).await?;
                done(&delivery).await
            }
        }
    }

    /// Takes messages, as many at once as it has hands. Those that it has in hand when it stops are
    /// done; when it goes off duty or its connection breaks, they go back to the queue.
    async fn attend(&self, channel: &Channel, stop: &CancellationToken) -> Result<(), ShiftError> {
        let consume = channel.basic_consume(
            self.post.queue.into(),
            self.post.name.into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        );
        let mut deliveries = consume.await?;
        let mut fixed = self.orders.fixed.clone();
        let leaves = matches!(self.post.attendance, Attendance::FallsSilent(_));
        let mut heart = Heart::new(self.post, self.orders.heartbeat);
        let mut in_hand = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(handled) = in_hand.next() => handled?,
                delivery = deliveries.next(), if in_hand.len() < usize::from(self.post.hands) => {
                    let delivery = delivery.ok_or(ShiftError::Cancelled)??;
                    in_hand.push(self.handle(channel, delivery));
                }
                () = heart.due() => heart.beat(channel, in_hand.len()).await?,
                () = stop.cancelled() => break,
                () = turned(&mut fixed, false), if leaves => return Err(ShiftError::OffDuty),
            }
        }
        while let Some(handled) = in_hand.next().await {
            handled?;
        }
        Ok(())
    }
}

impl Shift for Worker {
    fn name(&self) -> &str {
        self.post.name
    }

    async fn ready(&mut self) {
        match self.post.attendance {
            Attendance::Late(delay) => tokio::time::sleep_until(self.orders.started + delay).await,
            Attendance::Leaves(_) if self.has_left => std::future::pending::<()>().await,
            Attendance::Always | Attendance::Leaves(_) => {}
            Attendance::FallsSilent(_) if self.idle_until().is_some() => {}
            Attendance::FallsSilent(_) => {
                turned(&mut self.orders.fixed, true).await;
            }
        }
    }

    async fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> Result<(), ShiftError> {
        let channel = confirming(connection).await?;
        if let Some(until) = self.idle_until() {
            let idling = self.idle(&channel, until);
            return stop.run_until_cancelled(idling).await.unwrap_or(Ok(()));
        }
        channel.basic_qos(self.post.prefetch, BasicQosOptions::default()).await?;
        self.attend(&channel, stop).await
    }
}

/// Waits until the fleet is fixed, or no longer so; for ever when it is gone, which stops whoever waits.
async fn turned(fixed: &mut watch::Receiver<bool>, wanted: bool) {
    if fixed.wait_for(|fixed| *fixed == wanted).await.is_err() {
        std::future::pending::<()>().await;
    }
}
