//! How often the broker lets a letter come back to a source's queue: known before anything is taken, and looked
//! at again while letters are. See `dlo_domain::delivery_limit` for what is done with it.

use std::time::Duration;

use dlo_domain::delivery_limit::{DeliveryLimit, Evidence, Hold};
use dlo_domain::event::LiveEvent;
use dlo_domain::topology::QueueKind;

use super::Intake;
use super::session::{Running, SessionError};
use crate::store::StoreError;
use crate::store::events;
use crate::store::sources::{Watched, losses};

/// How often it is looked at while letters are taken.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What is known of a queue that may count how often letters come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueLimit {
    /// The limit.
    pub(super) limit: DeliveryLimit,
    /// Of which type the queue is; `Other` where that is not known.
    pub(super) kind: QueueKind,
}

impl QueueLimit {
    const UNKNOWN: Self = Self { limit: DeliveryLimit::Unknown, kind: QueueKind::Other };

    /// Asks the management API.
    pub(super) async fn ask(intake: &Intake, source: &Watched, queue: &str) -> Self {
        let Ok(management) = intake.brokers.management(&source.broker) else {
            return Self::UNKNOWN;
        };
        let asking = management.queue_now(&source.vhost, queue);
        let vhost = match tokio::time::timeout(intake.settings.patience, asking).await {
            Ok(Ok(vhost)) => vhost,
            Ok(Err(error)) => {
                tracing::debug!(%queue, %error, "it is not known how often letters may come back");
                return Self::UNKNOWN;
            }
            Err(_) => return Self::UNKNOWN,
        };
        let Some(found) = vhost.queues.first() else {
            return Self::UNKNOWN;
        };
        Self { limit: DeliveryLimit::of(&vhost, found), kind: found.kind }
    }

    /// Whether it can become another while the queue is there: one of a classic queue cannot.
    pub(super) fn may_change(self) -> bool {
        !matches!(self.kind, QueueKind::Classic | QueueKind::Stream)
    }

    /// Waits until it is seen to be another. An API that does not answer changes nothing.
    pub(super) async fn change(self, intake: &Intake, source: &Watched, queue: &str) -> Self {
        loop {
            if !self.may_change() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(LOOK_EVERY).await;
            let now = Self::ask(intake, source, queue).await;
            let is_news = now.limit != DeliveryLimit::Unknown && now.limit != self.limit;
            if is_news {
                return now;
            }
        }
    }

    /// Writes it down for people.
    ///
    /// # Errors
    /// Returns an error if Postgres does not take it.
    pub(super) async fn note(self, intake: &Intake, source: &Watched) -> Result<(), StoreError> {
        let mut transaction = intake.pool.begin().await?;
        let finite = self.limit.finite();
        if losses::set_delivery_limit(&mut transaction, source.id, finite).await? {
            let event = LiveEvent::Source { source_id: source.id };
            events::notify(&mut transaction, &event).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// How much may be in hand.
    pub(super) fn hold(self, source: &Watched, evidence: Evidence) -> Hold {
        Hold::of(self.limit, source.accepted_loss.as_ref(), evidence)
    }
}

impl Running<'_> {
    /// How much may be in hand.
    pub(super) fn hold(&self) -> Hold {
        self.limit.hold(self.source, self.inlet.evidence())
    }

    /// How many messages may be in hand, of those that are wanted.
    pub(super) fn at_most(&self, wanted: usize) -> usize {
        if self.limit_changed.is_cancelled() {
            return 0;
        }
        let most = self.hold().most().map_or(wanted, usize::from);
        wanted.min(most)
    }

    /// How many messages may be unacknowledged while consuming.
    pub(super) fn prefetch(&self) -> u16 {
        let most = self.hold().most().unwrap_or(u16::MAX);
        self.intake.settings.prefetch.min(most)
    }

    /// Whether messages may be taken, by all that is known of the queue by now.
    ///
    /// # Errors
    /// Returns an error if they may not.
    pub(super) fn may_take(&self) -> Result<(), SessionError> {
        if self.limit_changed.is_cancelled() {
            return Err(SessionError::LimitChanged);
        }
        match self.hold() {
            Hold::Nothing => Err(SessionError::DeliveryLimit(self.limit.limit)),
            Hold::Freely | Hold::AtMost(_) | Hold::One => Ok(()),
        }
    }

    /// What people should know of the queue.
    pub(super) fn remark(&self) -> Option<String> {
        let remarks = [
            remark(self.hold(), self.source),
            self.lifetime.remark().map(str::to_owned),
            self.undecodable.remark(),
            self.receipts.remark().map(str::to_owned),
        ];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        (!remarks.is_empty()).then(|| remarks.join(" "))
    }
}

/// What people should know of a queue from which nothing is taken.
pub(super) fn refusal(limit: DeliveryLimit) -> String {
    match limit.finite() {
        Some(limit) => {
            let returns = match limit {
                0 => "the first time that it comes back".to_owned(),
                1 => "when it comes back a second time".to_owned(),
                more => format!("after {more} failed deliveries"),
            };
            format!(
                "This queue drops a letter {returns}, and a restart, a crash or a lost connection of this office \
                 is a failed delivery. A letter that died of a delivery limit may be dropped the first time. \
                 Nothing is taken until the limit is lifted, or somebody accepts what can be lost. The letters \
                 wait in the queue."
            )
        }
        None => "This queue counts failed deliveries, and it is not known after how many it drops \
            a letter: the \
                 management API does not answer, or does not tell. Nothing is taken until it does, or somebody \
                 accepts what can be lost. The letters wait in the queue. Set DLO_MANAGEMENT_URL, and give its \
                 user the tag `monitoring` and a permission on the vhost."
            .to_owned(),
    }
}

/// What people should know of a queue from which letters are taken in small numbers.
fn remark(hold: Hold, source: &Watched) -> Option<String> {
    match (hold, &source.accepted_loss) {
        (Hold::AtMost(most), Some(loss)) => {
            let letters = match most {
                1 => "1 letter is".to_owned(),
                many => format!("{many} letters are"),
            };
            Some(format!(
                "The queue drops letters that come back, so at most {letters} taken at a time: {} accepted that so \
                 many can be lost when this office ends or loses its connection.",
                loss.by
            ))
        }
        (Hold::One, _) => Some(
            "The management API does not say whether this queue drops letters that come back, so they are taken \
             one by one. Set DLO_MANAGEMENT_URL, and give its user the tag `monitoring` and a permission on the \
             vhost."
                .to_owned(),
        ),
        _ => None,
    }
}
