//! Whether a queue outlives its consumers. A queue that is declared auto-delete is deleted by the broker, with
//! all messages in it, when its last consumer goes: at a fence, at a stop, at a crash. So nothing consumes from
//! such a queue, nor from one of which it is not known: its messages are fetched one by one.

use dlo_domain::source::SourceMode;

use super::Intake;
use crate::store::sources::Watched;

/// What is known of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueLifetime {
    /// It stays when nobody consumes.
    Lasting,
    /// It goes with its last consumer.
    AutoDelete,
    /// The management API did not say.
    Unknown,
}

impl QueueLifetime {
    /// Asks the management API.
    pub(super) async fn ask(intake: &Intake, source: &Watched) -> Self {
        if source.mode == SourceMode::Mirror {
            // Our own queue.
            return Self::Lasting;
        }
        let Ok(address) = intake.brokers.get(&source.broker) else {
            return Self::Unknown;
        };
        let Ok(management) = address.management() else {
            return Self::Unknown;
        };
        match management.is_auto_delete(&source.vhost, &source.queue).await {
            Ok(true) => Self::AutoDelete,
            Ok(false) => Self::Lasting,
            Err(error) => {
                tracing::debug!(queue = %source.queue, %error, "it is not known whether the queue is auto-delete");
                Self::Unknown
            }
        }
    }

    /// Whether a consumer may come to it and go again.
    pub(super) fn bears_consumers(self) -> bool {
        self == Self::Lasting
    }

    /// What people should know.
    pub(super) fn remark(self) -> Option<&'static str> {
        match self {
            Self::Lasting => None,
            Self::AutoDelete => Some(
                "This queue is auto-delete: the broker deletes it with everything in it when its last consumer goes. This office does not consume from it but fetches its letters one by one, which is slower and never deletes it. Declare it without auto-delete.",
            ),
            Self::Unknown => Some(
                "The management API did not say whether this queue is auto-delete, so that a consumer that goes could delete it. Its letters are fetched one by one, which is slower. Set DLO_MANAGEMENT_URL, or give the user the tag `management`.",
            ),
        }
    }
}
