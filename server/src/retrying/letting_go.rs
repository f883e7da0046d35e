//! Lets letters go whose policy was removed, or does not retry any more: they are held. Any office
//! does it, one at a time for a policy, in transactions that hold nobody up for long.

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::PolicyId;

use super::Scheduler;
use crate::store::audit::Note;
use crate::store::policies::letting_go;
use crate::store::{StoreError, events, retries, shared_time};

/// Letters in one transaction.
const AT_ONCE: i64 = 1_000;

/// Takes a step for each policy that has letters to let go. Tells whether there are more at once.
pub(super) async fn round(scheduler: &Scheduler) -> Result<bool, StoreError> {
    let policies = letting_go::under_way(&mut *scheduler.pool.acquire().await?).await?;
    let mut more = false;
    for policy in policies {
        more |= step(scheduler, policy).await?;
    }
    Ok(more)
}

async fn step(scheduler: &Scheduler, policy: PolicyId) -> Result<bool, StoreError> {
    let mut transaction = scheduler.pool.begin().await?;
    let conn = &mut *transaction;
    let Some(word) = letting_go::seize(conn, policy).await? else {
        return Ok(false);
    };
    let note = Note {
        at: shared_time(conn, &*scheduler.clock).await?,
        actor: &word.by,
        action: "letter.unschedule",
        detail: Some(&word.why),
        replay: None,
    };
    let letters = retries::let_go(conn, policy, AT_ONCE, note).await?;
    let is_done = letting_go::end(conn, policy).await?;
    // Letters that somebody else has locked are left for the next pass.
    let more = !is_done && !letters.is_empty();
    if !letters.is_empty() {
        events::notify(conn, &LiveEvent::Changed { letters }).await?;
        events::notify(conn, &LiveEvent::Policies).await?;
    }
    transaction.commit().await?;
    Ok(more)
}
