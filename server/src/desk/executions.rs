//! Executions: what is reported, shown, and ended by people.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use dlo_app::desk::{DeskError, ExecutionDesk};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, MOST_ERROR_BYTES,
    MOST_REPORTS, Report, Reported,
};
use dlo_domain::page::{Cursor, Page};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::executions::Ending;
use crate::store::audit::{self, Note};
use crate::store::executions::figures::{self, Tally};
use crate::store::executions::write::{self, Told};
use crate::store::executions::{outbox, read, watch};
use crate::store::shared_time;

#[async_trait]
impl ExecutionDesk for PgDesk {
    async fn executions(
        &self,
        query: &ExecutionQuery,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Execution>, DeskError> {
        let mut conn = self.begin().await?;
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
        })
    }

    async fn execution(&self, id: &str) -> Result<ExecutionDetail, DeskError> {
        let mut conn = self.begin().await?;
        let before = shared_time(&mut conn, &*self.clock).await? - self.limit();
        let found = read::one(&mut conn, id, before).await?;
        found.ok_or_else(|| no_execution(id))
    }

    async fn report_executions(&self, reports: &[Report]) -> Result<Vec<Reported>, DeskError> {
        check(reports)?;
        changing!(self, conn => take(self, conn, reports).await)
    }

    async fn end_execution(
        &self,
        actor: &Actor,
        id: &str,
        state: ExecutionState,
        reason: &str,
    ) -> Result<Execution, DeskError> {
        let reason = check_reason(reason)?;
        changing!(self, conn => {
            let Some(found) = write::take_one(conn, id).await? else {
                return Err(no_execution(id));
            };
            if !found.state.may_become(state) {
                return Err(DeskError::Conflict(found.over(state).to_string()));
            }
            let now = shared_time(conn, &*self.clock).await?;
            let ended = found.ended_by(state, (&actor.0, reason), now);
            self.ending().end(conn, &[(found, ended.clone())], now).await?;
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
        let mut conn = self.begin().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let stuck = ExecutionQuery {
            stuck: true,
            ..ExecutionQuery::default()
        };
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
        Ending {
            clock: &*self.clock,
            completed: self.watching.completed.as_ref(),
        }
    }
}

fn no_execution(id: &str) -> DeskError {
    DeskError::NotFound(format!(
        "there is no execution `{id}`: nobody reported one of that name, or it is forgotten"
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
) -> Result<Vec<Reported>, DeskError> {
    // Locked in the order of their names, whoever reports: so nobody waits in a circle.
    let mut ids: Vec<&str> = reports.iter().map(|report| &*report.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let keys: Vec<Uuid> = ids.iter().map(|_| new_id(&*desk.clock)).collect();
    let now = shared_time(conn, &*desk.clock).await?;
    let mut standing = write::take(conn, &ids, &keys, now).await?;
    let mut changed: BTreeMap<String, Told> = BTreeMap::new();
    let mut tally = Tally::default();
    let mut answers = Vec::with_capacity(reports.len());
    for report in reports {
        let before = standing.get(&report.id);
        let told = match before {
            None => Ok(Some(Execution::begun(report, now))),
            Some(before) => before.told(report, now),
        };
        let refused = match told {
            Ok(None) => None,
            Err(why) => Some(why.to_string()),
            Ok(Some(next)) => {
                tally.add(before.map(|before| before.state), &next);
                let earlier = changed
                    .remove(&report.id)
                    .filter(|told| told.execution.attempt == next.attempt)
                    .and_then(|told| told.result);
                let result = report.result.clone().or(earlier);
                let execution = next.clone();
                changed.insert(report.id.clone(), Told { execution, result });
                standing.insert(report.id.clone(), next);
                None
            }
        };
        answers.push(Reported {
            execution: standing[&report.id].clone(),
            refused,
        });
    }
    let changed: Vec<Told> = changed.into_values().collect();
    write::put(conn, &changed).await?;
    figures::add(conn, now, tally).await?;
    Ok(answers)
}
