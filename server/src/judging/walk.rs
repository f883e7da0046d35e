//! Judges stored letters again after a change of rules: newest first, in small steps, by one office
//! at a time, with rests so that what comes in goes first. A step is one transaction with its place,
//! so an office that dies loses nothing, and another goes on.

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::event::LiveEvent;
use dlo_domain::grouping::{Masker, Signature};
use dlo_domain::ids::{AlertCounterId, LetterId};
use dlo_domain::judge::Judge;
use sqlx::{PgConnection, PgPool};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Judges;
use crate::duty::{Duty, Next};
use crate::store::alerts::matches::{self, LetterVersion, WaitingLetter};
use crate::store::groups::signatures::{self, Seen};
use crate::store::judging::{self, Due, Ruling, Step, Walk};
use crate::store::letters::{StoredLetter, name_types, stored};
use crate::store::{StoreError, events, extracts, registry_schemas};

/// How often it is looked whether there is something to do.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Letters in one step, and the bytes of their bodies.
const AT_ONCE: i64 = 300;
const MOST_BYTES: i64 = 16 * 1024 * 1024;

/// Walks over the stored letters.
#[derive(Debug)]
pub struct Walker {
    pool: PgPool,
    judges: Judges,
    masker: Masker,
}

impl Duty for Walker {
    /// It rests twice as long as it works.
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let began = Instant::now();
        let more = self.walk_on().await?;
        Ok(if more { Next::After(began.elapsed() * 2) } else { Next::Usual })
    }
}

/// A letter with what it is by the rules; without a signature where that is not asked for.
struct Judged {
    letter: StoredLetter,
    ruling: Ruling,
    /// The counters of alert rules that measure how long it waits.
    waiting_counters: Vec<AlertCounterId>,
    signature: Option<Signature>,
}

impl Walker {
    /// One that has judged nothing yet.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, judges: Judges::default(), masker: Masker::new() }
    }

    /// Does one step; `false` when there is nothing to do, or another office does it.
    ///
    /// # Errors
    /// When Postgres does not do it; nothing is done then, and the next step is this one.
    pub async fn walk_on(&mut self) -> Result<bool, StoreError> {
        let mut transaction = self.pool.begin().await?;
        let step = match self.step(&mut transaction).await {
            Ok(step) => step,
            // One that is only dropped holds the walk a while longer, and nobody could go on with it.
            Err(why) => {
                transaction.rollback().await?;
                return Err(why);
            }
        };
        transaction.commit().await?;
        if step.as_ref().is_some_and(|step| step.cursor.is_none()) {
            tracing::info!("stored letters are judged by the rules as they are");
        }
        Ok(step.is_some())
    }

    /// One step within a transaction; `None` when there is nothing to do, or another office does it.
    async fn step(&mut self, conn: &mut PgConnection) -> Result<Option<Step>, StoreError> {
        let Some(walk) = judging::take(conn).await? else {
            return Ok(None);
        };
        judging::give_way(conn).await?;
        // A change of rules waits for the walk, which it begins anew: these are the rules until
        // this transaction ends.
        let judge = self.judges.current(conn).await?;
        let window = judging::window(conn, walk, AT_ONCE, MOST_BYTES).await?;
        let changed = self.judge(conn, &judge, walk, &window.letters).await?;
        let step = Step {
            cursor: window.cursor,
            done: window.looked_at,
            changed: i64::try_from(changed.len()).unwrap_or(i64::MAX),
        };
        judging::advance(conn, step).await?;
        events::notify(conn, &LiveEvent::Rules).await?;
        if !changed.is_empty() {
            events::notify(conn, &LiveEvent::Changed { letters: changed }).await?;
        }
        Ok(Some(step))
    }

    /// Judges letters and writes down what became another; returns those.
    ///
    /// # Errors
    /// Returns an error if Postgres does not do it: then the transaction must be given up.
    pub(crate) async fn judge(
        &mut self,
        conn: &mut PgConnection,
        judge: &Arc<Judge>,
        walk: Walk,
        letters: &[LetterId],
    ) -> Result<Vec<LetterId>, StoreError> {
        if letters.is_empty() {
            return Ok(Vec::new());
        }
        let inside = walk.due.signature || judge.looks_inside();
        let mut stored = stored(conn, letters, inside).await?;
        if walk.due.contents {
            read_anew(conn, &mut stored, judge).await?;
        }
        let judged = stored.into_iter().map(|letter| self.judged(letter, judge, walk.due));
        let judged: Vec<Judged> = judged.collect();
        if walk.due.severity && judge.measures_waiting() {
            measure_waiting(conn, &judged).await?;
        }
        let judged = judged.into_iter();
        let changed: Vec<Judged> = judged.filter(Judged::is_changed).collect();
        let seen = changed.iter().filter_map(Judged::seen);
        signatures::remember_seen(conn, seen).await?;
        let rulings: Vec<Ruling> = changed.iter().map(|one| one.ruling).collect();
        judging::rejudge(conn, &rulings).await
    }

    fn judged(&mut self, letter: StoredLetter, judge: &Judge, due: Due) -> Judged {
        let (severity, signature) = if due.signature {
            let judgement = letter.judged_by(judge, &mut self.masker);
            (judgement.severity, Some(judgement.signature))
        } else {
            (letter.severity_by(judge), None)
        };
        Judged {
            waiting_counters: letter.waiting_counters(judge, severity),
            ruling: Ruling {
                letter: letter.id,
                arrivals: letter.arrivals,
                severity,
                signature: signature.as_ref().map(|signature| signature.id),
            },
            letter,
            signature,
        }
    }
}

/// Keeps what is in the bodies of letters for searching, by the message types that are known now, and of which type they
/// are where their messages told none. One that died again since it was read was read by them then.
async fn read_anew(
    conn: &mut PgConnection,
    letters: &mut [StoredLetter],
    judge: &Judge,
) -> Result<(), StoreError> {
    let version = |one: &StoredLetter| LetterVersion { letter: one.id, arrivals: one.arrivals };
    let read: Vec<LetterVersion> = letters.iter().map(version).collect();
    let same = matches::lock_unchanged(conn, &read).await?;
    let same = letters.iter_mut().filter(|letter| same.contains(&letter.id));
    let (mut rows, mut named) = (Vec::new(), Vec::new());
    for letter in same {
        rows.push((letter.id, extracts::Row::from(&letter.extract(judge.types()))));
        if letter.learn_type(judge.types()) {
            named.push(&*letter);
        }
    }
    name_types(conn, named).await?;
    registry_schemas::note(conn, rows.iter().filter_map(|(_, row)| row.unknown_schema)).await?;
    let rows: Vec<(LetterId, &extracts::Row)> = rows.iter().map(|(id, row)| (*id, row)).collect();
    extracts::replace(conn, &rows).await
}

/// Writes down which letters alert rules measure. One that died again since it was read was looked at then.
async fn measure_waiting(conn: &mut PgConnection, judged: &[Judged]) -> Result<(), StoreError> {
    let version =
        |one: &Judged| LetterVersion { letter: one.letter.id, arrivals: one.letter.arrivals };
    let read: Vec<LetterVersion> = judged.iter().map(version).collect();
    let same = matches::lock_unchanged(conn, &read).await?;
    matches::remove_waiting(conn, &same).await?;
    let waiting = judged.iter().filter(|one| same.contains(&one.letter.id)).flat_map(|one| {
        let counters = one.waiting_counters.iter();
        counters.map(|counter| WaitingLetter { counter: *counter, letter: one.letter.id })
    });
    matches::add_waiting(conn, &waiting.collect::<Vec<_>>()).await
}

impl Judged {
    fn is_changed(&self) -> bool {
        self.ruling.severity != self.letter.severity || self.has_another_signature()
    }

    fn has_another_signature(&self) -> bool {
        self.ruling.signature.is_some() && self.ruling.signature != self.letter.signature
    }

    fn seen(&self) -> Option<Seen<'_>> {
        let signature = self.signature.as_ref().filter(|_| self.has_another_signature())?;
        Some(Seen { signature, letter: self.letter.id, at: self.letter.last_arrived_at })
    }
}
