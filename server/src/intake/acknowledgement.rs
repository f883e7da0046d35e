//! Acknowledging what is stored: that is written down first, and what was stored is forgotten once the broker answered.
//! See `dlo_domain::redelivery` for why.

use dlo_domain::delivery_limit::Evidence;
use sqlx::PgConnection;

use super::receipts::Receipts;
use super::session::{Running, SessionError};
use super::window;
use crate::store::StoreError;
use crate::store::batches::{self, Session};
use crate::store::sources::losses;

/// What is written down before everything that a session stored is acknowledged: from then on nobody can know
/// whether it comes again.
#[derive(Debug)]
pub(super) struct Announcement {
    /// What the receipt of the session says once that is carried out, if it has one.
    receipt: Option<i64>,
    /// What messages told of the queue, where that is to be kept.
    evidence: Option<Evidence>,
}

impl Announcement {
    /// Writes it down. What others took over must not be acknowledged: the session must be held by this transaction.
    ///
    /// # Errors
    /// Returns an error if a statement fails: then the transaction must be given up.
    pub(super) async fn write(
        &self,
        conn: &mut PgConnection,
        session: &Session,
    ) -> Result<(), StoreError> {
        if let Some(evidence) = self.evidence {
            // With the letter that told it, so that no other is put in danger after a restart.
            losses::keep_evidence(conn, session.source_id, evidence).await?;
        }
        batches::announce(conn, session, self.receipt).await
    }
}

impl Running<'_> {
    /// Whether everything that is stored is acknowledged with so many messages more, while others come: the broker
    /// counts it, and half of the window is stored then. Not where a fence is needed to change the window, or while a
    /// broker may have lost its receipts.
    pub(super) fn acknowledges_with(&self, messages: usize, largest: usize) -> bool {
        let is_due = self.unacknowledged + messages >= window::half(self.window);
        is_due
            && self.receipts == Receipts::Kept
            && self.lifetime.bears_consumers()
            && !self.memory.is_in_doubt()
            && window::next(self.window, largest, self.prefetch()).is_none()
    }

    /// Whether something is stored and not acknowledged, or acknowledged and not written down as that.
    pub(super) fn has_unsettled(&self) -> bool {
        self.unacknowledged > 0 || !self.acknowledged.is_empty()
    }

    /// What is to be written down before the next acknowledgement.
    pub(super) async fn next_announcement(&mut self) -> Result<Announcement, SessionError> {
        let receipt = self.next_receipt().await?;
        let evidence = self.inlet.evidence();
        let is_news = evidence.kept().is_some() && self.kept_evidence != evidence;
        Ok(Announcement { receipt, evidence: is_news.then_some(evidence) })
    }

    /// Writes down that everything which this session stored is about to be acknowledged.
    pub(super) async fn announce(&mut self) -> Result<Announcement, SessionError> {
        let announcement = self.next_announcement().await?;
        let mut transaction = self.intake.pool.begin().await?;
        batches::announce_commit(&mut transaction, self.session.source_id).await?;
        if !batches::hold(&mut transaction, &self.session).await? {
            return Err(SessionError::Ousted);
        }
        announcement.write(&mut transaction, &self.session).await?;
        transaction.commit().await?;
        Ok(announcement)
    }

    /// Acknowledges everything that is stored, which was announced.
    pub(super) async fn acknowledge(
        &mut self,
        announced: Announcement,
    ) -> Result<(), SessionError> {
        self.kept_evidence = announced.evidence.unwrap_or(self.kept_evidence);
        self.inlet.acknowledge(self.last_tag, self.window).await?;
        self.answered = announced.receipt;
        self.unacknowledged = 0;
        self.acknowledged.append(&mut self.stored);
        Ok(())
    }

    /// Remembers what was acknowledged. Not before it is written down: what is noted as unsettled and remembered here,
    /// too, would count as two messages.
    pub(super) fn remember_acknowledged(&mut self) {
        self.answered = None;
        for batch in self.acknowledged.drain(..) {
            self.memory.push(batch);
        }
    }

    /// Writes down that everything which this session stored is acknowledged.
    pub(super) async fn forget_settled(&mut self) -> Result<(), SessionError> {
        let mut conn = self.intake.pool.acquire().await?;
        batches::forget_settled(&mut conn, &self.session).await?;
        drop(conn);
        self.remember_acknowledged();
        Ok(())
    }
}
