//! Takes reports of executions, whoever brings them.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::execution::{Execution, ExecutionState, Report, Reported};
use dlo_domain::globs::Globs;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::clock::{Clock, new_id};
use crate::store::executions::figures::{self, Tally};
use crate::store::executions::write::{self, Told};
use crate::store::{StoreError, shared_time};

/// Figures are of the last hour: what was so before, and is only told now, is none of them.
const COUNTED_WITHIN: TimeDelta = TimeDelta::hours(1);

/// A report, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What it says.
    pub report: Report,
    /// Since when it is so, where that is known; else since now.
    pub at: Option<DateTime<Utc>>,
    /// The workers that whoever reports speaks for; `None` for every one.
    pub workers: Option<Globs>,
}

impl Given {
    /// Why it is not for whoever reports to say: a worker has the execution that the token does not speak for.
    fn refusal(&self, before: Option<&Execution>) -> Option<String> {
        let has = before?.worker.as_deref()?;
        let workers = self.workers.as_ref()?;
        (!workers.matches(has)).then(|| {
            format!("it is on worker `{has}`, and this token speaks for the workers {workers} only")
        })
    }
}

/// What came of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The execution, and why the report was refused.
    pub told: Reported,
    /// Nobody had heard of the execution.
    pub is_new: bool,
}

/// Takes reports in their order, each judged by itself, in the transaction of `conn`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    given: &[Given],
) -> Result<Vec<Taken>, StoreError> {
    // Locked in the order of their names, whoever reports: so nobody waits in a circle.
    let mut ids: Vec<&str> = given.iter().map(|given| &*given.report.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let keys: Vec<Uuid> = ids.iter().map(|_| new_id(clock)).collect();
    let now = shared_time(conn, clock).await?;
    let mut standing = write::take(conn, &ids, &keys, now).await?;
    let mut changed: BTreeMap<String, Told> = BTreeMap::new();
    let mut tally = Tally::default();
    let mut answers = Vec::with_capacity(given.len());
    for one in given {
        let report = &one.report;
        let at = one.at.unwrap_or(now);
        let before = standing.get(&report.id);
        let is_new = before.is_none();
        let told = match (before, one.refusal(before)) {
            (_, Some(why)) => Err(why),
            (None, None) => Ok(Some(Execution::begun(report, at))),
            (Some(before), None) => before.told(report, at).map_err(|why| why.to_string()),
        };
        let refused = match told {
            Ok(None) => None,
            Err(why) => Some(why),
            Ok(Some(next)) => {
                if now - at < COUNTED_WITHIN {
                    tally.add(before.map(|before| before.state), &next);
                }
                note_change(&mut changed, report, next.clone());
                standing.insert(report.id.clone(), next);
                None
            }
        };
        let told = Reported { execution: standing[&report.id].clone(), refused };
        answers.push(Taken { told, is_new });
    }
    let changed: Vec<Told> = changed.into_values().collect();
    write::put(conn, &changed).await?;
    figures::add(conn, now, tally).await?;
    count(&changed);
    Ok(answers)
}

/// Counts what workers told, for `/metrics`: what they failed, and how long executions waited for one.
fn count(changed: &[Told]) {
    for Told { execution, .. } in changed {
        match execution.state {
            ExecutionState::Failed => {
                metrics::counter!("dlo_executions_failed_total", "by" => "worker").increment(1);
            }
            ExecutionState::TimedOut => {
                metrics::counter!("dlo_executions_timed_out_total").increment(1);
            }
            ExecutionState::Running => {
                let waited = execution.requested_at.zip(execution.running_at);
                let waited = waited.filter(|_| execution.attempt == 1);
                if let Some(waited) =
                    waited.and_then(|(asked, began)| (began - asked).to_std().ok())
                {
                    metrics::histogram!("dlo_executions_scheduling_seconds").record(waited);
                }
            }
            _ => {}
        }
    }
}

/// What is written of an execution; a result that was told of the same attempt before stays.
fn note_change(changed: &mut BTreeMap<String, Told>, report: &Report, execution: Execution) {
    let earlier = changed
        .remove(&report.id)
        .filter(|told| told.execution.attempt == execution.attempt)
        .and_then(|told| told.result);
    let result = report.result.clone().or(earlier);
    changed.insert(report.id.clone(), Told { execution, result });
}
