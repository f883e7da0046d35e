//! Messages that the broker gave to a consumer which they never reached.
//!
//! RabbitMQ before 4.0 moves a consumer of a queue that is deleted and made again to the new queue, and then forgets the
//! new queue's state in that channel: what it delivers is dropped (`handle_consuming_queue_down_or_eol` of
//! `rabbit_channel`, 3.10). Nobody tells the consumer, and the messages wait for `consumer_timeout`, half an hour. A
//! consumer of a classic queue is ended instead (`Inlet::consume`); quorum queues refuse the argument that does so.

use dlo_domain::source::SourceMode;

use super::session::{Running, SessionError};

/// At every so many looks at which nothing was in hand the broker is asked what it has given.
const ASK_EVERY: u32 = 5;

/// Its figures are some seconds old: so many times in a row it must say so.
const SEEN: u32 = 2;

/// How long a consumer has been given nothing.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    looks: u32,
    seen: u32,
}

impl Quiet {
    /// Takes a look, at which something is in hand or not.
    ///
    /// # Errors
    /// Returns an error if the broker gave messages to this consumer which did not reach it: they go back with
    /// the connection.
    pub(super) async fn look(
        &mut self,
        running: &Running<'_>,
        has_some: bool,
    ) -> Result<(), SessionError> {
        if has_some {
            *self = Self::default();
            return Ok(());
        }
        self.looks += 1;
        if !self.looks.is_multiple_of(ASK_EVERY) || !running.limit.may_change() {
            return Ok(());
        }
        self.seen = if has_strays(running).await { self.seen + 1 } else { 0 };
        if self.seen == SEEN { Err(SessionError::Strays) } else { Ok(()) }
    }
}

/// Whether messages of the queue are in the hand of this session's consumers alone. An API that does not answer
/// says nothing.
async fn has_strays(running: &Running<'_>) -> bool {
    let source = running.source;
    if source.mode == SourceMode::Mirror || !running.lifetime.bears_consumers() {
        return false;
    }
    let Ok(management) = running.intake.brokers.management(&source.broker) else {
        return false;
    };
    let given = management.given(&source.vhost, &source.queue).await;
    given.is_ok_and(|given| {
        let consumers = given.consumer_details;
        // Where others consume, it is not known who was given what. One that was ended here may be there again.
        let are_all_ours = consumers.iter().all(|one| running.inlet.has_begun(&one.consumer_tag));
        given.messages_unacknowledged > 0 && !consumers.is_empty() && are_all_ours
    })
}
