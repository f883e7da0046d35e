//! The timeout monitor. It looks every few seconds, so that it knows since when it sees without a
//! gap, and checks every minute what is late.

use std::time::Duration;

use dlo_domain::execution::{Execution, ExecutionState, MONITOR, Watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Keeper;
use crate::duty::{Duty, Next};
use crate::store::executions::{figures, watch};
use crate::store::workers::watches;
use crate::store::{StoreError, shared_time};

/// How often somebody looks. After three looks that failed, time begins anew.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Executions that are failed, and forgotten, in one transaction.
const AT_ONCE: i64 = 1_000;

/// Fails executions that are late.
pub(super) struct Monitor {
    keeper: Keeper,
    next_check: Instant,
}

impl Monitor {
    /// One that has not looked yet.
    pub(super) fn new(keeper: Keeper) -> Self {
        Self { keeper, next_check: Instant::now() }
    }
}

impl Duty for Monitor {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        if Instant::now() >= self.next_check {
            check_all(&self.keeper, stop).await?;
            self.next_check = Instant::now() + self.keeper.config.check_every;
        } else {
            look(&self.keeper).await?;
        }
        let wait = self.next_check.saturating_duration_since(Instant::now());
        Ok(Next::After(wait.min(LOOK_EVERY)))
    }
}

async fn check_all(keeper: &Keeper, stop: &CancellationToken) -> Result<(), StoreError> {
    while !stop.is_cancelled() && check(keeper).await? > 0 {}
    forget(keeper, stop).await
}

/// Looks: somebody sees.
///
/// # Errors
/// When Postgres does not do it.
pub async fn look(keeper: &Keeper) -> Result<Watch, StoreError> {
    let mut transaction = keeper.pool.begin().await?;
    let now = shared_time(&mut transaction, &*keeper.clock).await?;
    let (watch, _) = watch::look(&mut transaction, now).await?;
    transaction.commit().await?;
    Ok(watch)
}

/// Fails executions that are late, at most some thousand. Tells how many.
///
/// # Errors
/// When Postgres does not do it; then nothing is failed.
pub async fn check(keeper: &Keeper) -> Result<usize, StoreError> {
    let mut transaction = keeper.pool.begin().await?;
    let conn = &mut *transaction;
    let now = shared_time(conn, &*keeper.clock).await?;
    let (watch, _) = watch::look(conn, now).await?;
    let Some(before) = watch.cutoff(keeper.limit()) else {
        transaction.commit().await?;
        return Ok(0);
    };
    // Workers that were cut off have their whole time again, as everybody has after a gap in looking.
    let cut_off = watches::cut_off_since(conn, before, now).await?;
    let stuck = watch::stuck(conn, before, &cut_off, AT_ONCE).await?;
    let orphaned = watch::orphaned(conn, (before, keeper.limit()), &cut_off, AT_ONCE).await?;
    let ended: Vec<(Execution, Execution)> = stuck
        .into_iter()
        .map(|one| (never_begun(&one, keeper), one))
        .chain(orphaned.into_iter().map(|one| (worker_silent(&one, keeper), one)))
        .map(|(why, one)| {
            let failed = one.ended_by(ExecutionState::Failed, (MONITOR, &why), now);
            (one, failed)
        })
        .collect();
    keeper.ending().end(conn, &ended, now).await?;
    transaction.commit().await?;
    if !ended.is_empty() {
        let failed = ended.len();
        metrics::counter!("dlo_executions_failed_total", "by" => "monitor")
            .increment(failed.try_into().unwrap_or(u64::MAX));
        tracing::warn!(failed, "executions were late and are failed");
    }
    Ok(ended.len())
}

fn never_begun(execution: &Execution, keeper: &Keeper) -> String {
    let seconds = keeper.config.stuck_after.as_secs();
    match &execution.worker {
        Some(worker) => format!(
            "Execution timeout: worker `{worker}` did not begin it within {seconds} s of being \
             scheduled"
        ),
        None => {
            format!("Execution timeout: no worker began it within {seconds} s of being scheduled")
        }
    }
}

fn worker_silent(execution: &Execution, keeper: &Keeper) -> String {
    format!(
        "Execution timeout: its worker `{}` was silent or stopped for more than {} s",
        execution.worker.as_deref().unwrap_or_default(),
        keeper.config.stuck_after.as_secs()
    )
}

async fn forget(keeper: &Keeper, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut conn = keeper.pool.acquire().await?;
    let now = shared_time(&mut conn, &*keeper.clock).await?;
    figures::forget(&mut conn, now).await?;
    let kept = chrono::TimeDelta::from_std(keeper.config.kept).unwrap_or(chrono::TimeDelta::MAX);
    let Some(before) = now.checked_sub_signed(kept) else {
        return Ok(());
    };
    while !stop.is_cancelled() && watch::forget(&mut conn, before, AT_ONCE).await? > 0 {}
    Ok(())
}
