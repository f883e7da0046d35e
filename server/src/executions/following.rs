//! What the handler sent on is followed: a message that reached no queue is nobody's, and its execution
//! would stand there until the monitor calls its worker late.

use dlo_domain::execution::{Execution, ExecutionState, HandlerVerdict};
use sqlx::PgConnection;

use super::Keeper;
use super::handler::{died, done, pass_on_or_fail};
use crate::store::StoreError;
use crate::store::executions::links::{self, Handled};
use crate::store::executions::sent::{self, Strayed};
use crate::store::executions::write;

/// Executions that are looked at in one turn: what arrives meanwhile is not to wait for long.
const AT_ONCE: usize = 100;

/// Looks at what was sent on. What reached a queue, or may have, is followed no further; for each other
/// message its execution goes to one more worker, or is failed. Tells for how many.
///
/// # Errors
/// When Postgres does not do it: then it is done later.
pub async fn follow(keeper: &Keeper) -> Result<usize, StoreError> {
    let mut conn = keeper.pool.acquire().await?;
    sent::let_go(&mut conn).await?;
    drop(conn);
    let mut strayed = 0;
    while strayed < AT_ONCE && follow_next(keeper).await? {
        strayed += 1;
    }
    Ok(strayed)
}

async fn follow_next(keeper: &Keeper) -> Result<bool, StoreError> {
    let mut transaction = keeper.pool.begin().await?;
    let Some(strayed) = sent::next(&mut transaction).await? else {
        return Ok(false);
    };
    let handled = take_back(keeper, &mut transaction, &strayed).await?;
    links::close(&mut transaction, &strayed.open, &handled).await?;
    transaction.commit().await?;
    tracing::warn!(
        execution = strayed.open.execution,
        why = strayed.why,
        "the message of an execution reached no queue"
    );
    Ok(true)
}

async fn take_back(
    keeper: &Keeper,
    conn: &mut PgConnection,
    strayed: &Strayed,
) -> Result<Handled, StoreError> {
    let open = &strayed.open;
    let Some(execution) = write::take_one(conn, &open.execution).await? else {
        let what = format!("its message reached no queue: {}", strayed.why);
        return Ok(done(HandlerVerdict::Unknown, what));
    };
    let what = not_reached(&execution, strayed);
    if execution.state.is_terminal() {
        let what = format!("{what}; it was {} already", execution.state);
        return Ok(done(HandlerVerdict::Terminal, what));
    }
    // Whoever began it, or a later attempt, did not wait for this message.
    if execution.state >= ExecutionState::Running || execution.attempt != strayed.attempt {
        let what = format!("{what}; it goes on without that");
        return Ok(done(HandlerVerdict::Superseded, what));
    }
    let why = format!("{}; {what}", died(open));
    pass_on_or_fail(keeper, conn, open, (execution, why)).await
}

fn not_reached(execution: &Execution, strayed: &Strayed) -> String {
    let why = &strayed.why;
    match &execution.worker {
        Some(worker) => format!("its message did not reach a queue of worker `{worker}`: {why}"),
        None => format!("its message did not reach a queue: {why}"),
    }
}
