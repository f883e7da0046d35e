//! The dead-letter handler: a letter that names an execution fails it, or sends it to another worker.
//! Intake wrote down which letter names which; here each is handled once, in a transaction of its own.

use dlo_domain::death::Reason;
use dlo_domain::event::LiveEvent;
use dlo_domain::execution::{Execution, ExecutionState, HANDLER, HandlerVerdict, NO_WORKERS};
use dlo_domain::replay::Target;
use sqlx::{PgConnection, Postgres, Transaction};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Keeper;
use super::following::follow;
use super::sending::{awaits_read, may_send_on, replay};
use super::sparing::{self, Spared};
use crate::duty::{Duty, Next};
use crate::store::executions::links::{self, Handled, Open, Sent};
use crate::store::executions::watch;
use crate::store::executions::write::{self, Told};
use crate::store::workers::beats;
use crate::store::{StoreError, events, shared_time};

/// Letters of a round that may have to wait: more are not looked for.
const MOST_LATER: usize = 1_000;

/// Handles letters that name executions.
pub(super) struct Handler {
    pub(super) keeper: Keeper,
}

impl Duty for Handler {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        handle_all(&self.keeper, stop).await.map(|()| Next::Usual)
    }

    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        matches!(event, LiveEvent::Arrived { .. })
    }
}

async fn handle_all(keeper: &Keeper, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut later = Vec::new();
    while !stop.is_cancelled() && handle_one(keeper, &mut later).await? {}
    follow(keeper).await.map(drop)
}

/// Handles the next letter that names an execution. Tells whether there was one that can be handled now.
///
/// # Errors
/// When Postgres does not do it: then the letter is handled later.
pub async fn handle_next(keeper: &Keeper) -> Result<bool, StoreError> {
    handle_one(keeper, &mut Vec::new()).await
}

/// The same. Letters that have to wait are put with those of this round, and hold up nobody behind them.
async fn handle_one(keeper: &Keeper, later: &mut Vec<Uuid>) -> Result<bool, StoreError> {
    while later.len() < MOST_LATER {
        let mut transaction = keeper.pool.begin().await?;
        let Some(open) = links::next(&mut transaction, later).await? else {
            transaction.rollback().await?;
            return Ok(false);
        };
        if let Some(handled) = handle(keeper, &mut transaction, &open).await? {
            return write_down(transaction, &open, handled).await.map(|()| true);
        }
        transaction.rollback().await?;
        later.push(open.letter.0);
    }
    Ok(false)
}

async fn write_down(
    mut transaction: Transaction<'static, Postgres>,
    open: &Open,
    handled: Handled,
) -> Result<(), StoreError> {
    links::close(&mut transaction, open, &handled).await?;
    transaction.commit().await?;
    let verdict = handled.verdict.as_str();
    metrics::counter!("dlo_executions_named_total", "verdict" => verdict).increment(1);
    Ok(())
}

/// What was done, in a word and in a sentence.
pub(super) fn done(verdict: HandlerVerdict, what: String) -> Handled {
    Handled { verdict, detail: Some(what), sent: None }
}

async fn handle(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
) -> Result<Option<Handled>, StoreError> {
    let Some(execution) = write::take_one(conn, &open.execution).await? else {
        return Ok(Some(Handled { verdict: HandlerVerdict::Unknown, detail: None, sent: None }));
    };
    if execution.state.is_terminal() {
        let what = format!("it was {} already", execution.state);
        return Ok(Some(done(HandlerVerdict::Terminal, what)));
    }
    if let Some(what) = superseded(keeper, conn, open, &execution).await? {
        return Ok(Some(done(HandlerVerdict::Superseded, what)));
    }
    if execution.is_read {
        let what =
            format!("it is in a register that is only read; else it had failed: {}", died(open));
        return Ok(Some(done(HandlerVerdict::Left, what)));
    }
    if may_send_on(open) && awaits_read(conn, open).await? {
        return Ok(None);
    }
    match sparing::spare(keeper, conn, open, &execution).await? {
        Spared::No => {}
        Spared::Later => return Ok(None),
        Spared::Yes(handled) => return Ok(Some(handled)),
    }
    pass_on_or_fail(keeper, conn, open, (execution, died(open))).await.map(Some)
}

/// Hands the execution to another worker, where that is asked for and can be; else it is failed for this
/// reason.
pub(super) async fn pass_on_or_fail(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    (execution, why): (Execution, String),
) -> Result<Handled, StoreError> {
    let why = if open.naming.reschedule_on.contains(&open.reason) {
        match reschedule(keeper, conn, open, (&execution, why)).await? {
            Ok(handled) => return Ok(handled),
            Err(why) => why,
        }
    } else {
        why
    };
    let now = shared_time(conn, &*keeper.clock).await?;
    let failed = execution.ended_by(ExecutionState::Failed, (HANDLER, &why), now);
    keeper.ending().end(conn, &[(execution, failed)], now).await?;
    metrics::counter!("dlo_executions_failed_total", "by" => "dead_letter").increment(1);
    Ok(done(HandlerVerdict::Failed, why))
}

/// Why it is failed, in words.
pub(super) fn died(open: &Open) -> String {
    let queue = match &open.queue {
        Some(queue) => format!(" in the queue `{queue}`"),
        None => String::new(),
    };
    match open.reason {
        Reason::Expired => format!("its message expired{queue}: no worker took it in time"),
        Reason::Rejected => format!("its message was rejected{queue}"),
        Reason::Maxlen => format!("its message was dropped{queue}, which was full"),
        Reason::DeliveryLimit => format!("its message was delivered too often{queue}"),
        Reason::Unknown => format!("its message died{queue}"),
    }
}

/// A letter that died in another worker's queue tells of an attempt that is over.
async fn superseded(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    execution: &Execution,
) -> Result<Option<String>, StoreError> {
    let (Some(queue), Some(worker)) = (&open.queue, &execution.worker) else {
        return Ok(None);
    };
    // What workers say of themselves goes before what queues are called. That another one names the
    // queue tells nothing while this one names none: it may work on the same, unless it came later.
    let is_of_another = match watch::is_of_another(conn, queue, worker).await? {
        Some(is) => is && (execution.attempt > 1 || beats::queue_of(conn, worker).await?.is_some()),
        None => match worker_of(&keeper.replay.worker_queue, queue) {
            Some(name) if name != &**worker => watch::is_worker(conn, name).await?,
            _ => false,
        },
    };
    Ok(is_of_another.then(|| format!("it is on worker `{worker}` since")))
}

/// The worker that let the message die: the one that has the execution; where nobody said who has it, the one
/// whose queue it was.
async fn let_die(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    execution: &Execution,
) -> Result<Option<String>, StoreError> {
    let Some(queue) = open.queue.as_ref().filter(|_| execution.worker.is_none()) else {
        return Ok(execution.worker.clone());
    };
    if let Some(only) = watch::only_worker_of(conn, queue).await? {
        return Ok(Some(only));
    }
    Ok(worker_of(&keeper.replay.worker_queue, queue).map(ToOwned::to_owned))
}

/// The worker whose queue this is called after.
fn worker_of<'a>(template: &str, queue: &'a str) -> Option<&'a str> {
    let (before, after) = template.split_once("{worker}")?;
    queue.strip_prefix(before)?.strip_suffix(after)
}

/// Hands the execution to another worker: its message is replayed to that one's queue. Says where to;
/// or why not, and why it would have been.
async fn reschedule(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    (execution, why): (&Execution, String),
) -> Result<Result<Handled, String>, StoreError> {
    if !execution.has_attempts_left() {
        let attempts = execution.max_attempts;
        return Ok(Err(match attempts {
            1 => why,
            _ => format!("{why}; that was the last of {attempts} attempts"),
        }));
    }
    let than = let_die(keeper, conn, open, execution).await?;
    let Some(free) = watch::another_worker(conn, than.as_deref()).await? else {
        return Ok(Err(format!("{NO_WORKERS}: {why}")));
    };
    let target = Target::Worker { worker: free.clone() };
    let replay = match replay(keeper, conn, open, target).await? {
        Ok(id) => id,
        Err(not) => {
            return Ok(Err(format!("{why}; it could not go to another worker: {not}")));
        }
    };
    let now = shared_time(conn, &*keeper.clock).await?;
    let execution = execution.rescheduled(&free, now);
    let attempt = execution.attempt;
    let told = Told { execution, result: None };
    write::put(conn, &[told]).await?;
    events::notify(conn, &LiveEvent::Executions).await?;
    Ok(Ok(Handled {
        verdict: HandlerVerdict::Rescheduled,
        detail: Some(format!("to worker `{free}`, with replay {replay}")),
        sent: Some(Sent { replay, attempt }),
    }))
}
