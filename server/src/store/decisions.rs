//! A person's decisions on letters: one change for many of them, in the caller's transaction.

use std::collections::{BTreeMap, HashMap};

use dlo_domain::ids::LetterId;
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::{self, Note};
use super::{StoreError, replays, weeks};

/// What a change found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Letters that changed.
    pub changed: Vec<LetterId>,
    /// Letters that stood where the change is not allowed, by that state; those that do not
    /// exist under none.
    pub left_out: BTreeMap<Option<LetterState>, Vec<LetterId>>,
}

/// Locks letters in the order of their ids, which everybody keeps so that nobody waits in a
/// circle, and tells where they stand.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn lock(
    conn: &mut PgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, LetterState>, StoreError> {
    let (first, last) = weeks::span(ids);
    let rows = sqlx::query!(
        "select id, state from letters
         where id = any($1) and id between $2 and $3 order by id for update",
        ids,
        first,
        last
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| Ok((row.id, read_state(&row.state)?))).collect()
}

/// Reads a letter's state.
pub(super) fn read_state(word: &str) -> Result<LetterState, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("letters", "state", why))
}

/// Makes a change to every letter that allows it, with a line of audit for each.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn change(
    conn: &mut PgConnection,
    ids: &[LetterId],
    change: Change,
    note: Note<'_>,
) -> Result<Tally, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let found = lock(conn, &ids).await?;
    let mut tally = Tally::default();
    let mut to: BTreeMap<LetterState, Vec<Uuid>> = BTreeMap::new();
    for id in ids {
        let state = found.get(&id).copied();
        match state.map(|state| state.after(change)) {
            Some(Ok(after)) => to.entry(after).or_default().push(id),
            _ => tally.left_out.entry(state).or_default().push(LetterId(id)),
        }
    }
    for (state, ids) in to {
        set_state(conn, &ids, (change, state), note.detail).await?;
        audit::write_letters(conn, &ids, note).await?;
        tally.changed.extend(ids.into_iter().map(LetterId));
    }
    Ok(tally)
}

/// Moves letters that stand where the change is allowed; the others stay. Tells which moved. A
/// discard keeps its reason beside the letter.
pub(super) async fn set_state(
    conn: &mut PgConnection,
    ids: &[Uuid],
    (change, to): (Change, LetterState),
    reason: Option<&str>,
) -> Result<Vec<Uuid>, StoreError> {
    let from: Vec<String> =
        LetterState::allowing(change).into_iter().map(|state| state.as_str().to_owned()).collect();
    let (first, last) = weeks::span(ids);
    let moved = sqlx::query_scalar!(
        "update letters
         set state = $2,
             state_since = case when state = $2 then state_since else now() end,
             discard_reason = case when $2 = 'discarded' then $4 else discard_reason end
         where id = any($1) and id between $5 and $6 and state = any($3)
         returning id",
        ids,
        to.as_str(),
        &from,
        reason,
        first,
        last
    )
    .fetch_all(conn)
    .await?;
    Ok(moved)
}

/// A person's word on a letter whose publish was cut off. Its last replay keeps the word.
/// Tells the state that the letter was found in when the change is not allowed from there.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn decide_unknown(
    conn: &mut PgConnection,
    id: LetterId,
    was_published: bool,
    note: Note<'_>,
) -> Result<Tally, StoreError> {
    let declared =
        if was_published { Change::DeclarePublished } else { Change::DeclareUnpublished };
    let tally = change(conn, &[id], declared, note).await?;
    if !tally.changed.is_empty() {
        replays::outcomes::declare(conn, id, was_published, note).await?;
    }
    Ok(tally)
}

/// The receiver of a letter's replay reports success. It has seen the letter: one whose publish was cut off was
/// published.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn processed(
    conn: &mut PgConnection,
    id: LetterId,
    note: Note<'_>,
) -> Result<Tally, StoreError> {
    let published = Note { action: "letter.declare_published", ..note };
    change(conn, &[id], Change::DeclarePublished, published).await?;
    let tally = change(conn, &[id], Change::Settle, note).await?;
    if !tally.changed.is_empty() {
        replays::outcomes::processed(conn, id, note).await?;
    }
    Ok(tally)
}
