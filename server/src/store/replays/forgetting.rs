//! Forgetting replays that have been over for long, with what came of each of their letters, what
//! was sent, and the tries of retry policies that they were.
//!
//! A replay is kept as long as any of its letters is: a letter's page tells all of its replays, and a
//! letter that comes back is known by them. So nothing that waits for somebody, or is still watched,
//! loses its replay; and a replay whose letters are gone is forgotten whole.

use chrono::{DateTime, Utc};
use dlo_domain::ids::ReplayId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// How much one step looks at and removes.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Replays that are looked at.
    pub replays: i64,
    /// Letters of replays that are removed.
    pub items: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { replays: 200, items: 20_000 }
    }
}

/// A place in the order of forgetting: the replay that was looked at last, and when it was over.
pub type Place = (DateTime<Utc>, ReplayId);

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Replays that are gone.
    pub replays: u64,
    /// Where the next step begins; nothing when all were looked at.
    pub next: Option<Place>,
}

struct Over {
    id: Uuid,
    finished_at: DateTime<Utc>,
    total: i64,
}

/// Takes a step among the replays that were over before a time, from a place on. One whose letters
/// are more than a step removes loses the last of them first, and itself in a later step. In a
/// transaction of its own.
///
/// # Errors
/// When Postgres does not do it.
pub async fn step(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    after: Option<Place>,
    bounds: Bounds,
) -> Result<Forgotten, StoreError> {
    let looked = look(conn, before, after, bounds).await?;
    let Some(last) = looked.last() else {
        return Ok(Forgotten::default());
    };
    let next = Some((last.finished_at, ReplayId(last.id)));
    let gone = without_letters(conn, &looked).await?;
    if let ([large], [_]) = (&gone[..], &looked[..])
        && !remove_items(conn, *large, bounds.items).await?
    {
        // Not all of it yet.
        let next = after.or(Some((DateTime::UNIX_EPOCH, ReplayId(Uuid::nil()))));
        return Ok(Forgotten { replays: 0, next });
    }
    let replays = remove(conn, &gone).await?;
    Ok(Forgotten { replays, next })
}

/// Locks the next replays, as many as have no more letters than a step removes, but at least one.
/// Those that somebody else has locked are left for the next time.
async fn look(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    after: Option<Place>,
    bounds: Bounds,
) -> Result<Vec<Over>, StoreError> {
    let (at, id) = after.unwrap_or((DateTime::UNIX_EPOCH, ReplayId(Uuid::nil())));
    let mut found = sqlx::query_as!(
        Over,
        r#"select id, finished_at as "finished_at!", total from replays
           where finished_at < $1 and (finished_at, id) > ($2, $3)
           order by finished_at, id limit $4
           for update skip locked"#,
        before,
        at,
        id.0,
        bounds.replays
    )
    .fetch_all(conn)
    .await?;
    let mut letters = 0;
    let fitting = found.iter().take_while(|over| {
        letters += over.total;
        letters <= bounds.items
    });
    let fitting = fitting.count().max(1);
    found.truncate(fitting);
    Ok(found)
}

/// Those of the replays of whose letters none is there any more.
async fn without_letters(
    conn: &mut PgConnection,
    looked: &[Over],
) -> Result<Vec<Uuid>, StoreError> {
    let ids: Vec<Uuid> = looked.iter().map(|over| over.id).collect();
    let gone = sqlx::query_scalar!(
        r#"select id as "id!" from unnest($1::uuid[]) as over (id)
           where not exists (
               select from replay_items i join letters l on l.id = i.letter_id
               where i.replay_id = over.id)"#,
        &ids
    )
    .fetch_all(conn)
    .await?;
    Ok(gone)
}

/// Removes the last letters of a replay, with the tries that they were. Tells whether none is left.
async fn remove_items(conn: &mut PgConnection, id: Uuid, most: i64) -> Result<bool, StoreError> {
    let removed = sqlx::query_scalar!(
        r#"with gone as (
               delete from replay_items i using (
                   select position from replay_items where replay_id = $1
                   order by position desc limit $2) as last
               where i.replay_id = $1 and i.position = last.position
               returning i.letter_id),
           tries as (
               delete from retries r using gone
               where r.letter_id = gone.letter_id and r.replay_id = $1)
           select count(*) as "removed!" from gone"#,
        id,
        most
    )
    .fetch_one(conn)
    .await?;
    Ok(removed < most)
}

async fn remove(conn: &mut PgConnection, ids: &[Uuid]) -> Result<u64, StoreError> {
    sqlx::query!(
        "with gone as (
             delete from replay_items where replay_id = any($1) returning letter_id, replay_id)
         delete from retries r using gone
         where r.letter_id = gone.letter_id and r.replay_id = gone.replay_id",
        ids
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("delete from replay_bodies where replay_id = any($1)", ids)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("delete from replay_progress where replay_id = any($1)", ids)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("delete from replay_marks where replay_id = any($1)", ids)
        .execute(&mut *conn)
        .await?;
    let done = sqlx::query!("delete from replays where id = any($1)", ids).execute(conn).await?;
    Ok(done.rows_affected())
}

/// Removes tries that were planned before a time and never made, at most so many. Tells how many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_withdrawn(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    most: i64,
) -> Result<u64, StoreError> {
    let done = sqlx::query!(
        "delete from retries r using (
             select letter_id, ordinal from retries
             where state = 'withdrawn' and planned_at < $1
             order by planned_at limit $2 for update skip locked) as old
         where r.letter_id = old.letter_id and r.ordinal = old.ordinal",
        before,
        most
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

#[cfg(test)]
mod tests;
