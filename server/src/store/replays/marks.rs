//! The mark that is set before a publish begins: after a crash the letters under it are unknown, and
//! the others are still pending.
//!
//! A lane has one mark, which says from where to where its window reaches. All that is pending in
//! the lane between these positions may be on its way, and nothing else is.

use dlo_domain::ids::{OfficeId, ReplayId};
use sqlx::PgConnection;

use super::work::Lane;
use super::{ladder, range};
use crate::store::StoreError;

/// What became of the wish to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// The letters at these positions are marked: publish them, and them only.
    These(Vec<i32>),
    /// The replay does not run any more, or another office holds it: nothing is marked.
    NotOurs,
}

/// Marks letters of a lane as being published: all of its pending ones between the first and the
/// last of them, and from `since` on when letters before them are on their way too. This must be
/// committed before the first byte leaves. A letter that is no longer claimed, because it came back
/// meanwhile, is not among those that are told. (`state || ''`: see `decisions::set_state`.)
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin_publish(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    lane: &Lane,
    (since, positions): (Option<i32>, &[i32]),
) -> Result<Begun, StoreError> {
    // Whoever takes the replay over, pauses or cancels it locks the row for itself: it waits for this
    // lock, and then sees the mark. Who only counts in it does not wait.
    let ladder = sqlx::query_scalar!(
        r#"select case when canary is not null then ladder end as "ladder?"
         from replays where id = $1 and office_id = $2 and state = 'running'
         for key share"#,
        id.0,
        me.0
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(ladder) = ladder else {
        return Ok(Begun::NotOurs);
    };
    let (first, last) = range(positions);
    sqlx::query!(
        "insert into replay_marks (replay_id, broker, vhost, first_position, last_position)
         values ($1, $2, $3, $4, $5)
         on conflict (replay_id, broker, vhost)
         do update set first_position = $4, last_position = $5",
        id.0,
        lane.broker,
        lane.vhost,
        since.unwrap_or(first),
        last
    )
    .execute(&mut *conn)
    .await?;
    let mut marked = sqlx::query_scalar!(
        "select i.position from replay_items i
         join letters l on l.id = i.letter_id
         where i.replay_id = $1 and i.position = any($2)
           and i.outcome = 'pending' and l.state || '' = 'claimed'",
        id.0,
        positions
    )
    .fetch_all(&mut *conn)
    .await?;
    marked.sort_unstable();
    if let Some(ladder) = ladder {
        ladder::stamp(conn, id, ladder, &marked).await?;
    }
    Ok(Begun::These(marked))
}

/// Takes the mark of a lane away: nothing of it is on its way. An office that does not hold the replay
/// any more takes nothing away: the mark may be another's.
///
/// # Errors
/// When Postgres does not do it.
pub async fn clear(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    lane: &Lane,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from replay_marks where replay_id = $1 and broker = $2 and vhost = $3
           and exists (select 1 from replays where id = $1 and office_id = $4)",
        id.0,
        lane.broker,
        lane.vhost,
        me.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the marks of all lanes away.
///
/// # Errors
/// When Postgres does not do it.
pub async fn clear_all(conn: &mut PgConnection, id: ReplayId) -> Result<(), StoreError> {
    sqlx::query!("delete from replay_marks where replay_id = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Positions of letters that were being published when the office that held the replay ended.
///
/// # Errors
/// When Postgres does not do it.
pub async fn cut_off(conn: &mut PgConnection, id: ReplayId) -> Result<Vec<i32>, StoreError> {
    let positions = sqlx::query_scalar!(
        "select i.position from replay_marks m
         join replay_items i on i.replay_id = m.replay_id and i.broker = m.broker
             and i.vhost = m.vhost and i.position between m.first_position and m.last_position
         where m.replay_id = $1 and i.outcome = 'pending'
         order by i.position",
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(positions)
}
