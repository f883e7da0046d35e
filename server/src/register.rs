//! Reads a register: workers and executions that a system keeps in a Postgres of its own, by configured
//! SQL. What is read goes the ways of heartbeats and reports, and nothing is written over there.
//!
//! Several offices may read it: one at a time does. While it cannot be read, or some of its rows cannot
//! be used, nobody in it falls silent: the watch of this way (`dlo_domain::worker::Watch`) stands still.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::register::{
    MOST_EXECUTIONS, MOST_ROW_BYTES, MOST_WORKERS, ReadExecution, ReadWorker, RowFault, Sign,
    read_execution, read_worker, signs, twice,
};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::config::RegisterConfig;
use crate::duty::{Duty, Next};
use crate::executions::reports::{self, Given};
use crate::store::registers::foreign::{Answer, Foreign, ForeignError, Question};
use crate::store::registers::{self, Standing, Trouble};
use crate::store::workers::beats::{self, Beat};
use crate::store::workers::{monitor, watches};
use crate::store::{StoreError, events, shared_time};

/// The way of workers that are read.
pub const WAY: &str = "register";

/// How often is looked whether the way is open.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Looks are so far apart at least: whichever office looks.
const PACE: TimeDelta = TimeDelta::milliseconds(900);

/// Workers, or executions, that are written in one transaction.
const AT_ONCE: usize = 500;

/// Looks, step by step.
#[derive(Debug)]
pub struct Reader {
    pool: PgPool,
    clock: SharedClock,
    config: RegisterConfig,
    kept: Duration,
    foreign: Foreign,
}

impl Duty for Reader {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.look().await.map(|()| Next::Usual)
    }
}

impl Reader {
    /// One that has not looked yet. Executions that are over are `kept` for so long; all that is asked
    /// of the register at once may take as long as `patience`.
    #[must_use]
    pub fn new(
        pool: PgPool,
        clock: SharedClock,
        config: RegisterConfig,
        (kept, patience): (Duration, Duration),
    ) -> Self {
        let foreign = Foreign::at(config.url.expose(), patience);
        Self { pool, clock, config, kept, foreign }
    }

    /// One look: reads the register when that is due, else asks only whether it can be reached. If all
    /// is well, the way is open.
    ///
    /// # Errors
    /// When our own Postgres does not do it.
    pub async fn look(&mut self) -> Result<(), StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let Some(before) = registers::take_turn(&mut conn, now, PACE).await? else {
            return Ok(());
        };
        drop(conn);
        let is_due = self.is_due(&before, now);
        let was_hidden = before.trouble.is_some() && before.hides_workers;
        if !is_due && was_hidden {
            return Ok(());
        }
        let trouble = if is_due {
            self.read(&before).await?
        } else {
            self.foreign.ask(&[]).await.err().as_ref().map(hidden)
        };
        let mut transaction = self.pool.begin().await?;
        let now = shared_time(&mut transaction, &*self.clock).await?;
        // Between two reads what was wrong with executions stays as it is.
        if is_due || trouble.is_some() {
            registers::set_read(&mut transaction, trouble.as_ref(), now).await?;
            tell(&before, trouble.as_ref());
        }
        if !trouble.is_some_and(|trouble| trouble.hides_workers) {
            watches::look(&mut transaction, WAY, now).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    fn is_due(&self, before: &Standing, now: DateTime<Utc>) -> bool {
        let every = TimeDelta::from_std(self.config.every).unwrap_or(TimeDelta::MAX);
        // A time that lies ahead was written before a clock was set back.
        let is_over = |at: DateTime<Utc>| now - at >= every || at > now;
        before.tried_at.is_none_or(is_over)
    }

    /// Reads all of it, and writes down what is new. Says what is wrong with it.
    async fn read(&mut self, before: &Standing) -> Result<Option<Trouble>, StoreError> {
        let config = self.config.clone();
        let question = |name, sql, most| Question { name, sql, most, most_of_row: MOST_ROW_BYTES };
        let workers = config.workers.as_deref();
        let executions = config.executions.as_deref();
        let asked: Vec<Question<'_>> = workers
            .map(|sql| question("the SQL for workers", sql, MOST_WORKERS))
            .into_iter()
            .chain(executions.map(|sql| question("the SQL for executions", sql, MOST_EXECUTIONS)))
            .collect();
        let answer = match self.foreign.ask(&asked).await {
            Ok(answer) => answer,
            Err(why) => return Ok(Some(hidden(&why))),
        };
        let Answer { now, rows } = answer;
        let mut rows = rows.into_iter();
        let mut faults = Vec::new();
        let mut hides_workers = false;
        if workers.is_some() {
            match rows.next().unwrap_or_else(|| Ok(Vec::new())) {
                Ok(rows) => {
                    let (read, fault) = sorted(rows, "workers", read_worker);
                    hides_workers = fault.is_some();
                    faults.extend(fault);
                    // The one that beat last is known to be meant: so that hides nobody.
                    let names = read.iter().map(|one| &*one.name);
                    faults.extend(twice(names).map(|why| format!("of workers {why}")));
                    self.hear(read, now, before).await?;
                }
                Err(why) => return Ok(Some(hidden(&why))),
            }
        }
        if executions.is_some() {
            match rows.next().unwrap_or_else(|| Ok(Vec::new())) {
                Ok(rows) => {
                    let (read, fault) =
                        sorted(rows, "executions", |row| read_execution(row).map(Some));
                    faults.extend(fault);
                    let ids = read.iter().map(|one| &*one.report.id);
                    faults.extend(twice(ids).map(|why| format!("of executions {why}")));
                    self.take(read, now).await?;
                }
                Err(why) => faults.push(why.to_string()),
            }
        }
        Ok((!faults.is_empty()).then(|| Trouble { why: faults.join("; "), hides_workers }))
    }

    /// Writes the signs of life down.
    async fn hear(
        &self,
        read: Vec<ReadWorker>,
        now: DateTime<Utc>,
        before: &Standing,
    ) -> Result<(), StoreError> {
        let mut conn = self.pool.acquire().await?;
        let ours = shared_time(&mut conn, &*self.clock).await?;
        let known = registers::known(&mut conn).await?;
        drop(conn);
        let since = before.read_at.map(|at| ours - at);
        for signs in signs(read, &known, now, since).chunks(AT_ONCE) {
            let beat = |sign: &Sign| Beat {
                name: sign.worker.name.clone(),
                heartbeat: sign.worker.heartbeat.clone(),
                // The operator's own query names it.
                refused_queue: None,
            };
            let beats: Vec<Beat> = signs.iter().map(beat).collect();
            let mut transaction = self.pool.begin().await?;
            beats::write(&mut transaction, &*self.clock, WAY, &beats).await?;
            registers::date_back(&mut transaction, signs).await?;
            let stale = signs.iter().filter(|sign| sign.is_stale);
            let stale: Vec<String> = stale.map(|sign| sign.worker.name.clone()).collect();
            if !stale.is_empty() {
                monitor::mark_stale(&mut transaction, &stale, ours).await?;
            }
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Takes what the register says of executions as reports. What does not follow from what is known
    /// is refused like any other report.
    async fn take(&self, read: Vec<ReadExecution>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut conn = self.pool.acquire().await?;
        let ours = shared_time(&mut conn, &*self.clock).await?;
        let kept = TimeDelta::from_std(self.kept).unwrap_or(TimeDelta::MAX);
        let over_before = now.checked_sub_signed(kept);
        let news = registers::news(&mut conn, read, over_before).await?;
        drop(conn);
        for news in news.chunks(AT_ONCE) {
            let given = |one: &ReadExecution| {
                let age = one.since.map_or(TimeDelta::zero(), |since| now - since);
                Given {
                    report: one.report.clone(),
                    workers: None,
                    at: Some(ours - age.max(TimeDelta::zero())),
                }
            };
            let given: Vec<Given> = news.iter().map(given).collect();
            let mut transaction = self.pool.begin().await?;
            let answers = reports::take(&mut transaction, &*self.clock, &given).await?;
            let made = answers.iter().filter(|one| one.is_new);
            let made: Vec<String> = made.map(|one| one.told.execution.id.clone()).collect();
            registers::set_is_read(&mut transaction, &made, true).await?;
            events::notify(&mut transaction, &LiveEvent::Executions).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}

/// What can be used of rows, and what is wrong with the others.
fn sorted<T>(
    rows: Vec<String>,
    noun: &str,
    read: impl Fn(&str) -> Result<Option<T>, RowFault>,
) -> (Vec<T>, Option<String>) {
    let all = rows.len();
    let mut faults = 0_usize;
    let mut first = None;
    let mut good = Vec::with_capacity(all);
    for row in rows {
        match read(&row) {
            Ok(one) => good.extend(one),
            Err(why) => {
                faults += 1;
                first.get_or_insert(why);
            }
        }
    }
    let fault = first.map(|why| format!("{faults} of {all} rows of {noun} cannot be used: {why}"));
    (good, fault)
}

fn hidden(why: &ForeignError) -> Trouble {
    Trouble { why: why.to_string(), hides_workers: true }
}

/// Says it once when it changes.
fn tell(before: &Standing, trouble: Option<&Trouble>) {
    match (before.trouble.as_deref(), trouble) {
        (None, Some(Trouble { why, hides_workers })) => tracing::warn!(
            why,
            hides_workers,
            "the register cannot be read to the end; where that hides workers, none falls silent"
        ),
        (Some(_), None) if before.tried_at.is_some() => {
            tracing::info!("the register is read again");
        }
        _ => {}
    }
}
