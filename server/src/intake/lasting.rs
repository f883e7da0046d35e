//! Whether a queue outlives its consumers. A queue that is declared auto-delete is deleted by the
//! broker, with all messages in it, when its last consumer goes: and at a fence we go. So such a
//! queue is never fenced, and a queue of which it is not known is taken for one.

use dlo_domain::source::SourceMode;

use super::Deps;
use crate::broker::Management;
use crate::store::sources::Watched;

/// What is known of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// It stays when nobody consumes.
    Stays,
    /// It goes with its last consumer.
    Goes,
    /// The management API did not say.
    Unknown,
}

impl Lasting {
    /// Asks the management API.
    pub(super) async fn ask(deps: &Deps, source: &Watched) -> Self {
        if source.mode == SourceMode::Mirror {
            // Our own queue.
            return Self::Stays;
        }
        let Ok(address) = deps.brokers.get(&source.broker) else {
            return Self::Unknown;
        };
        let Ok(management) = Management::new(address.management.as_deref()) else {
            return Self::Unknown;
        };
        match management
            .is_auto_delete(&source.vhost, &source.queue)
            .await
        {
            Ok(true) => Self::Goes,
            Ok(false) => Self::Stays,
            Err(error) => {
                tracing::debug!(queue = %source.queue, %error, "it is not known whether the queue is auto-delete");
                Self::Unknown
            }
        }
    }

    /// Whether consuming may be ended while messages are in the queue.
    pub(super) fn can_be_left(self) -> bool {
        self == Self::Stays
    }

    /// What people should know.
    pub(super) fn remark(self) -> Option<&'static str> {
        match self {
            Self::Stays => None,
            Self::Goes => Some(
                "This queue is auto-delete: the broker deletes it with everything in it when its last consumer goes. Letters are taken in small steps meanwhile; declare it without auto-delete.",
            ),
            Self::Unknown => Some(
                "The management API did not say whether this queue is auto-delete, so it is treated as such: letters are taken in small steps, and after a crash some letters may be stored twice. Set DLO_MANAGEMENT_URL, or give the user the tag `management`.",
            ),
        }
    }
}
