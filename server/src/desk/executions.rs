//! Executions: what is reported, shown, and ended by people.

use async_trait::async_trait;
use chrono::TimeDelta;
use dlo_app::desk::{DeskError, ExecutionDesk};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, MOST_ERROR_BYTES,
    MOST_REPORTS, Report, Reported, is_name,
};
use dlo_domain::globs::Globs;
use dlo_domain::page::{Cursor, Page};
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::executions::Ending;
use crate::executions::reports::{self, Given, Taken};
use crate::store::audit::{self, Note};
use crate::store::executions::{figures, outbox, read, watch, write};
use crate::store::{registers, shared_time};

#[async_trait]
impl ExecutionDesk for PgDesk {
    async fn executions(
        &self,
        query: &ExecutionQuery,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Execution>, DeskError> {
        if query.worker.as_deref().is_some_and(|name| !is_name(name)) {
            let why = "`worker` has 1 to 255 bytes, and no control characters";
            return Err(DeskError::Invalid(why.to_owned()));
        }
        let mut conn = self.connection().await?;
        let before = shared_time(&mut conn, &*self.clock).await? - self.limit();
        // One more than asked for tells whether there is a next page.
        let ask = i64::from(limit) + 1;
        let mut rows = read::page(&mut conn, query, before, after, ask).await?;
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next_cursor = rows.last().filter(|_| has_more).map(|(cursor, _)| *cursor);
        let count = read::count(&mut conn, query, before).await?;
        Ok(Page {
            items: rows.into_iter().map(|(_, execution)| execution).collect(),
            next_cursor,
            estimated_total: count.min(read::MOST_COUNTED),
            total_is_least: count > read::MOST_COUNTED,
            searched_back_to: None,
            unread: None,
            texts_read_back_to: None,
        })
    }

    async fn execution(&self, id: &str) -> Result<ExecutionDetail, DeskError> {
        if id.contains('\0') {
            return Err(no_execution(id));
        }
        let mut conn = self.connection().await?;
        let before = shared_time(&mut conn, &*self.clock).await? - self.limit();
        let found = read::one(&mut conn, id, before).await?;
        found.ok_or_else(|| no_execution(id))
    }

    async fn report_executions_of(
        &self,
        reports: &[Report],
        workers: &Globs,
    ) -> Result<Vec<Reported>, DeskError> {
        check(reports)?;
        changing!(self, conn => take(self, conn, reports, workers).await)
    }

    async fn end_execution(
        &self,
        actor: &Actor,
        id: &str,
        state: ExecutionState,
        reason: &str,
    ) -> Result<Execution, DeskError> {
        let reason = check_reason(reason)?;
        if id.contains('\0') {
            return Err(no_execution(id));
        }
        changing!(self, conn => {
            let Some(found) = write::take_one(conn, id).await? else {
                return Err(no_execution(id));
            };
            if found.is_read {
                return Err(DeskError::Conflict(format!(
                    "execution `{id}` is known from a register, which is only read: end it where \
                     the register is kept"
                )));
            }
            if !found.state.may_become(state) {
                return Err(DeskError::Conflict(found.over(state).to_string()));
            }
            let now = shared_time(conn, &*self.clock).await?;
            let ended = found.ended_by(state, (&actor.0, reason), now);
            self.ending().end(conn, &[(found, ended.clone())], now).await?;
            if state == ExecutionState::Failed {
                metrics::counter!("dlo_executions_failed_total", "by" => "person").increment(1);
            }
            let detail = format!("`{id}`: {reason}");
            let action = match state {
                ExecutionState::Cancelled => "execution.cancel",
                _ => "execution.fail",
            };
            let note = Note {
                at: self.clock.now(),
                actor,
                action,
                detail: Some(&detail),
                replay: None,
            };
            audit::write_office(conn, note).await?;
            Ok(ended)
        })
    }

    async fn execution_figures(&self) -> Result<ExecutionFigures, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let stuck = ExecutionQuery { stuck: true, ..ExecutionQuery::default() };
        let stuck = read::count(&mut conn, &stuck, now - self.limit()).await?;
        let tally = figures::of_last_hour(&mut conn, now).await?;
        let (unpublished, unpublished_why) = outbox::waiting(&mut conn).await?;
        Ok(ExecutionFigures {
            states: read::states(&mut conn).await?,
            stuck: stuck.min(read::MOST_COUNTED),
            scheduling_latency_ms: (tally.started > 0).then(|| tally.latency_ms / tally.started),
            timeouts: tally.timeouts,
            ended: tally.ended,
            watched_since: watch::watch(&mut conn).await?.map(|watch| watch.since),
            unpublished,
            unpublished_why,
        })
    }
}

impl PgDesk {
    /// How long an execution may be scheduled.
    pub(super) fn limit(&self) -> TimeDelta {
        TimeDelta::from_std(self.watching.stuck_after).unwrap_or(TimeDelta::MAX)
    }

    fn ending(&self) -> Ending<'_> {
        Ending { clock: &*self.clock, completed: self.watching.completed.as_ref() }
    }
}

fn no_execution(id: &str) -> DeskError {
    DeskError::NotFound(format!(
        "there is no execution `{id}`: none was reported under this id, or it was removed"
    ))
}

fn check(reports: &[Report]) -> Result<(), DeskError> {
    if reports.is_empty() || reports.len() > MOST_REPORTS {
        let why = format!("`reports` has 1 to {MOST_REPORTS} members");
        return Err(DeskError::Invalid(why));
    }
    for (place, report) in reports.iter().enumerate() {
        report.check().map_err(|why| {
            let which = match reports.len() {
                1 => String::new(),
                _ => format!("report {}: ", place + 1),
            };
            DeskError::Invalid(format!("{which}{why}"))
        })?;
    }
    Ok(())
}

fn check_reason(reason: &str) -> Result<&str, DeskError> {
    let reason = reason.trim();
    if reason.is_empty() || reason.len() > MOST_ERROR_BYTES || reason.contains('\0') {
        return Err(DeskError::Invalid(format!(
            "`reason` has 1 to {MOST_ERROR_BYTES} bytes, and no NUL character: say why"
        )));
    }
    Ok(reason)
}

async fn take(
    desk: &PgDesk,
    conn: &mut PgConnection,
    reports: &[Report],
    workers: &Globs,
) -> Result<Vec<Reported>, DeskError> {
    let given = reports.iter().map(|report| Given {
        report: report.clone(),
        at: None,
        workers: Some(workers.clone()),
    });
    let mut taken = reports::take(conn, &*desk.clock, &given.collect::<Vec<_>>()).await?;
    let is_taken = |one: &&Taken| one.told.refused.is_none() && one.told.execution.is_read;
    let ours: Vec<String> =
        taken.iter().filter(is_taken).map(|one| one.told.execution.id.clone()).collect();
    if !ours.is_empty() {
        registers::set_is_read(conn, &ours, false).await?;
        for one in &mut taken {
            one.told.execution.is_read &= !ours.contains(&one.told.execution.id);
        }
    }
    Ok(taken.into_iter().map(|one| one.told).collect())
}
