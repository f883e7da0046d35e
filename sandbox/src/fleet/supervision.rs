//! Keeps one member of the fleet at work: connects, lets it work, connects again with growing
//! pauses when the broker went away, until the fleet stops. Must not know what the work is.

use futures_util::StreamExt as _;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, ConfirmSelectOptions};
use lapin::types::FieldTable;
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// After a crash the process is started anew by whatever watches it.
const RESTART_PAUSE: Duration = Duration::from_millis(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the step in hand may still take once the fleet stops.
const STEP_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a polite goodbye may take: the broker may be gone.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Why a shift ended before the fleet stopped.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShiftError {
    #[error("the broker ended the work: {0}")]
    Broker(#[from] lapin::Error),
    #[error("the broker did not answer within {CONNECT_TIMEOUT:?}")]
    Silent,
    #[error("the broker cancelled the consumer: its queue is gone")]
    Cancelled,
    #[error("the broker took no message for exchange {exchange:?} and key {key:?}")]
    Refused { exchange: String, key: String },
    #[error("the process crashed, as the script wants it")]
    Crashed,
    #[error("the worker went off duty")]
    OffDuty,
}

/// Something that works on a connection of its own.
pub(super) trait Shift: Send {
    /// The name that the connection shows to the broker.
    fn name(&self) -> &str;
    /// Waits until there is something to do; a worker that is away has no connection either.
    fn ready(&mut self) -> impl Future<Output = ()> + Send;
    /// Works until something goes wrong or the fleet stops. A step that was begun is finished:
    /// the shift looks at `stop` between steps, and is dropped only when it takes too long.
    fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<(), ShiftError>> + Send;
}

/// Runs the shift until `stop`, or until it says that it is done.
pub(super) async fn keep_working(amqp: AMQPUri, stop: CancellationToken, mut shift: impl Shift) {
    let mut pause = FIRST_PAUSE;
    loop {
        let Some(()) = stop.run_until_cancelled(shift.ready()).await else {
            return;
        };
        let wait = match one_shift(&amqp, &stop, &mut shift).await {
            Ok(()) => return,
            Err(ShiftError::Crashed | ShiftError::OffDuty) => {
                pause = FIRST_PAUSE;
                RESTART_PAUSE
            }
            Err(error) => {
                tracing::warn!(member = shift.name(), %error, pause_ms = pause.as_millis(), "fleet member pauses");
                let wait = pause;
                pause = (pause * 2).min(LONGEST_PAUSE);
                wait
            }
        };
        let Some(()) = stop.run_until_cancelled(tokio::time::sleep(wait)).await else {
            return;
        };
    }
}

async fn one_shift(
    amqp: &AMQPUri,
    stop: &CancellationToken,
    shift: &mut impl Shift,
) -> Result<(), ShiftError> {
    let Some(connection) = stop.run_until_cancelled(connect(amqp, shift.name())).await else {
        return Ok(());
    };
    let connection = connection?;
    let outcome = tokio::select! {
        outcome = shift.work(&connection, stop) => outcome,
        () = patience(stop) => Ok(()),
    };
    close(&connection).await;
    outcome
}

/// Ends a while after the stop.
async fn patience(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(STEP_TIMEOUT).await;
}

/// Opens a connection under the given name.
pub(super) async fn connect(amqp: &AMQPUri, name: &str) -> Result<Connection, ShiftError> {
    let properties = ConnectionProperties::default().with_connection_name(name.into());
    let connecting = Connection::connect_uri(amqp.clone(), properties);
    tokio::time::timeout(CONNECT_TIMEOUT, connecting)
        .await
        .map_err(|_elapsed| ShiftError::Silent)?
        .map_err(ShiftError::from)
}

/// Says goodbye. It is no fault when nobody answers: what was not acknowledged goes back to its
/// queue either way.
pub(super) async fn close(connection: &Connection) {
    let goodbye = tokio::time::timeout(CLOSE_TIMEOUT, connection.close(200, "bye".into()));
    if let Ok(Err(error)) = goodbye.await {
        tracing::debug!(%error, "the connection was closed already");
    }
}

/// Listens at a queue until `stop`; what was heeded is acknowledged.
pub(super) async fn listen(
    connection: &Connection,
    (queue, consumer): (&str, &str),
    stop: &CancellationToken,
    mut heed: impl FnMut(&[u8]) + Send,
) -> Result<(), ShiftError> {
    let channel = connection.create_channel().await?;
    let options = BasicConsumeOptions::default();
    let mut words = channel
        .basic_consume(queue.into(), consumer.into(), options, FieldTable::default())
        .await?;
    loop {
        let word = tokio::select! {
            word = words.next() => word.ok_or(ShiftError::Cancelled)??,
            () = stop.cancelled() => return Ok(()),
        };
        heed(&word.data);
        word.ack(BasicAckOptions::default()).await?;
    }
}

/// A channel whose publishes are confirmed.
pub(super) async fn confirming(connection: &Connection) -> Result<Channel, ShiftError> {
    let channel = connection.create_channel().await?;
    let options = ConfirmSelectOptions::default();
    channel.confirm_select(options).await?;
    Ok(channel)
}
