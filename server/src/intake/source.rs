//! The life of one source: sessions, and the pauses between them.

use std::time::Duration;

use dlo_domain::source::SourceCondition;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Intake;
use super::condition::Conditions;
use super::limit;
use super::session::{self, SessionError, SourceState};
use crate::broker::Fault;
use crate::store;
use crate::store::sources::Watched;

/// Pauses grow from the first to the last of these.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(2);

/// Keeps a source going until `stop`.
pub(super) async fn run(intake: Intake, source: Watched, stop: CancellationToken) {
    let mut conditions = Conditions::of(&intake, source.id);
    let mut pause = FIRST_PAUSE;
    let mut state = SourceState::default();
    let mut told = None;
    while !stop.is_cancelled() {
        let began = Instant::now();
        let Err(error) = session::run(&intake, &source, &mut state, &mut conditions, &stop).await
        else {
            break;
        };
        let (condition, detail) = diagnose(&error);
        if condition == SourceCondition::QueueMissing {
            state.forget_the_queue(&intake, &source).await;
        }
        // A queue with a limit is looked at every two seconds, perhaps for days.
        if condition != SourceCondition::DeliveryLimit || told != Some(condition) {
            tracing::warn!(queue = %source.queue, vhost = %source.vhost, %error, ?condition, "intake of a source paused");
        }
        told = Some(condition);
        conditions.set(condition, Some(&detail)).await;
        if began.elapsed() > LAST_PAUSE * 2 {
            pause = FIRST_PAUSE;
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LAST_PAUSE);
        if condition == SourceCondition::DatabaseAway {
            await_database(&intake, &stop).await;
        }
    }
    conditions.set(SourceCondition::Stopped, Some("This office stopped taking letters.")).await;
}

/// Whether it broke for something that the client library cannot decode.
fn is_undecodable(error: &SessionError) -> bool {
    matches!(error, SessionError::Broker(broker)
        if broker.fault() == Fault::Undecodable || broker.is_frame_error())
}

/// What to tell people.
fn diagnose(error: &SessionError) -> (SourceCondition, String) {
    match error {
        SessionError::Store(store) if store.is_outage() => (
            SourceCondition::DatabaseAway,
            format!("{store}. Nothing is taken meanwhile: the messages wait in the queue."),
        ),
        SessionError::Store(store) => (
            SourceCondition::Refused,
            format!("{store}. Nothing was acknowledged: the messages wait in the queue."),
        ),
        SessionError::Ousted => (
            SourceCondition::Starting,
            format!("{error}. It begins anew; nothing was acknowledged."),
        ),
        SessionError::Mirror(why) => (SourceCondition::Refused, why.clone()),
        SessionError::DeliveryLimit(limit) => {
            (SourceCondition::DeliveryLimit, limit::refusal(*limit))
        }
        SessionError::ConsumerEnded => (SourceCondition::QueueMissing, format!("{error}.")),
        SessionError::Strays => {
            (SourceCondition::Starting, format!("{error}. It connects anew, and they come."))
        }
        // The session itself looks at the new one.
        SessionError::LimitChanged => (SourceCondition::Starting, format!("{error}.")),
        SessionError::Broker(broker) => match broker.fault() {
            _ if is_undecodable(error) => (
                SourceCondition::UndecodableHead,
                format!(
                    "A message blocks the queue: the client library fails at it, though it is shown nothing of \
                     it ({broker}). Nothing was acknowledged: move it to another queue with the broker's shovel, \
                     and tell who makes Dead Letter Office."
                ),
            ),
            Fault::QueueMissing => (
                SourceCondition::QueueMissing,
                "The broker has no such queue. It is looked for every few seconds.".to_owned(),
            ),
            Fault::Refused => (SourceCondition::Refused, format!("The broker refuses: {broker}.")),
            Fault::Undecodable | Fault::Away => (
                SourceCondition::BrokerAway,
                format!("{broker}. What was not acknowledged waits in the queue."),
            ),
        },
    }
}

/// Waits until Postgres answers.
async fn await_database(intake: &Intake, stop: &CancellationToken) {
    loop {
        if store::ping(&intake.pool).await.is_ok() || stop.is_cancelled() {
            return;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}
