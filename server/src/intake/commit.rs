//! One batch, one transaction.

use dlo_domain::event::LiveEvent;
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::{UnsettledBatch, settle};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;

use super::Deps;
use super::buffer::Buffer;
use crate::store::batches::{self, Session, Suspect};
use crate::store::groups::signatures;
use crate::store::letters::{self, Incoming, Stored};
use crate::store::{StoreError, counts, events, sources};

/// What is to be written with a batch.
#[derive(Debug)]
pub(super) struct Plan {
    /// The batch's number within the session.
    pub(super) batch: i64,
    /// Nothing else is in flight.
    pub(super) fenced: bool,
    /// The places that tell.
    pub(super) telling: Vec<usize>,
    /// Recoveries that may blur it.
    pub(super) recoveries: i32,
    /// Batches up to this one are known to be acknowledged.
    pub(super) settled: i64,
    /// Of a recovery: the suspects, and whether everything that was redelivered is in the batch.
    pub(super) recovery: Option<(Vec<Suspect>, bool)>,
}

/// Writes a batch.
///
/// A batch that Postgres refuses for what is in it (and not because Postgres is away) is written
/// again letter by letter, and what is refused then in a reduced form: nothing may block a queue.
pub(super) async fn commit(
    deps: &Deps,
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
) -> Result<Stored, StoreError> {
    match write(deps, session, buffer, plan, false).await {
        Err(refusal) if !refusal.is_outage() => {
            tracing::warn!(%refusal, "a batch was refused; writing it letter by letter");
            write(deps, session, buffer, plan, true).await
        }
        outcome => outcome,
    }
}

async fn write(
    deps: &Deps,
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
    one_by_one: bool,
) -> Result<Stored, StoreError> {
    let mut transaction = deps.pool.begin().await?;
    let conn = &mut *transaction;
    batches::announce_commit(conn, session.source_id).await?;
    batches::forget_settled(conn, session, plan.settled).await?;
    let stored_before = explain(deps, conn, session, buffer, plan).await?;
    let coming: Vec<&Incoming> = (0..buffer.incoming.len())
        .filter(|place| !stored_before[*place])
        .map(|place| &buffer.incoming[place])
        .collect();
    signatures::remember(conn, &coming).await?;
    let mut stored = Stored::default();
    let mut fresh: Vec<usize> = Vec::new();
    for place in (0..buffer.incoming.len()).filter(|place| !stored_before[*place]) {
        if join(conn, session, &mut buffer.incoming[place]).await? {
            stored.again += 1;
        } else {
            stored.new += 1;
            fresh.push(place);
        }
    }
    if one_by_one {
        for place in &fresh {
            insert_whatever_it_takes(conn, session, &mut buffer.incoming[*place]).await?;
        }
    } else {
        let new: Vec<&Incoming> = fresh.iter().map(|place| &buffer.incoming[*place]).collect();
        letters::insert_new(conn, session.source_id, &new).await?;
    }
    batches::insert(conn, session, &unsettled(buffer, plan)).await?;
    tell(deps, conn, session, buffer, &stored_before, stored).await?;
    transaction.commit().await?;
    Ok(stored)
}

fn unsettled(buffer: &Buffer, plan: &Plan) -> UnsettledBatch {
    UnsettledBatch {
        batch: plan.batch,
        fenced: plan.fenced,
        fingerprints: buffer.fingerprints.clone(),
        telling: plan.telling.clone(),
        recoveries: plan.recoveries,
    }
}

/// Which messages of the batch are stored already.
async fn explain(
    deps: &Deps,
    conn: &mut PgConnection,
    session: &Session,
    buffer: &Buffer,
    plan: &Plan,
) -> Result<Vec<bool>, StoreError> {
    let redelivered: Vec<usize> = (0..buffer.incoming.len())
        .filter(|place| buffer.incoming[*place].delivered.redelivered)
        .collect();
    let nothing = vec![false; buffer.incoming.len()];
    let loaded;
    let (suspects, complete) = match &plan.recovery {
        Some((suspects, complete)) => (suspects, *complete),
        None if redelivered.is_empty() => return Ok(nothing),
        // Another office died, and its messages come to us.
        None => {
            loaded = batches::suspects(conn, session, deps.clock.now()).await?;
            (&loaded, false)
        }
    };
    if suspects.is_empty() {
        return Ok(nothing);
    }
    let contents: Vec<Fingerprint> = redelivered
        .iter()
        .map(|place| buffer.fingerprints[*place])
        .collect();
    let mut taken = vec![false; contents.len()];
    let mut left = Vec::new();
    for suspect in suspects {
        let settlement = settle(&suspect.batches, &contents, &taken);
        let came_again = settlement.stored.contains(&true);
        if came_again {
            left.push(Suspect {
                session_id: suspect.session_id,
                batches: settlement.left,
            });
        } else if !complete {
            left.push(suspect.clone());
        }
        for (place, stored) in settlement.stored.into_iter().enumerate() {
            taken[place] |= stored;
        }
    }
    batches::replace_suspects(conn, session, suspects, &left, deps.clock.now()).await?;
    let mut stored = nothing;
    for (place, is_stored) in redelivered.into_iter().zip(taken) {
        stored[place] = is_stored;
    }
    Ok(stored)
}

/// Joins a message to the letter that it comes back from, if it is one of ours.
async fn join(
    conn: &mut PgConnection,
    session: &Session,
    incoming: &mut Incoming,
) -> Result<bool, StoreError> {
    let Some(from) = incoming.reading.returns_from else {
        return Ok(false);
    };
    if letters::append_returned(conn, session.source_id, incoming, from).await? {
        return Ok(true);
    }
    incoming.note(format!(
        "It says that it comes back from letter {}, which replay {} did not send: kept as a letter of its own.",
        from.letter_id, from.replay_id
    ));
    Ok(false)
}

async fn insert_whatever_it_takes(
    conn: &mut PgConnection,
    session: &Session,
    incoming: &mut Incoming,
) -> Result<(), StoreError> {
    use sqlx::Connection as _;
    let mut attempt = conn.begin().await?;
    match letters::insert_new(&mut attempt, session.source_id, &[&*incoming]).await {
        Ok(()) => return Ok(attempt.commit().await?),
        Err(outage) if outage.is_outage() => return Err(outage),
        Err(refusal) => {
            attempt.rollback().await?;
            incoming.reduce(&refusal.to_string());
            signatures::remember(conn, &[&*incoming]).await?;
        }
    }
    letters::insert_new(conn, session.source_id, &[&*incoming]).await
}

/// Counts what came and tells who listens.
async fn tell(
    deps: &Deps,
    conn: &mut PgConnection,
    session: &Session,
    buffer: &Buffer,
    stored_before: &[bool],
    stored: Stored,
) -> Result<(), StoreError> {
    if stored == Stored::default() {
        return Ok(());
    }
    let now = deps.clock.now();
    let of = |severity: Severity| {
        let places = stored_before.iter().zip(&buffer.incoming);
        let count = places
            .filter(|(before, incoming)| !**before && incoming.reading.severity == severity)
            .count();
        (severity.as_str(), i64::try_from(count).unwrap_or(i64::MAX))
    };
    let mut by_severity: Vec<(&str, i64)> = Severity::ALL.into_iter().map(of).collect();
    by_severity.retain(|(_, count)| *count > 0);
    counts::add_deaths(conn, now, &by_severity).await?;
    sources::touch(conn, session.source_id, now).await?;
    let event = LiveEvent::Arrived {
        source_id: session.source_id,
        letters: stored.new,
        died_again: stored.again,
    };
    events::notify(conn, &event).await
}
