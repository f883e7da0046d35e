//! What the broker says of the acknowledgements of sessions: a receipt for those of this one, and the receipts of
//! those that ended. See `broker/receipts.rs` for how, and `dlo_domain::redelivery` for why.

use std::collections::HashMap;

use uuid::Uuid;

use super::session::{Running, SessionError};
use crate::broker::{self, BrokerError, Fault, Receipt};
use crate::store::batches::{self, EndedOther, Others};

/// Whether the broker counts the acknowledgements of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Receipts {
    /// Nothing was acknowledged yet.
    #[default]
    NotNeeded,
    /// It does.
    Kept,
    /// It does not: it refuses.
    Refused,
    /// It does not: it did not answer in time.
    Missing,
}

impl Receipts {
    /// What people should know of it.
    pub(super) fn remark(self) -> Option<&'static str> {
        match self {
            Self::NotNeeded | Self::Kept => None,
            Self::Refused => Some(
                "The broker refuses this office a queue in which it could count what was acknowledged, so letters \
                 that are being acknowledged when this office is killed may be stored twice, each with a note. Give \
                 its user the permissions `configure` and `read` for names that begin with `dlo.`, and `write` for \
                 `amq.default`.",
            ),
            Self::Missing => Some(
                "The broker did not take a small message in which it could count what was acknowledged: it may be \
                 short of memory or disk. Letters that are being acknowledged when this office is killed may be \
                 stored twice, each with a note, until this source connects anew.",
            ),
        }
    }
}

impl Running<'_> {
    /// What the receipt of this session says once the next acknowledgement is carried out, if there is one.
    pub(super) async fn next_receipt(&mut self) -> Result<Option<i64>, SessionError> {
        if self.receipts == Receipts::NotNeeded {
            self.receipts = self.make_receipt().await?;
        }
        Ok(self.inlet.next_receipt().await?)
    }

    async fn make_receipt(&mut self) -> Result<Receipts, SessionError> {
        let (intake, source, id) = (self.intake, self.source, self.session.session_id);
        let making = broker::make_receipt(&intake.brokers, &source.broker, &source.vhost, id);
        match tokio::time::timeout(intake.settings.patience, making).await {
            Ok(Ok(())) => {
                let mut conn = intake.pool.acquire().await?;
                batches::note_receipt(&mut conn, &self.session).await?;
                drop(conn);
                self.inlet.keep_receipt(id).await?;
                Ok(Receipts::Kept)
            }
            Ok(Err(why)) if why.fault() == Fault::Refused => {
                tracing::warn!(queue = %source.queue, vhost = %source.vhost, %why, "no receipts of acknowledgements");
                Ok(Receipts::Refused)
            }
            // A broker that is short of memory or disk takes no message: letters are taken all the same.
            Ok(Err(_)) | Err(_) => Ok(Receipts::Missing),
        }
    }

    /// What the broker says of sessions that ended and of which something may still come, where that is asked:
    /// what they acknowledged, and whether it has seen an end that is long known.
    pub(super) async fn read_receipts(
        &self,
        others: &Others,
    ) -> Result<HashMap<Uuid, Receipt>, BrokerError> {
        let long_over = &self.surroundings.long_over;
        let is_asked = |one: &&EndedOther| {
            let is_told = one.left.may_have_acknowledged() || long_over.contains(&one.session_id);
            one.is_open && is_told
        };
        let mut receipts = HashMap::new();
        for ended in others.ended.iter().filter(is_asked) {
            let receipt = broker::read_receipt(self.link, ended.session_id).await?;
            receipts.insert(ended.session_id, receipt);
        }
        Ok(receipts)
    }

    /// Deletes receipts that say nothing any more. Those that stay go by themselves.
    pub(super) async fn delete_receipts(&self, sessions: &[Uuid]) {
        for session in sessions {
            if let Err(error) = broker::delete_receipt(self.link, *session).await {
                tracing::debug!(%error, "a receipt was not deleted");
                return;
            }
        }
    }
}
