//! Takes one message that client libraries cannot decode out of a source's queue, when a person asks
//! for it. Intake does so by itself; this is for a queue whose head blocks it all the same.
//!
//! The message is fetched without being acknowledged, stored as intake stores every other one, and only
//! then acknowledged: that very delivery, so that no other message can be meant.

use std::collections::HashSet;

use dlo_domain::delivery_limit::Evidence;
use dlo_domain::ids::LetterId;
use dlo_domain::redelivery::Acknowledgement;
use dlo_domain::source::SourceMode;

use super::buffer::Buffer;
use super::commit::{CommitError, Plan, commit};
use super::comparison::Recovery;
use super::{Deps, mirror};
use crate::broker::{self, BrokerError, Inlet, Link, OctetReading, Taken};
use crate::clock::new_id;
use crate::store::StoreError;
use crate::store::batches::{self, Session, Surroundings};
use crate::store::letters::Stored;
use crate::store::sources::{self, Watched};

/// The batch of a session that stores one message.
const ONLY_BATCH: i64 = 1;

/// Why nothing was ejected, or what is not known.
#[derive(Debug, thiserror::Error)]
pub enum EjectError {
    /// The queue has no message that is ready.
    #[error("the queue is empty: there is nothing to eject")]
    Empty,
    /// The head can be decoded.
    #[error(
        "the message at the head of the queue can be decoded, so it was not ejected: it is still in \
         the queue, and intake takes it"
    )]
    Decodable,
    /// Somebody else ejects from this queue at this moment.
    #[error(
        "another eject from this queue is under way, so nothing was ejected: try again after it"
    )]
    Busy,
    /// It is a letter already: an earlier acknowledgement did not arrive.
    #[error(
        "the message was a letter already, whose acknowledgement had not arrived: it was taken out of \
         the queue now and not stored again"
    )]
    StoredBefore,
    /// The broker failed before anything was stored.
    #[error(
        "{0}. Nothing was stored and nothing was acknowledged, so the message stays in the queue: try \
         again"
    )]
    Broker(#[from] BrokerError),
    /// Postgres failed.
    #[error(
        "{0}. The message was not acknowledged, so it stays in the queue. If the database stopped in \
         the middle, it may be stored as well: it is then told from a new one when it comes again"
    )]
    Store(#[from] StoreError),
    /// Another office took this one for dead before anything was stored.
    #[error(
        "another office took this one for dead, so nothing was stored and nothing was acknowledged: the \
         message stays in the queue, try again"
    )]
    Ousted,
    /// It is stored, and whether the broker removed it is not known.
    #[error(
        "the message is stored as letter {letter}; whether the broker took it out of the queue is not \
         known ({why}). If it is still there, it is told from a new one when it comes again"
    )]
    Unacknowledged {
        /// The letter.
        letter: LetterId,
        /// What happened.
        why: BrokerError,
    },
}

impl From<CommitError> for EjectError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Store(error) => Self::Store(error),
            CommitError::Ousted => Self::Ousted,
        }
    }
}

impl From<sqlx::Error> for EjectError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Ejects the head of a source's queue if client libraries cannot decode it; returns the letter that
/// it became.
///
/// # Errors
/// Returns an [`EjectError`], which says what was kept.
pub async fn eject_head(deps: &Deps, source: &Watched) -> Result<LetterId, EjectError> {
    // Its transaction holds the lock, whatever becomes of this task.
    let mut turn = deps.pool.begin().await?;
    if !sources::lock_eject(&mut turn, source.id).await? {
        return Err(EjectError::Busy);
    }
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::queue_name(&source.queue),
    };
    let purpose = format!("eject {queue}");
    let link = broker::connect_to_consume(
        &deps.brokers,
        &source.broker,
        &source.vhost,
        &purpose,
        OctetReading::All,
    )
    .await?;
    let ejected = eject_from(deps, source, &link, &queue).await;
    link.close().await;
    if let Err(error) = turn.rollback().await {
        tracing::debug!(%error, "the lock of an eject was left to its connection");
    }
    ejected
}

async fn eject_from(
    deps: &Deps,
    source: &Watched,
    link: &Link,
    queue: &str,
) -> Result<LetterId, EjectError> {
    let mut inlet = Inlet::open(link, queue, Evidence::default()).await?;
    let session = Session {
        source_id: source.id,
        session_id: new_id(&*deps.clock),
        office_id: deps.office_id,
    };
    // Before the message is fetched: what is known of other sessions must not be younger than it.
    let surroundings = open_session(deps, &session).await?;
    let taken = match head(&mut inlet).await {
        Ok(taken) => taken,
        Err(why) => {
            settle(deps, &session, true).await;
            return Err(why);
        }
    };
    let tag = taken.tag;
    let kept = match store(deps, source, (&session, surroundings), taken).await {
        Ok(kept) => kept,
        Err(why) => {
            // If it cannot be given back, the broker does that when the connection ends.
            let _ = inlet.requeue(tag).await;
            settle(deps, &session, false).await;
            return Err(why.into());
        }
    };
    let acknowledged = inlet.acknowledge(tag, 1).await;
    settle(deps, &session, acknowledged.is_ok()).await;
    match (acknowledged, kept.is_new) {
        (Err(why), _) => Err(EjectError::Unacknowledged { letter: kept.letter, why }),
        (Ok(()), false) => Err(EjectError::StoredBefore),
        (Ok(()), true) => Ok(kept.letter),
    }
}

async fn open_session(deps: &Deps, session: &Session) -> Result<Surroundings, StoreError> {
    let mut conn = deps.pool.acquire().await?;
    batches::open(&mut conn, session).await?;
    batches::look_around(&mut conn, session).await
}

/// The message at the head of the queue; one that can be decoded is given back.
async fn head(inlet: &mut Inlet) -> Result<Taken, EjectError> {
    let taken = inlet.get().await?.ok_or(EjectError::Empty)?;
    if taken.delivered.is_undecodable() {
        return Ok(taken);
    }
    inlet.requeue(taken.tag).await?;
    Err(EjectError::Decodable)
}

/// What became of the message in Postgres.
struct StoredMessage {
    letter: LetterId,
    is_new: bool,
}

async fn store(
    deps: &Deps,
    source: &Watched,
    (session, surroundings): (&Session, Surroundings),
    taken: Taken,
) -> Result<StoredMessage, CommitError> {
    // What was delivered before may be stored: its session could not acknowledge it.
    let recovery = taken.delivered.redelivered.then(|| Recovery {
        surroundings,
        queue_is_empty: false,
        alive: HashSet::new(),
        broker_was_away: false,
        acknowledged: Vec::new(),
    });
    let mut buffer = Buffer::default();
    buffer.push(deps, source, taken);
    let plan = Plan { batch: ONLY_BATCH, acknowledgement: Acknowledgement::Fenced, recovery };
    let done = commit((deps, source), session, &mut buffer, &plan).await?;
    let incoming = &buffer.incoming[0];
    let returned = incoming.reading.returns_from.filter(|_| done.stored.again > 0);
    metrics::counter!("dlo_intake_undecodable_total").increment(1);
    Ok(StoredMessage {
        letter: returned.map_or(incoming.letter_id, |from| from.letter_id),
        is_new: done.stored != Stored::default(),
    })
}

/// Writes down whether the acknowledgement arrived. If that cannot be written, the next session of the
/// source takes it for one that did not.
async fn settle(deps: &Deps, session: &Session, is_acknowledged: bool) {
    let writing = async {
        let mut conn = deps.pool.acquire().await?;
        if is_acknowledged {
            batches::forget_settled(&mut conn, session).await?;
            batches::close(&mut conn, session).await
        } else {
            batches::end(&mut conn, session).await
        }
    };
    if let Err(error) = writing.await {
        tracing::debug!(%error, "what became of an eject was not written down");
    }
}
