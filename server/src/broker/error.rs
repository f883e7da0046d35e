//! What can go wrong between us and RabbitMQ.

/// A failure at the broker.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// No broker of that name is configured.
    #[error("no broker named `{0}` is configured")]
    UnknownBroker(String),
    /// The address cannot be read.
    #[error("the broker's address cannot be read: {0}")]
    Address(String),
    /// The broker did not answer in time.
    #[error("the broker did not answer within {0} s")]
    Timeout(u64),
    /// A queue of ours has not the message in it that was put there.
    #[error(
        "the receipt in the queue `{0}` is gone: the queue was deleted, purged or read by somebody else"
    )]
    ReceiptGone(String),
    /// lapin reports a failure.
    #[error("{0}")]
    Amqp(#[from] lapin::Error),
}

/// What a failure means for a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The queue is not there (404).
    QueueMissing,
    /// The broker refuses: rights, an exclusive consumer (403, 405), or other refusals.
    Refused,
    /// A message cannot be decoded by the client library.
    Undecodable,
    /// The connection is gone or was never made.
    Away,
}

impl BrokerError {
    /// Whether a frame was longer than agreed (501): so it is with the header of a message which the broker's
    /// own death history made too long.
    #[must_use]
    pub fn is_frame_error(&self) -> bool {
        let Self::Amqp(error) = self else {
            return false;
        };
        matches!(error.kind(), lapin::ErrorKind::ProtocolError(refusal) if refusal.get_id() == 501)
    }

    /// Sorts the failure.
    #[must_use]
    pub fn fault(&self) -> Fault {
        use lapin::ErrorKind;
        let Self::Amqp(error) = self else {
            return Fault::Away;
        };
        match error.kind() {
            ErrorKind::ProtocolError(refusal) => match refusal.get_id() {
                404 => Fault::QueueMissing,
                320 | 501 | 541 => Fault::Away,
                // Too many connections of the vhost or the user: there is room again later.
                530 if refusal.to_string().contains("limit") => Fault::Away,
                _ => Fault::Refused,
            },
            ErrorKind::ParsingError(_) => Fault::Undecodable,
            _ => Fault::Away,
        }
    }
}
