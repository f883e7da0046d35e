//! Joins error reports to letters that arrived before them, and has letters tell what was reported of them. Of what was
//! reported before it a letter tells from the beginning: that is intake's (`intake/reported.rs`), which has a report
//! looked at here again where a second letter came that it may be of.

use std::collections::BTreeSet;
use std::time::Duration;

use dlo_domain::error_report::{Joining, MAY_BE_LATE_BY, next_look};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{ErrorReportId, LetterId};
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::judging::{Judges, Walker};
use crate::store::error_reports::{self, Look, Named, StoredReport};
use crate::store::judging::{self, Due, Walk};
use crate::store::letters::{retell, stored};
use crate::store::{StoreError, events, rules, shared_time};

/// How often it is looked whether there is something to do.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Reports in one step.
const AT_ONCE: i64 = 100;

/// Joins reports to letters.
#[derive(Debug)]
pub struct Joiner {
    pool: PgPool,
    clock: SharedClock,
    judges: Judges,
    walker: Walker,
}

impl Duty for Joiner {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let looked_at = self.look().await?;
        let is_full = i64::try_from(looked_at).is_ok_and(|count| count >= AT_ONCE);
        Ok(if is_full { Next::After(Duration::ZERO) } else { Next::Usual })
    }
}

impl Joiner {
    /// One that has joined nothing yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { walker: Walker::new(pool.clone()), pool, clock, judges: Judges::default() }
    }

    /// Looks at some of the reports that are due, and returns how many.
    ///
    /// # Errors
    /// Returns an error if Postgres does not do it; nothing is done then, and they are looked at again.
    pub async fn look(&mut self) -> Result<usize, StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let due = error_reports::due(&mut conn, now, AT_ONCE).await?;
        let Some(first) = due.iter().map(|report| report.received_at).min() else {
            return Ok(0);
        };
        // Before any is taken: intake waits for what is.
        let named: Named<'_> = due.iter().map(|report| &report.message).collect();
        let messages =
            error_reports::arrived_since(&mut conn, first - MAY_BE_LATE_BY, &named).await?;
        drop(conn);
        let ids: Vec<ErrorReportId> = due.iter().map(|report| report.id).collect();
        let mut transaction = self.pool.begin().await?;
        let conn = &mut *transaction;
        // Held until the end, so that a change of rules finds what is judged here.
        rules::hold(conn).await?;
        judging::give_way(conn).await?;
        let reports = error_reports::take_due(conn, &ids, now).await?;
        let looks: Vec<Look> = reports
            .iter()
            .map(|report| Look {
                report: report.id,
                joining: report.joining.with(&report.message, report.received_at, &messages),
                next: next_look(report.received_at, now),
            })
            .collect();
        error_reports::record(conn, &looks).await?;
        let changed = self.retell(conn, &reports, &looks).await?;
        if !changed.is_empty() {
            events::notify(conn, &LiveEvent::Changed { letters: changed }).await?;
        }
        transaction.commit().await?;
        Ok(reports.len())
    }

    /// Has letters tell what is reported of them now, and no longer what may be another's; those that told something
    /// else are judged again.
    async fn retell(
        &mut self,
        conn: &mut PgConnection,
        reports: &[StoredReport],
        looks: &[Look],
    ) -> Result<Vec<LetterId>, StoreError> {
        let (mut joined, mut left) = (BTreeSet::new(), BTreeSet::new());
        for (report, look) in reports.iter().zip(looks) {
            match look.joining {
                Joining::To(one) => drop(joined.insert((one.letter, one.ordinal))),
                Joining::Ambiguous => left.extend(report.letter),
                Joining::None => {}
            }
        }
        let ids: BTreeSet<LetterId> =
            joined.iter().map(|(letter, _)| *letter).chain(left.iter().copied()).collect();
        let ids: Vec<LetterId> = ids.into_iter().collect();
        let mut letters = stored(conn, &ids, true).await?;
        // What was reported of an earlier arrival is not what the letter died of last.
        letters.retain(|one| joined.contains(&(one.id, one.arrivals)) || left.contains(&one.id));
        let judge = self.judges.current(conn).await?;
        let changed = retell(conn, &letters, judge.types()).await?;
        let walk =
            Walk { due: Due { severity: true, signature: true, contents: false }, cursor: None };
        self.walker.judge(conn, &judge, walk, &changed).await?;
        Ok(changed)
    }
}
