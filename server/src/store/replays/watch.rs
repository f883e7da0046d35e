//! The watch after a replay: letters that did not come back for long are done.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use super::outcomes::move_counter;
use crate::store::audit::{self, Note};
use crate::store::letter_detail::read_outcome;
use crate::store::{StoreError, decisions, events};

/// Settles at most `most` letters that were replayed before `before` and have not come back.
/// Tells how many.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn settle(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    most: i64,
    now: DateTime<Utc>,
) -> Result<usize, StoreError> {
    let letters = lock_due(conn, before, most).await?;
    if letters.is_empty() {
        return Ok(0);
    }
    let rows = sqlx::query!(
        r#"with due as (
               select i.replay_id, i.position, i.letter_id, i.outcome
               from replay_items i
               join letters l on l.id = i.letter_id and l.claimed_by = i.replay_id
               where i.letter_id = any($1) and l.id = any($1)
           )
           update replay_items i
           set outcome = 'settled', at = $2
           from due
           where i.replay_id = due.replay_id and i.position = due.position
             and i.outcome in ('confirmed', 'unknown')
           returning i.replay_id, i.letter_id, i.ladder, due.outcome as "before!""#,
        &letters,
        now
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut sent_by: BTreeMap<(Uuid, &str), Vec<Option<i32>>> = BTreeMap::new();
    let mut settled = Vec::with_capacity(rows.len());
    for row in &rows {
        let alike = sent_by.entry((row.replay_id, &row.before)).or_default();
        alike.push(row.ladder);
        settled.push(row.letter_id);
    }
    resolve(conn, &settled, now).await?;
    for ((replay, before), sent_by) in sent_by {
        let change = (read_outcome(before)?, Outcome::Settled);
        move_counter(conn, ReplayId(replay), change, &sent_by).await?;
    }
    let letters = settled.into_iter().map(LetterId).collect();
    events::notify(conn, &LiveEvent::Changed { letters }).await?;
    Ok(rows.len())
}

/// Letters whose watch ran out, locked; those that somebody else has locked wait for next time.
async fn lock_due(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let letters = sqlx::query_scalar!(
        "select l.id from letters l
         where l.state = 'replayed' and l.id in (
             select r.id from letters r
             where r.shelf = 'away' and r.claimed_at < $1
               and r.state = 'replayed' and r.state_since < $1 and exists (
                   select from replay_items i
                   where i.letter_id = r.id and i.replay_id = r.claimed_by
                     and i.outcome in ('confirmed', 'unknown'))
             order by r.claimed_at limit $2
         )
         order by l.id
         for update skip locked",
        before,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(letters)
}

async fn resolve(
    conn: &mut PgConnection,
    letters: &[Uuid],
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let change = (Change::Settle, LetterState::Resolved);
    decisions::set_state(conn, letters, change, None).await?;
    let note = Note {
        at,
        actor: &Actor::office(),
        action: "letter.settle",
        detail: Some("It did not come back while it was watched."),
        replay: None,
    };
    audit::write_letters(conn, letters, note).await
}
