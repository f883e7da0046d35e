//! Letters of which the policies are still to be asked.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::{LetterId, ReplayId};
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use crate::clock::Clock;
use crate::store::StoreError;
use crate::store::filter::Matching;

/// How long a letter waits for its group, when a policy asks for groups.
const GROUPED_WITHIN: TimeDelta = TimeDelta::seconds(10);

/// An arrival of which policies are to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The letter.
    pub letter: LetterId,
    /// The replay that it came back from.
    pub replay: Option<ReplayId>,
}

/// A letter that was taken out of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The letter.
    pub letter: LetterId,
    /// The replay that it came back from.
    pub replay: Option<ReplayId>,
    /// A person asks for it to be tried as if it were new.
    pub is_anew: bool,
}

/// Puts arrivals into the inbox, by the clock that all offices share.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    asked: &[Asked],
) -> Result<(), StoreError> {
    if asked.is_empty() {
        return Ok(());
    }
    let letters: Vec<Uuid> = asked.iter().map(|one| one.letter.0).collect();
    let replays: Vec<Option<Uuid>> = asked.iter().map(|one| one.replay.map(|id| id.0)).collect();
    sqlx::query!(
        "insert into policy_inbox (letter_id, replay_id, arrived_at)
         select letter, replay, coalesce($3, clock_timestamp())
         from unnest($1::uuid[], $2::uuid[]) as asked (letter, replay)",
        &letters,
        &replays as &[Option<Uuid>],
        clock.shared(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts letters into the inbox of which a try could not be published, so that their next one is planned or they
/// are given up on. Nothing when a person made the replay, or cancelled it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put_failed(
    conn: &mut PgConnection,
    replay: ReplayId,
    letters: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into policy_inbox (letter_id, replay_id, arrived_at)
         select letter, r.id, clock_timestamp() from replays r, unnest($2::uuid[]) as failed (letter)
         where r.id = $1 and r.policy_id is not null and r.state <> 'cancelled'",
        replay.0,
        letters,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts the held letters that match into the inbox, to be tried as if they were new. Tells how many.
///
/// # Errors
/// When Postgres does not do it, or not in time.
pub async fn put_held(
    conn: &mut PgConnection,
    matching: &Matching,
    now: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let mut sql = QueryBuilder::new(
        "insert into policy_inbox (letter_id, is_anew, arrived_at) select l.id, true, ",
    );
    sql.push_bind(now).push(" from letters l where l.shelf = 'held' and ");
    matching.write(&mut sql);
    sql.push(" order by l.id");
    let done = sql.build().persistent(false).execute(conn).await?;
    Ok(done.rows_affected())
}

/// Whether there is nothing to ask about.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_empty(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let is_empty =
        sqlx::query_scalar!(r#"select not exists (select from policy_inbox) as "is_empty!""#)
            .fetch_one(conn)
            .await?;
    Ok(is_empty)
}

/// Takes letters out of the inbox, the first ones first; those that another office takes are left
/// to it. With `grouped` a letter waits a little for its group.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    most: i64,
    grouped: bool,
    now: DateTime<Utc>,
) -> Result<Vec<Taken>, StoreError> {
    let rows = sqlx::query!(
        "delete from policy_inbox where id in (
             select i.id from policy_inbox i
             where not $2 or i.arrived_at < $3 or exists (
                 select from letters l join signatures s on s.id = l.signature
                 where l.id = i.letter_id and s.group_id is not null)
             order by i.id limit $1 for update of i skip locked)
         returning letter_id, replay_id, is_anew",
        most,
        grouped,
        now - GROUPED_WITHIN,
    )
    .fetch_all(conn)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| Taken {
            letter: LetterId(row.letter_id),
            replay: row.replay_id.map(ReplayId),
            is_anew: row.is_anew,
        })
        .collect())
}
