//! One batch, one transaction.

use std::collections::{BTreeMap, HashSet};

use dlo_domain::event::LiveEvent;
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::judge::Judge;
use dlo_domain::redelivery::{UnsettledBatch, settle, settle_in_order};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::buffer::Buffer;
use super::{Deps, memory, naming};
use crate::clock::Clock;
use crate::store::batches::{self, Session, Suspect};
use crate::store::groups::signatures;
use crate::store::letters::{self, Court, Incoming, Stored};
use crate::store::policies::inbox::{self, Asked};
use crate::store::sources::Watched;
use crate::store::{StoreError, counts, events, rules, sources};

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
    /// Of a batch that holds messages that were delivered before.
    pub(super) recovery: Option<Recovery>,
}

/// What a recovery knows.
#[derive(Debug)]
pub(super) struct Recovery {
    /// The sessions that were over before it began to fetch.
    pub(super) known: Vec<Uuid>,
    /// Everything that was redelivered is in the batch.
    pub(super) complete: bool,
    /// The broker could not be reached: its marks of what was delivered prove nothing by themselves.
    pub(super) broker_was_away: bool,
    /// What the broker may have forgotten that it was acknowledged.
    pub(super) acknowledged: Vec<UnsettledBatch>,
    /// Contents that may have been delivered before without a mark.
    pub(super) unmarked: HashSet<Fingerprint>,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// What was stored.
    pub(super) stored: Stored,
    /// What is left of what was acknowledged before, if some of it came again.
    pub(super) left: Option<Vec<UnsettledBatch>>,
}

/// Which messages of a batch are stored already, and what is left of `Recovery::acknowledged`.
struct Explained {
    stored: Vec<bool>,
    left: Option<Vec<UnsettledBatch>>,
}

/// Writes a batch.
///
/// A batch that Postgres refuses for what is in it (and not because Postgres is away) is written
/// again letter by letter, and what is refused then in a reduced form: nothing may block a queue.
pub(super) async fn commit(
    (deps, source): (&Deps, &Watched),
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
) -> Result<Committed, StoreError> {
    match write((deps, source), session, buffer, plan, false).await {
        Err(refusal) if !refusal.is_outage() => {
            tracing::warn!(%refusal, "a batch was refused; writing it letter by letter");
            write((deps, source), session, buffer, plan, true).await
        }
        outcome => outcome,
    }
}

async fn write(
    (deps, source): (&Deps, &Watched),
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
    one_by_one: bool,
) -> Result<Committed, StoreError> {
    let mut transaction = deps.pool.begin().await?;
    let conn = &mut *transaction;
    match &plan.recovery {
        // Alone: two that settle at once would both take what is there once.
        Some(_) => {
            batches::await_commits(conn, session.source_id).await?;
            rules::hold(conn).await?;
        }
        None => batches::announce_commit(conn, session.source_id).await?,
    }
    // Held from here on, so that what is judged now is judged by the rules as they are then.
    let (judge, standing) = deps.judges.current_for(conn, source.id).await?;
    let court = Court {
        judge: &judge,
        source: &standing.source,
    };
    buffer.judge_by(court, &judge, source);
    batches::forget_settled(conn, session, plan.settled).await?;
    let explained = explain(deps, conn, session, buffer, plan).await?;
    let stored_before = explained.stored;
    let coming: Vec<&Incoming> = (0..buffer.incoming.len())
        .filter(|place| !stored_before[*place])
        .map(|place| &buffer.incoming[place])
        .collect();
    signatures::remember(conn, &coming).await?;
    let mut stored = Stored::default();
    let mut fresh: Vec<usize> = Vec::new();
    let mut back: Vec<usize> = Vec::new();
    for place in (0..buffer.incoming.len()).filter(|place| !stored_before[*place]) {
        if join(conn, session, &mut buffer.incoming[place], &judge).await? {
            stored.again += 1;
            back.push(place);
        } else {
            stored.new += 1;
            fresh.push(place);
        }
    }
    if one_by_one {
        for place in &fresh {
            insert_whatever_it_takes(conn, session, &mut buffer.incoming[*place], court).await?;
        }
    } else {
        let new: Vec<&Incoming> = fresh.iter().map(|place| &buffer.incoming[*place]).collect();
        letters::insert_new(conn, session.source_id, &new).await?;
    }
    if standing.policies_are_asked {
        ask_policies(conn, &*deps.clock, buffer, &fresh, &back).await?;
    }
    naming::link(conn, buffer, &fresh, &back).await?;
    batches::insert(conn, session, &unsettled(buffer, plan)).await?;
    tell(deps, conn, session, buffer, &stored_before, stored).await?;
    transaction.commit().await?;
    Ok(Committed {
        stored,
        left: explained.left,
    })
}

pub(super) fn unsettled(buffer: &Buffer, plan: &Plan) -> UnsettledBatch {
    UnsettledBatch {
        batch: plan.batch,
        fenced: plan.fenced,
        fingerprints: buffer.fingerprints.clone(),
        telling: plan.telling.clone(),
        recoveries: plan.recoveries,
    }
}

/// Has the retry policies asked of new letters, and of those that are back.
async fn ask_policies(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    buffer: &Buffer,
    fresh: &[usize],
    back: &[usize],
) -> Result<(), StoreError> {
    let of = |place: &usize| &buffer.incoming[*place];
    let fresh = fresh.iter().map(of).map(|incoming| Asked {
        letter: incoming.letter_id,
        replay: None,
    });
    let back = back.iter().map(of).filter_map(|incoming| {
        let from = incoming.reading.returns_from?;
        Some(Asked {
            letter: from.letter_id,
            replay: Some(from.replay_id),
        })
    });
    inbox::put(conn, clock, &fresh.chain(back).collect::<Vec<_>>()).await
}

/// Which messages of the batch are stored already.
async fn explain(
    deps: &Deps,
    conn: &mut PgConnection,
    session: &Session,
    buffer: &Buffer,
    plan: &Plan,
) -> Result<Explained, StoreError> {
    let mut stored = vec![false; buffer.incoming.len()];
    let Some(recovery) = &plan.recovery else {
        return Ok(Explained { stored, left: None });
    };
    let places: Vec<usize> = (0..buffer.incoming.len())
        .filter(|place| {
            buffer.incoming[*place].delivered.redelivered
                || recovery.unmarked.contains(&buffer.fingerprints[*place])
        })
        .collect();
    let contents: Vec<Fingerprint> = places.iter().map(|p| buffer.fingerprints[*p]).collect();
    let mut taken = vec![false; contents.len()];
    settle_suspects(deps, conn, session, recovery, &contents, &mut taken).await?;
    let settlement = memory::settle(&recovery.acknowledged, &contents, &taken);
    let left = settlement.stored.contains(&true).then_some(settlement.left);
    for (place, is_stored) in places
        .into_iter()
        .zip(taken.into_iter().zip(settlement.stored))
    {
        stored[place] = is_stored.0 || is_stored.1;
    }
    Ok(Explained { stored, left })
}

/// Compares contents with the batches of sessions that are over; `taken` are those that are
/// stored.
async fn settle_suspects(
    deps: &Deps,
    conn: &mut PgConnection,
    session: &Session,
    recovery: &Recovery,
    contents: &[Fingerprint],
    taken: &mut [bool],
) -> Result<(), StoreError> {
    let now = deps.clock.now();
    let (mut resolved, mut left) = (Vec::new(), Vec::new());
    for mut suspect in batches::others(conn, session, now).await?.over {
        let is_known = recovery.known.contains(&suspect.session_id);
        if recovery.broker_was_away {
            for batch in &mut suspect.batches {
                batch.fenced = false;
            }
        }
        if is_known {
            // This recovery counted itself, and has not crashed.
            for batch in &mut suspect.batches {
                batch.recoveries -= 1;
            }
        }
        let settlement = if recovery.broker_was_away {
            settle_in_order(&suspect.batches, contents, taken)
        } else {
            settle(&suspect.batches, contents, taken)
        };
        let came_again = settlement.stored.contains(&true);
        if came_again {
            left.push(Suspect {
                session_id: suspect.session_id,
                batches: settlement.left,
            });
        }
        // One that ended later may have given back messages that are not here yet, and so may a
        // broker that came back just now.
        let is_all_here = recovery.complete && is_known && !recovery.broker_was_away;
        if came_again || is_all_here {
            resolved.push(suspect.session_id);
        }
        for (place, stored) in settlement.stored.into_iter().enumerate() {
            taken[place] |= stored;
        }
    }
    batches::resolve(conn, session, &resolved, &left, now).await
}

/// Joins a message to the letter that it comes back from, if it is one of ours.
async fn join(
    conn: &mut PgConnection,
    session: &Session,
    incoming: &mut Incoming,
    judge: &Judge,
) -> Result<bool, StoreError> {
    let Some(from) = incoming.reading.returns_from else {
        return Ok(false);
    };
    let joined = letters::append_returned(conn, session.source_id, incoming, from, judge).await?;
    if let Err(why) = joined {
        incoming.note(format!(
            "It says that it comes back from letter {} and replay {}; {why}. Kept as a letter of its own.",
            from.letter_id, from.replay_id
        ));
    }
    Ok(joined.is_ok())
}

async fn insert_whatever_it_takes(
    conn: &mut PgConnection,
    session: &Session,
    incoming: &mut Incoming,
    court: Court<'_>,
) -> Result<(), StoreError> {
    use sqlx::Connection as _;
    let mut attempt = conn.begin().await?;
    match letters::insert_new(&mut attempt, session.source_id, &[&*incoming]).await {
        Ok(()) => return Ok(attempt.commit().await?),
        Err(outage) if outage.is_outage() => return Err(outage),
        Err(refusal) => {
            attempt.rollback().await?;
            incoming.reduce(&refusal.to_string(), court);
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
            .filter(|(before, incoming)| !**before && incoming.severity == severity)
            .count();
        (severity.as_str(), i64::try_from(count).unwrap_or(i64::MAX))
    };
    let mut by_severity: Vec<(&str, i64)> = Severity::ALL.into_iter().map(of).collect();
    by_severity.retain(|(_, count)| *count > 0);
    counts::add_deaths(conn, now, &by_severity).await?;
    let mut by_queue: BTreeMap<String, i64> = BTreeMap::new();
    let arrived = stored_before.iter().zip(&buffer.incoming);
    for (_, incoming) in arrived.filter(|(before, _)| !**before) {
        if let Some(queue) = incoming.queue() {
            *by_queue.entry(queue).or_default() += 1;
        }
    }
    counts::add_deaths_in(conn, now, &by_queue).await?;
    sources::touch(conn, session.source_id, now).await?;
    let event = LiveEvent::Arrived {
        source_id: session.source_id,
        letters: stored.new,
        died_again: stored.again,
    };
    events::notify(conn, &event).await
}
