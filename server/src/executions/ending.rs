//! Ending executions in our name: the change, what is counted, and what is to be published of it, in
//! one transaction.

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::execution::Execution;
use sqlx::PgConnection;

use crate::clock::{Clock, new_id};
use crate::store::executions::figures::{self, Tally};
use crate::store::executions::outbox::{self, Destination};
use crate::store::executions::write::{self, Told};
use crate::store::{StoreError, events};

/// What ends are made with.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    /// For ids.
    pub clock: &'a dyn Clock,
    /// Where ends are told, if anywhere.
    pub completed: Option<&'a Destination>,
}

impl Ending<'_> {
    /// Ends executions that the caller has locked: each as it was, and as it is now.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn end(
        self,
        conn: &mut PgConnection,
        ended: &[(Execution, Execution)],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if ended.is_empty() {
            return Ok(());
        }
        let mut tally = Tally::default();
        let mut told = Vec::with_capacity(ended.len());
        for (before, after) in ended {
            tally.add(Some(before.state), after);
            told.push(Told { execution: after.clone(), result: Some(after.result()) });
            if let Some(to) = self.completed {
                let id = new_id(self.clock);
                outbox::put(conn, id, to, &after.completed_message(), now).await?;
            }
        }
        write::put(conn, &told).await?;
        figures::add(conn, now, tally).await?;
        events::notify(conn, &LiveEvent::Executions).await
    }
}
