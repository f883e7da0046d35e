//! The consuming side: workers that succeed, reject, give back, crash, park or stay away. A
//! worker decides from the message alone, so that a mended message succeeds when it is replayed.
//! Must not publish into a dead-letter queue, except where a client framework does just that.

use super::clock;
use super::failures::{Failure, Lasting, Way};
use super::heartbeat::Heart;
use super::message::{Reading, overlay};
use super::reports::{Dialect, Report};
use super::roster::{Attendance, Post};
use super::services;
use super::supervision::{Shift, ShiftError, confirming};
use super::topology;
use futures_util::StreamExt as _;
use lapin::{
    Channel, Confirmation, Connection,
    message::Delivery,
    options::{
        BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions,
        BasicRejectOptions,
    },
    types::{AMQPValue, FieldTable},
};
use std::time::Duration;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

/// How many times a worker tried a message before. Its own count: the one in x-death is not to
/// be trusted once a client has published the message again.
const RETRIES_HEADER: &str = "x-retries";

/// A worker at its post.
pub(super) struct Worker {
    post: Post,
    started: Instant,
    heartbeat: Duration,
    fixed: watch::Receiver<bool>,
}

impl Worker {
    pub(super) fn new(
        post: Post,
        started: Instant,
        heartbeat: Duration,
        fixed: watch::Receiver<bool>,
    ) -> Self {
        Self {
            post,
            started,
            heartbeat,
            fixed,
        }
    }

    /// When it falls silent, if it does and this is still to come.
    fn falls_silent(&self) -> Option<Instant> {
        let Attendance::FallsSilent(after) = self.post.attendance else {
            return None;
        };
        let silent = self.started + after;
        (!*self.fixed.borrow() && Instant::now() < silent).then_some(silent)
    }

    /// Lives, as far as anybody can tell, but takes nothing.
    async fn pretend(&self, channel: &Channel, silent: Instant) -> Result<(), ShiftError> {
        let mut heart = Heart::new(self.post, self.heartbeat);
        loop {
            tokio::select! {
                () = heart.due() => heart.beat(channel).await?,
                () = tokio::time::sleep_until(silent) => return Err(ShiftError::OffDuty),
            }
        }
    }

    /// The failure that stands in the way of this message now, if any.
    fn failure(&self, reading: &Reading) -> Option<Failure> {
        let failure = services::diagnose(self.post.service, reading)?;
        let overcome = match failure.lasting() {
            Lasting::Transient => reading.is_replay(),
            Lasting::Permanent => *self.fixed.borrow(),
        };
        (!overcome).then_some(failure)
    }

    async fn handle(&self, channel: &Channel, delivery: &Delivery) -> Result<(), ShiftError> {
        if !self.post.pace.is_zero() {
            tokio::time::sleep(self.post.pace).await;
        }
        let reading = Reading::new(self.post.queue, &delivery.properties, &delivery.data);
        let Some(failure) = self.failure(&reading) else {
            return done(delivery).await;
        };
        match failure.way() {
            Way::Unattended => done(delivery).await,
            Way::Reject => reject(delivery, false).await,
            Way::GiveBack => reject(delivery, true).await,
            Way::Crash => Err(ShiftError::Crashed),
            Way::RejectWithError if reading.header(RETRIES_HEADER).is_some() => {
                reject(delivery, false).await
            }
            Way::RejectWithError => {
                let report = services::report(failure, &reading);
                let target = (delivery.exchange.as_str(), delivery.routing_key.as_str());
                republish(channel, delivery, target, report.as_ref(), Some(1)).await?;
                done(delivery).await
            }
            Way::Park => {
                let report = services::report(failure, &reading);
                let target = report.as_ref().map_or(("", self.post.queue), error_queue);
                republish(channel, delivery, target, report.as_ref(), None).await?;
                done(delivery).await
            }
        }
    }
}

impl Shift for Worker {
    fn name(&self) -> &str {
        self.post.name
    }

    async fn ready(&mut self) {
        match self.post.attendance {
            Attendance::Always => {}
            Attendance::Late(delay) => tokio::time::sleep_until(self.started + delay).await,
            Attendance::FallsSilent(_) if self.falls_silent().is_some() => {}
            Attendance::FallsSilent(_) => {
                // An error means that the fleet is gone; it then stops this task.
                if self.fixed.wait_for(|fixed| *fixed).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    async fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> Result<(), ShiftError> {
        let channel = confirming(connection).await?;
        if let Some(silent) = self.falls_silent() {
            return stop
                .run_until_cancelled(self.pretend(&channel, silent))
                .await
                .unwrap_or(Ok(()));
        }
        channel
            .basic_qos(self.post.prefetch, BasicQosOptions::default())
            .await?;
        let (queue, tag) = (self.post.queue.into(), self.post.name.into());
        let mut deliveries = channel
            .basic_consume(
                queue,
                tag,
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await?;
        let mut fixed = self.fixed.clone();
        let leaves = matches!(self.post.attendance, Attendance::FallsSilent(_));
        let mut heart = Heart::new(self.post, self.heartbeat);
        loop {
            let delivery = tokio::select! {
                delivery = deliveries.next() => delivery.ok_or(ShiftError::Cancelled)??,
                () = heart.due() => {
                    heart.beat(&channel).await?;
                    continue;
                }
                () = stop.cancelled() => return Ok(()),
                () = broken_again(&mut fixed), if leaves => return Err(ShiftError::OffDuty),
            };
            self.handle(&channel, &delivery).await?;
        }
    }
}

/// Waits until the fleet is no longer fixed; for ever, when it is gone.
async fn broken_again(fixed: &mut watch::Receiver<bool>) {
    if fixed.wait_for(|fixed| !fixed).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Where the framework that wrote the report puts failed messages.
fn error_queue(report: &Report) -> (&'static str, &'static str) {
    match report.dialect {
        Dialect::MassTransit { .. } => topology::MASS_TRANSIT_ERRORS,
        Dialect::NServiceBus { .. } => topology::NSERVICEBUS_ERRORS,
        _ => topology::SPRING_ERRORS,
    }
}

async fn republish(
    channel: &Channel,
    delivery: &Delivery,
    (exchange, key): (&str, &str),
    report: Option<&Report>,
    retries: Option<i32>,
) -> Result<(), ShiftError> {
    let mut extra = report
        .map(|report| report.headers(clock::now()))
        .unwrap_or_default();
    extra.extend(retries.map(|retries| (RETRIES_HEADER, AMQPValue::LongInt(retries))));
    let headers = overlay(delivery.properties.headers().as_ref(), extra);
    let properties = delivery.properties.clone().with_headers(headers);
    let options = BasicPublishOptions {
        mandatory: true,
        ..BasicPublishOptions::default()
    };
    let confirm = channel
        .basic_publish(
            exchange.into(),
            key.into(),
            options,
            &delivery.data,
            properties,
        )
        .await?;
    if confirm.await? == Confirmation::Ack(None) {
        return Ok(());
    }
    Err(ShiftError::Refused {
        exchange: exchange.to_owned(),
        key: key.to_owned(),
    })
}

async fn done(delivery: &Delivery) -> Result<(), ShiftError> {
    delivery.acker.ack(BasicAckOptions::default()).await?;
    Ok(())
}

async fn reject(delivery: &Delivery, requeue: bool) -> Result<(), ShiftError> {
    delivery
        .acker
        .reject(BasicRejectOptions { requeue })
        .await?;
    Ok(())
}
