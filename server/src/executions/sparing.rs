//! What died because a broker, the database or all offices stood still is held against nobody: its
//! message goes back to the queue that it died in, where it has its whole time again.

use chrono::{DateTime, SecondsFormat, Utc};
use dlo_domain::death::Reason;
use dlo_domain::event::LiveEvent;
use dlo_domain::execution::{Execution, ExecutionState, HandlerVerdict};
use dlo_domain::replay::Target;
use dlo_domain::worker::{Pause, Witness};
use sqlx::PgConnection;

use super::Keeper;
use super::sending::replay;
use crate::fleet::way_of;
use crate::store::executions::links::{self, Handled, Open, Sent};
use crate::store::executions::watch;
use crate::store::executions::write::{self, Told};
use crate::store::workers::watches;
use crate::store::{StoreError, events, shared_time};

/// So often a message goes back for the sake of one pause: workers may need a while to come back, and a
/// short time to live is over before. After that it is its worker's fault.
const MOST_TIMES: i64 = 3;

/// What is done about a letter for the sake of a pause.
pub(super) enum Spared {
    /// Nothing: it tells what it says.
    No,
    /// It cannot be told yet: the letter waits.
    Later,
    /// This.
    Yes(Handled),
}

/// Sends the message of an execution back to its queue when it expired by a pause.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn spare(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    execution: &Execution,
) -> Result<Spared, StoreError> {
    let (Reason::Expired, Some((broker, vhost))) = (open.reason, &open.place) else {
        return Ok(Spared::No);
    };
    let way = way_of(&keeper.brokers, broker, vhost);
    let Some(standing) = watches::standing(conn, &way).await? else {
        return Ok(Spared::No);
    };
    let now = shared_time(conn, &*keeper.clock).await?;
    let pause = match standing.witness(open.noted_at, now) {
        Witness::AsEver => return Ok(Spared::No),
        Witness::TooEarly => return Ok(Spared::Later),
        Witness::OfAPause(pause) => pause,
    };
    if is_past_sparing(keeper, conn, open, (execution, pause)).await? {
        return Ok(Spared::No);
    }
    let stood_still = format!(
        "nothing was heard of its broker from {} to {}",
        machine(pause.closed_at),
        machine(pause.opened_at)
    );
    let told = Told { execution: execution.spared(now), result: None };
    write::put(conn, &[told]).await?;
    events::notify(conn, &LiveEvent::Executions).await?;
    let (what, replay) = match replay(keeper, conn, open, Target::OriginQueue).await? {
        Ok(id) => {
            let what = format!("its message goes back to its queue, with replay {id}");
            (what, Some(id))
        }
        Err(why) => {
            let what = format!("its message could not go back to its queue: {why}");
            (what, None)
        }
    };
    let attempt = execution.attempt;
    Ok(Spared::Yes(Handled {
        verdict: HandlerVerdict::Spared,
        detail: Some(format!("{stood_still}; {what}")),
        sent: replay.map(|replay| Sent { replay, attempt }),
    }))
}

/// Whether the pause is no excuse: its worker was away before, it waited for long before, or its message
/// went back often enough.
async fn is_past_sparing(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    (execution, pause): (&Execution, Pause),
) -> Result<bool, StoreError> {
    // The pause itself is no time in which anybody could have begun it.
    let was_due = (pause.closed_at - execution.state_since) / 2 > keeper.limit();
    if was_due && execution.state < ExecutionState::Running {
        return Ok(true);
    }
    if let Some(worker) = &execution.worker
        && watch::is_away(conn, worker).await?
    {
        return Ok(true);
    }
    let times = links::spared_since(conn, open.letter, pause.closed_at).await?;
    Ok(times >= MOST_TIMES)
}

fn machine(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
