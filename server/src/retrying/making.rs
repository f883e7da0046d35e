//! Makes tries whose time has come: a replay for each batch of a policy, frozen as everybody's are.
//! One office at a time works on a policy, so that its budget holds over all of them.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::policy::{Breaker, BreakerStatus, Bucket, NewPolicy};
use dlo_domain::replay::{NewReplay, Replay};
use dlo_domain::selection::Selection;
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::{Scheduler, actor};
use crate::changes::{ChangeError, Changes, MOST_OPENED, MadeOf};
use crate::clock::new_id;
use crate::planning::{self, Maker};
use crate::store::audit::Note;
use crate::store::policies::{self, Kept};
use crate::store::retries::{self, Due};
use crate::store::{StoreError, decisions, events, origins, shared_time};

/// Letters that are not published for so long wait for a broker that is away: the tries of a policy
/// wait with them, and do not take up the places of other replays.
const PATIENCE: TimeDelta = TimeDelta::seconds(10);

/// A try that waits for a read of its broker is put off for so long.
const READ_WITHIN: TimeDelta = TimeDelta::seconds(5);

/// Letters of one replay, which are claimed by one statement.
const AT_ONCE: u32 = 5_000;

/// Others may work on bodies for so long before envelopes are opened; else that is tried again with the next pass.
const OPENS_WITHIN: Duration = Duration::from_secs(1);

/// Makes what is due of every policy. Tells how long it is until the next try is due that is not yet.
pub(super) async fn round(
    scheduler: &mut Scheduler,
    now: DateTime<Utc>,
) -> Result<Option<TimeDelta>, StoreError> {
    scheduler.made_until.refresh(now);
    let from = scheduler.made_until.by_policy();
    let waiting = retries::earliest(&mut *scheduler.pool.acquire().await?, from).await?;
    let mut next: Option<TimeDelta> = None;
    for (policy, due_at) in waiting {
        if due_at > now {
            let wait = due_at - now;
            next = Some(next.map_or(wait, |next| next.min(wait)));
        }
        // A full batch may not be all of it.
        while make(scheduler, policy).await? {}
    }
    Ok(next)
}

/// Makes a batch of a policy's tries. Returns whether it was a full one.
async fn make(scheduler: &mut Scheduler, id: PolicyId) -> Result<bool, StoreError> {
    let mut transaction = scheduler.pool.begin().await?;
    let Some(batch) = make_some(scheduler, &mut transaction, id).await? else {
        // Not left to the pool, which does it some time later: the policy is locked until then.
        transaction.rollback().await?;
        return Ok(false);
    };
    transaction.commit().await?;
    if let Some(due_at) = batch.last_due_at {
        scheduler.made_until.note(id, due_at);
    }
    Ok(batch.is_full)
}

/// Tries of a policy that were made at once.
struct Batch {
    /// Whether more may be due.
    is_full: bool,
    /// When the last of them was due; `None` if none was made.
    last_due_at: Option<DateTime<Utc>>,
}

/// How many letters a replay of a policy takes at most.
fn most_at_once(policy: &NewPolicy) -> u32 {
    if policy.open_envelopes { MOST_OPENED } else { AT_ONCE }
}

/// The same within a transaction. Nothing when nothing is to be kept of it.
async fn make_some(
    scheduler: &Scheduler,
    conn: &mut PgConnection,
    id: PolicyId,
) -> Result<Option<Batch>, StoreError> {
    let Some(kept) = policies::seize(conn, id).await? else {
        return Ok(None);
    };
    if !kept.policy.retries() {
        return Ok(None);
    }
    // Read when the policy is this office's: nobody writes its budget at a later time.
    let now = shared_time(conn, &*scheduler.clock).await?;
    let held_up = retries::held_up(conn, id, now - PATIENCE).await?;
    let (breaker, allowed) = ask_breaker(conn, &kept, now).await?;
    let bucket = kept.bucket.refilled(kept.policy.retries_per_minute, now);
    let is_open = kept.policy.window.as_ref();
    let most = if is_open.is_none_or(|window| window.is_open(now)) {
        let at_once = most_at_once(&kept.policy);
        bucket.allows().min(allowed.unwrap_or(at_once)).min(at_once)
    } else {
        0
    };
    let due = if most == 0 {
        Vec::new()
    } else {
        let from = scheduler.made_until.by_policy().get(&id).copied();
        retries::take_due(conn, id, &held_up, (from, now), most.into()).await?
    };
    let last_due_at = due.last().map(|due| due.due_at);
    let (due, has_put_off) = without_awaited(conn, due, now).await?;
    let taken = u32::try_from(due.len()).unwrap_or(u32::MAX);
    if taken > 0 && !replay(scheduler, conn, &kept, &due, now).await? {
        return Ok(None);
    }
    // A budget that fills from a time which is the future again would not fill.
    let was_set_back = bucket.at < kept.bucket.at;
    if taken == 0 && breaker == kept.breaker && !was_set_back && !has_put_off {
        return Ok(None);
    }
    let bucket = if taken > 0 || was_set_back { bucket.without(taken) } else { kept.bucket };
    write(conn, &kept, breaker, bucket).await?;
    Ok(Some(Batch { is_full: taken == most_at_once(&kept.policy), last_due_at }))
}

/// Puts off the tries of letters whose queue the next read of their broker may know: a queue that was made
/// since the last one. Tells which tries are left, and whether any was put off.
async fn without_awaited(
    conn: &mut PgConnection,
    mut due: Vec<Due>,
    now: DateTime<Utc>,
) -> Result<(Vec<Due>, bool), StoreError> {
    let letters: Vec<LetterId> = due.iter().map(|due| due.letter).collect();
    let awaited = origins::awaited(conn, &letters).await?;
    if awaited.is_empty() {
        return Ok((due, false));
    }
    retries::put_off(conn, &awaited, now + READ_WITHIN).await?;
    due.retain(|due| !awaited.contains(&due.letter));
    Ok((due, true))
}

/// Where the breaker stands, and how many tries it lets out.
async fn ask_breaker(
    conn: &mut PgConnection,
    kept: &Kept,
    now: DateTime<Utc>,
) -> Result<(BreakerStatus, Option<u32>), StoreError> {
    let Some(breaker) = kept.policy.breaker else {
        return Ok((kept.breaker, None));
    };
    let since = Some(kept.breaker.since);
    let samples = retries::samples(conn, kept.id, since, &breaker, now).await?;
    let status = breaker.judged(kept.breaker, &samples, now);
    // What was counted before is not counted again.
    let samples = if status.state == kept.breaker.state { &samples[..] } else { &[] };
    Ok((status, Breaker::allows(status.state, samples)))
}

async fn write(
    conn: &mut PgConnection,
    kept: &Kept,
    breaker: BreakerStatus,
    bucket: Bucket,
) -> Result<(), StoreError> {
    if breaker.state != kept.breaker.state {
        let (was, is) = (kept.breaker.state.as_str(), breaker.state.as_str());
        tracing::warn!(policy = %kept.policy.name, was, is, "a circuit breaker");
        let detail = format!("the circuit breaker was {was} and is {is}");
        let note = Note {
            at: breaker.since,
            actor: &actor(kept),
            action: "policy.breaker",
            detail: Some(&detail),
            replay: None,
        };
        crate::store::audit::write_office(conn, note).await?;
    }
    policies::keep(conn, kept.id, breaker, bucket).await?;
    events::notify(conn, &LiveEvent::Policies).await
}

/// Freezes a replay of the letters. Those that it leaves out are held, and say why. Returns false if others
/// work on bodies for too long: then nothing is to be kept.
async fn replay(
    scheduler: &Scheduler,
    conn: &mut PgConnection,
    kept: &Kept,
    due: &[Due],
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let actor = actor(kept);
    let mut ids: Vec<LetterId> = due.iter().map(|due| due.letter).collect();
    ids.sort_unstable();
    let new = NewReplay {
        selection: Selection::of_ids(ids.clone()),
        headers: kept.policy.headers.clone(),
        open_envelopes: kept.policy.open_envelopes,
        ..NewReplay::default()
    };
    let new = new.under_rule(scheduler.replay.transforms_need_approval);
    let id = ReplayId(new_id(&*scheduler.clock));
    let maker = Maker { actor: &actor, policy: Some(kept.id), is_automatic: true, at: now };
    let named = (Some(id), &new);
    let made = if new.open_envelopes {
        let Some(made) = opened(conn, &ids).await? else { return Ok(false) };
        Some(made)
    } else {
        None
    };
    let config = &scheduler.replay;
    retries::take(conn, &ids, id, now).await?;
    let replay = planning::freeze_changed(conn, config, maker, named, &ids, made.as_ref()).await?;
    if replay.total < i64::try_from(ids.len()).unwrap_or(i64::MAX) {
        let left_out = retries::withdraw_left_out(conn, &ids, id).await?;
        hold(conn, kept, &left_out, &reasons(&replay, id), now).await?;
    }
    Ok(true)
}

/// What is inside of letters that are envelopes; `None` if that cannot be looked into now.
async fn opened(
    conn: &mut PgConnection,
    ids: &[LetterId],
) -> Result<Option<HashMap<LetterId, MadeOf>>, StoreError> {
    let Ok(mut opening) = Changes::opening(OPENS_WITHIN).await else {
        return Ok(None);
    };
    match opening.make_within(conn, ids).await {
        Ok(made) => Ok(Some(made)),
        Err(ChangeError::Store(why)) => Err(why),
        Err(why) => {
            tracing::error!(%why, "envelopes are not opened, and their tries wait");
            Ok(None)
        }
    }
}

fn reasons(replay: &Replay, id: ReplayId) -> String {
    let reasons: Vec<&str> =
        replay.left_out.iter().map(|left_out| left_out.reason.as_str()).collect();
    format!("replay {id} left it out: {}", reasons.join("; "))
}

/// A try that cannot be made now cannot be made later either, as the plan says why: the letter is given up on,
/// and waits for a person.
async fn hold(
    conn: &mut PgConnection,
    kept: &Kept,
    letters: &[LetterId],
    why: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let note = Note {
        at: now,
        actor: &actor(kept),
        action: "letter.unschedule",
        detail: Some(why),
        replay: None,
    };
    let letters = decisions::change(conn, letters, Change::Unschedule, note).await?;
    let letters = letters.changed;
    let note = Note { action: "letter.exhausted", ..note };
    retries::exhaust(conn, kept.id, &letters, note).await?;
    let changed = letters.clone();
    events::notify(conn, &LiveEvent::Changed { letters: changed }).await?;
    events::notify(conn, &LiveEvent::Exhausted { letters }).await
}
