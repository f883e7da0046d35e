//! Why a session ends before it is told to.

use dlo_domain::delivery_limit::DeliveryLimit;

use crate::broker::BrokerError;
use crate::intake::commit::CommitError;
use crate::store::StoreError;

/// Why a session ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub(in crate::intake) enum SessionError {
    #[error(transparent)]
    Broker(#[from] BrokerError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the broker ended the consumer: the queue was deleted or moved")]
    ConsumerEnded,
    #[error(
        "the broker gave letters to this office's consumer that did not come: the queue was deleted and made again"
    )]
    Strays,
    #[error("{0}")]
    Mirror(String),
    #[error("another office considered this one dead, and has its messages now")]
    Ousted,
    #[error("the queue drops letters that come back, or may do so ({0:?}): nothing is taken")]
    DeliveryLimit(DeliveryLimit),
    #[error("the queue's limit of deliveries became another")]
    LimitChanged,
}

impl From<CommitError> for SessionError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Store(error) => Self::Store(error),
            CommitError::Ousted => Self::Ousted,
        }
    }
}

impl From<sqlx::Error> for SessionError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
