//! One batch, one transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::LetterId;
use dlo_domain::judge::AlertMatches;
use dlo_domain::redelivery::{Acknowledged, Acknowledgement, UnsettledBatch};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::acknowledgement::Announcement;
use super::buffer::Buffer;
use super::comparison::{Explanation, Recovery, explain};
use super::reported::Reported;
use super::{Intake, naming};
use crate::clock::Clock;
use crate::store::alerts::matches::{self, ArrivalCount, ArrivalCounts, WaitingLetter};
use crate::store::batches::{self, Session};
use crate::store::groups::signatures;
use crate::store::letters::{self, Court, Incoming, Stored};
use crate::store::policies::inbox::{self, Asked};
use crate::store::sources::Watched;
use crate::store::{StoreError, counts, events, registry_schemas, rules, sources};

/// How often a batch is tried that Postgres rolled back because of somebody else's transaction.
const ATTEMPTS: u32 = 5;

/// The pause after the first such attempt; each next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// What is to be written with a batch.
#[derive(Debug)]
pub(super) struct Plan {
    /// The batch's number within the session.
    pub(super) batch: i64,
    /// How it is compared with what is stored, if some of it may be.
    pub(super) recovery: Option<Recovery>,
    /// What the receipt of the session said when the broker answered that it acknowledged batches.
    pub(super) answered: Option<i64>,
    /// Everything that the session stored is acknowledged once this is written.
    pub(super) announcement: Option<Announcement>,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// What was stored.
    pub(super) stored: Stored,
    /// What is left of what a broker may have forgotten, if it was asked.
    pub(super) left: Option<Acknowledged>,
    /// What ended sessions acknowledged, as the broker said now.
    pub(super) acknowledged: Vec<Fingerprint>,
    /// Sessions that ended and of which nothing comes any more.
    pub(super) cleared: Vec<Uuid>,
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommitError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("another office considered this one dead, and has the messages now")]
    Ousted,
}

impl From<sqlx::Error> for CommitError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Writes a batch.
///
/// A transaction that Postgres rolls back because of somebody else's, as in a deadlock, is written
/// again. A batch that Postgres refuses for what is in it is written letter by letter, and what is
/// refused then in a reduced form: nothing may block a queue.
pub(super) async fn commit(
    (intake, source): (&Intake, &Watched),
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
) -> Result<Committed, CommitError> {
    let mut one_by_one = false;
    let mut attempt = 1;
    let mut pause = FIRST_PAUSE;
    loop {
        let refusal = match write((intake, source), session, buffer, plan, one_by_one).await {
            Err(CommitError::Store(refusal)) => refusal,
            outcome => return outcome,
        };
        if refusal.is_outage() {
            return Err(refusal.into());
        }
        if refusal.is_transient() {
            if attempt >= ATTEMPTS {
                return Err(refusal.into());
            }
            tracing::debug!(%refusal, attempt, "a batch was rolled back; writing it again");
            attempt += 1;
            tokio::time::sleep(pause).await;
            pause *= 2;
        } else if one_by_one || !refusal.is_of_content() {
            return Err(refusal.into());
        } else {
            tracing::warn!(%refusal, "a batch was refused; writing it letter by letter");
            one_by_one = true;
        }
    }
}

async fn write(
    (intake, source): (&Intake, &Watched),
    session: &Session,
    buffer: &mut Buffer,
    plan: &Plan,
    one_by_one: bool,
) -> Result<Committed, CommitError> {
    let mut transaction = intake.pool.begin().await?;
    let conn = &mut *transaction;
    match &plan.recovery {
        // Alone: two that settle at once would both take what is there once.
        Some(_) => {
            batches::await_commits(conn, session.source_id).await?;
            rules::hold(conn).await?;
        }
        None => batches::announce_commit(conn, session.source_id).await?,
    }
    // What others took over must not be acknowledged here.
    if !batches::hold(conn, session).await? {
        return Err(CommitError::Ousted);
    }
    if let Some(receipt) = plan.answered {
        batches::forget_answered(conn, session, receipt).await?;
    }
    // Held from here on, so that what is judged now is judged by the rules as they are then.
    let (judge, standing) = intake.judges.current_for(conn, source.id).await?;
    let court = Court { judge: &judge, source: &standing.source };
    buffer.judge_by(court, &judge, source);
    let explained = explain(conn, session, buffer, plan.recovery.as_ref()).await?;
    let stored_before = explained.stored;
    for (incoming, is_in_doubt) in buffer.incoming.iter_mut().zip(explained.in_doubt) {
        incoming.say_that_it_may_be_stored_twice(is_in_doubt);
    }
    let coming: Vec<usize> =
        (0..buffer.incoming.len()).filter(|place| !stored_before[*place]).collect();
    let now = intake.clock.now();
    let reported = if standing.reports_wait {
        Reported::retell(conn, (source, court), buffer, &coming, now).await?
    } else {
        Reported::default()
    };
    let arriving: Vec<&Incoming> = coming.iter().map(|place| &buffer.incoming[*place]).collect();
    signatures::remember(conn, &arriving).await?;
    let mut stored = Stored::default();
    let mut fresh: Vec<usize> = Vec::new();
    let mut back: Vec<usize> = Vec::new();
    let mut ordinals = vec![1; buffer.incoming.len()];
    for place in coming {
        if let Some(ordinal) = join(conn, session, &mut buffer.incoming[place], court).await? {
            stored.again += 1;
            ordinals[place] = ordinal;
            back.push(place);
        } else {
            stored.new += 1;
            fresh.push(place);
        }
    }
    let unknown = fresh.iter().filter_map(|place| buffer.incoming[*place].unknown_schema());
    registry_schemas::note(conn, unknown).await?;
    if one_by_one {
        for place in &fresh {
            insert_whatever_it_takes(conn, session, &mut buffer.incoming[*place], court).await?;
        }
    } else {
        let new: Vec<&Incoming> = fresh.iter().map(|place| &buffer.incoming[*place]).collect();
        letters::insert_new(conn, session.source_id, &new).await?;
    }
    if standing.policies_are_asked {
        ask_policies(conn, &*intake.clock, buffer, &fresh, &back).await?;
    }
    naming::link(conn, buffer, &fresh, &back).await?;
    count_for_alerts(conn, now, buffer, &fresh, &back).await?;
    reported.record(conn, buffer, &ordinals, now).await?;
    batches::insert(conn, session, &unsettled(buffer, plan)).await?;
    if let Some(announcement) = &plan.announcement {
        announcement.write(conn, session).await?;
    }
    tell(intake, conn, session, buffer, &stored_before, stored).await?;
    transaction.commit().await?;
    let Explanation { left, acknowledged, cleared, .. } = explained;
    Ok(Committed { stored, left, acknowledged, cleared })
}

fn unsettled(buffer: &Buffer, plan: &Plan) -> UnsettledBatch {
    UnsettledBatch {
        batch: plan.batch,
        acknowledgement: Acknowledgement::Withheld,
        fingerprints: buffer.fingerprints.clone(),
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
    let fresh =
        fresh.iter().map(of).map(|incoming| Asked { letter: incoming.letter_id, replay: None });
    let back = back.iter().map(of).filter_map(|incoming| {
        let from = incoming.reading.returns_from?;
        Some(Asked { letter: from.letter_id, replay: Some(from.replay_id) })
    });
    inbox::put(conn, clock, &fresh.chain(back).collect::<Vec<_>>()).await
}

/// Counts what came for the alert rules whose filters match it.
async fn count_for_alerts(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    buffer: &Buffer,
    fresh: &[usize],
    back: &[usize],
) -> Result<(), StoreError> {
    let of = |place: &usize| &buffer.incoming[*place];
    let fresh = fresh.iter().map(of).map(|incoming| (incoming.letter_id, incoming));
    let back: Vec<(LetterId, &Incoming)> = back
        .iter()
        .map(of)
        .filter_map(|incoming| Some((incoming.reading.returns_from?.letter_id, incoming)))
        .collect();
    // It may have died of something else this time.
    if !back.is_empty() {
        let ids: Vec<LetterId> = back.iter().map(|(letter, _)| *letter).collect();
        matches::remove_waiting(conn, &ids).await?;
    }
    let (mut counts, mut waiting) = (ArrivalCounts::new(), Vec::new());
    for (letter, incoming) in fresh.chain(back) {
        let AlertMatches { arrivals, waiting: measured } = &incoming.alert_matches;
        for counter in arrivals {
            let none = ArrivalCount { arrivals: 0, last_letter: letter };
            let count = counts.entry(*counter).or_insert(none);
            count.arrivals += 1;
            count.last_letter = letter;
        }
        waiting.extend(measured.iter().map(|counter| WaitingLetter { counter: *counter, letter }));
    }
    matches::add_arrivals(conn, now, &counts).await?;
    matches::add_waiting(conn, &waiting).await
}

/// Joins a message to the letter that it comes back from, if it is one of ours, and returns which arrival of it
/// that is.
async fn join(
    conn: &mut PgConnection,
    session: &Session,
    incoming: &mut Incoming,
    court: Court<'_>,
) -> Result<Option<i32>, StoreError> {
    let Some(from) = incoming.reading.returns_from else {
        return Ok(None);
    };
    let source = session.source_id;
    let joined = letters::append_returned(conn, source, incoming, from, court.judge).await?;
    if let Err(why) = joined {
        // It tells what was reported of the letter that it names.
        if incoming.forget_reports(court, &mut Masker::new()) {
            signatures::remember(conn, &[&*incoming]).await?;
        }
        incoming.note(format!(
            "It claims to come back from letter {} and replay {}; {why}. Stored as a new letter.",
            from.letter_id, from.replay_id
        ));
    }
    Ok(joined.ok())
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
        Err(other) if other.is_outage() || !other.is_of_content() => return Err(other),
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
    intake: &Intake,
    conn: &mut PgConnection,
    session: &Session,
    buffer: &Buffer,
    stored_before: &[bool],
    stored: Stored,
) -> Result<(), StoreError> {
    if stored == Stored::default() {
        return Ok(());
    }
    let now = intake.clock.now();
    let of = |severity: Severity| {
        let places = stored_before.iter().zip(&buffer.incoming);
        let count =
            places.filter(|(before, incoming)| !**before && incoming.severity == severity).count();
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
