//! Which policy takes a letter, and what becomes of it: asked once for every arrival, by the
//! policies as they are at that moment.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::filter::{Field, LetterFilter, Subject};
use dlo_domain::ids::LetterId;
use dlo_domain::policy::{PolicyVerdict, Step, next_step};
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::{Scheduler, actor};
use crate::store::audit::Note;
use crate::store::policies::{self, Kept, first_matches, inbox};
use crate::store::retries::shadows::{self, Shadow};
use crate::store::retries::{self, Held, Plan};
use crate::store::{StoreError, decisions, events, origins, rules, shared_time};

/// Letters in one transaction.
const AT_ONCE: i64 = 500;

/// A policy that is asked, with its filter read.
struct Asked {
    kept: Kept,
    filter: LetterFilter,
}

/// What was done with letters.
#[derive(Default)]
struct Done {
    changed: Vec<LetterId>,
    exhausted: Vec<LetterId>,
}

/// Asks the policies of some letters; `false` when there were none.
pub(super) async fn step(scheduler: &Scheduler) -> Result<bool, StoreError> {
    if inbox::is_empty(&mut *scheduler.pool.acquire().await?).await? {
        return Ok(false);
    }
    let mut transaction = scheduler.pool.begin().await?;
    let conn = &mut *transaction;
    // So that no policy is removed while a try is planned for it.
    rules::hold(conn).await?;
    let now = shared_time(conn, &*scheduler.clock).await?;
    let asked: Vec<Asked> = policies::all(conn)
        .await?
        .into_iter()
        .filter(|kept| kept.policy.enabled)
        .filter_map(|kept| {
            let filter = kept.policy.condition().ok()?;
            Some(Asked { kept, filter })
        })
        .collect();
    let grouped = asked.iter().any(|policy| asks_for_groups(&policy.filter));
    let taken = inbox::take(conn, AT_ONCE, grouped, now).await?;
    if taken.is_empty() {
        transaction.rollback().await?;
        return Ok(false);
    }
    let held = retries::held(conn, &taken).await?;
    let done = ask(conn, &asked, held, now).await?;
    tell(conn, done).await?;
    transaction.commit().await?;
    Ok(true)
}

fn asks_for_groups(filter: &LetterFilter) -> bool {
    let mut asks = false;
    if let Some(root) = filter.root() {
        root.each_term(&mut |term| asks |= term.subject == Subject::Field(Field::Group));
    }
    asks
}

/// The first policy that matches a letter decides. One in shadow mode writes down what it would
/// do, and the next is asked.
async fn ask(
    conn: &mut PgConnection,
    policies: &[Asked],
    held: Vec<Held>,
    now: DateTime<Utc>,
) -> Result<Done, StoreError> {
    let mut done = Done::default();
    let mut left: BTreeMap<LetterId, Held> =
        held.into_iter().map(|held| (held.letter, held)).collect();
    for Asked { kept, filter } in policies {
        let ids: BTreeSet<LetterId> = left.keys().copied().collect();
        let found = first_matches(conn, filter, &ids, now).await?;
        let mine: Vec<Held> = found.iter().filter_map(|id| left.get(id)).copied().collect();
        if mine.is_empty() {
            continue;
        }
        if kept.policy.shadow {
            look(conn, kept, &mine, now).await?;
            continue;
        }
        left.retain(|id, _| !found.contains(id));
        carry_out(conn, kept, &mine, now, &mut done).await?;
    }
    Ok(done)
}

/// Writes down what a policy would do.
async fn look(
    conn: &mut PgConnection,
    kept: &Kept,
    mine: &[Held],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let letters: Vec<LetterId> = mine.iter().map(|held| held.letter).collect();
    // A try of these is refused when it is due.
    let refused = origins::claimed(conn, &letters).await?;
    let would = mine.iter().map(|held| {
        let shadow = match kept.policy.verdict {
            PolicyVerdict::Hold => Shadow::Hold,
            PolicyVerdict::Discard => Shadow::Discard,
            PolicyVerdict::Retry if refused.contains(&held.letter) => Shadow::Exhausted,
            PolicyVerdict::Retry => {
                match next_step(&kept.policy, held.letter, held.tries_made, now) {
                    Step::Retry { .. } => Shadow::Retry,
                    Step::Exhausted => Shadow::Exhausted,
                }
            }
        };
        (held.letter, shadow)
    });
    shadows::write(conn, kept.id, &would.collect::<Vec<_>>(), now).await
}

async fn carry_out(
    conn: &mut PgConnection,
    kept: &Kept,
    mine: &[Held],
    now: DateTime<Utc>,
    done: &mut Done,
) -> Result<(), StoreError> {
    match kept.policy.verdict {
        PolicyVerdict::Hold => Ok(()),
        PolicyVerdict::Discard => {
            let letters: Vec<LetterId> = mine.iter().map(|held| held.letter).collect();
            let note = Note {
                at: now,
                actor: &actor(kept),
                action: "letter.discard",
                detail: Some(&format!("by the retry policy `{}`", kept.policy.name)),
                replay: None,
            };
            let tally = decisions::change(conn, &letters, Change::Discard, note).await?;
            done.changed.extend(tally.changed);
            Ok(())
        }
        PolicyVerdict::Retry => schedule(conn, kept, mine, now, done).await,
    }
}

/// Plans the next try of each letter, or gives up on it.
async fn schedule(
    conn: &mut PgConnection,
    kept: &Kept,
    mine: &[Held],
    now: DateTime<Utc>,
    done: &mut Done,
) -> Result<(), StoreError> {
    let mut exhausted: BTreeMap<u32, Vec<LetterId>> = BTreeMap::new();
    let mut plans: BTreeMap<u32, Vec<Plan>> = BTreeMap::new();
    for held in mine {
        match next_step(&kept.policy, held.letter, held.tries_made, now) {
            Step::Retry { number, due_at } => {
                plans.entry(number).or_default().push(Plan { held: *held, number, due_at });
            }
            Step::Exhausted => {
                let letters = exhausted.entry(held.tries_made).or_default();
                letters.push(held.letter);
            }
        }
    }
    let actor = actor(kept);
    let note = |action| Note { at: now, actor: &actor, action, detail: None, replay: None };
    for (number, plans) in plans {
        let of = kept.policy.schedule.tries();
        let detail = format!("try {number} of {of}");
        let note = Note { detail: Some(&detail), ..note("letter.schedule") };
        retries::plan(conn, kept.id, &plans, note).await?;
        done.changed.extend(plans.iter().map(|plan| plan.held.letter));
    }
    for (tries, letters) in exhausted {
        let detail = match tries {
            1 => "1 try was made, and none is left".to_owned(),
            tries => format!("{tries} tries were made, and none is left"),
        };
        let note = Note { detail: Some(&detail), ..note("letter.exhausted") };
        retries::exhaust(conn, kept.id, &letters, note).await?;
        done.exhausted.extend(letters);
    }
    Ok(())
}

async fn tell(conn: &mut PgConnection, done: Done) -> Result<(), StoreError> {
    let Done { changed, exhausted } = done;
    if !changed.is_empty() {
        events::notify(conn, &LiveEvent::Changed { letters: changed }).await?;
    }
    if !exhausted.is_empty() {
        let letters = exhausted;
        events::notify(conn, &LiveEvent::Exhausted { letters }).await?;
    }
    events::notify(conn, &LiveEvent::Policies).await
}
