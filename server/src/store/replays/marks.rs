//! The mark that is set before a publish begins: after a crash the letters under it are unknown, but those of
//! which more is known (`progress.rs`), and the others are still pending.
//!
//! A lane has one mark, which says from where to where its windows reach. All that is pending in
//! the lane between these positions may be on its way, and nothing else is.

use std::collections::HashSet;

use dlo_domain::ids::{LetterId, OfficeId, ReplayId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::outcomes::Seat;
use super::work::Lane;
use super::{ladder, progress, range};
use crate::store::{StoreError, weeks};

/// What became of the wish to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// The letters are marked: publish them, but these, which came back meanwhile. Another replay may have
    /// them by now.
    Except(HashSet<LetterId>),
    /// The replay does not run any more, or another office holds it: nothing is marked.
    NotOurs,
}

/// From where a mark reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// From the first of its letters, of which those up to this position may leave at once.
    Anew(i32),
    /// From this position of a letter that was marked before, and is not written down.
    Before(i32),
}

/// Marks letters of a lane as being published: all of its pending ones between the first and the
/// last of them, and those before them that are on their way too. This must be
/// committed before the first byte leaves. Letters are told that this replay has no longer. Nobody but the
/// office that holds the replay gives its pending items another outcome before they are published, so
/// nobody asks for those.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin_publish(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    lane: &Lane,
    (since, seats): (Since, &[Seat]),
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
    let positions: Vec<i32> = seats.iter().map(|seat| seat.position).collect();
    let (mut first, last) = range(&positions);
    match since {
        Since::Anew(sent_through) => progress::begin(conn, id, me, lane, sent_through).await?,
        Since::Before(position) => first = position,
    }
    sqlx::query!(
        "insert into replay_marks (replay_id, broker, vhost, first_position, last_position)
         values ($1, $2, $3, $4, $5)
         on conflict (replay_id, broker, vhost)
         do update set first_position = $4, last_position = $5",
        id.0,
        lane.broker,
        lane.vhost,
        first,
        last
    )
    .execute(&mut *conn)
    .await?;
    let letters: Vec<Uuid> = seats.iter().map(|seat| seat.letter.0).collect();
    let (first, last) = weeks::span(&letters);
    let back = sqlx::query_scalar!(
        "select id from letters
         where id = any($1) and id between $2 and $3
           and (state <> 'claimed' or claimed_by is distinct from $4)",
        &letters,
        first,
        last,
        id.0
    )
    .fetch_all(&mut *conn)
    .await?;
    let back: HashSet<LetterId> = back.into_iter().map(LetterId).collect();
    if let Some(ladder) = ladder {
        let sent = seats.iter().filter(|seat| !back.contains(&seat.letter));
        let sent: Vec<i32> = sent.map(|seat| seat.position).collect();
        ladder::stamp(conn, id, ladder, &sent).await?;
    }
    Ok(Begun::Except(back))
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
        "with marks as (
             delete from replay_marks where replay_id = $1 and broker = $2 and vhost = $3
               and exists (select 1 from replays where id = $1 and office_id = $4))
         delete from replay_progress where replay_id = $1 and broker = $2 and vhost = $3
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
    sqlx::query!(
        "with marks as (delete from replay_marks where replay_id = $1)
         delete from replay_progress where replay_id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A letter that was being published when the office that held the replay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOff {
    /// Its place in the replay.
    pub seat: Seat,
    /// Whether the broker had confirmed it, as its office noted.
    pub is_confirmed: bool,
}

/// Letters that were being published when the office that held the replay ended; that office notes nothing more.
/// One that the replay had no longer was not published.
///
/// # Errors
/// When Postgres does not do it.
pub async fn cut_off(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
) -> Result<Vec<CutOff>, StoreError> {
    progress::take_over(conn, id, me).await?;
    let rows = sqlx::query!(
        r#"select i.position, i.letter_id, coalesce(i.position <@ p.confirmed, false) as "is_confirmed!"
         from replay_marks m
         join replay_items i on i.replay_id = m.replay_id and i.broker = m.broker
             and i.vhost = m.vhost and i.position between m.first_position and m.last_position
         join letters l on l.id = i.letter_id
         left join replay_progress p on p.replay_id = m.replay_id and p.broker = m.broker
             and p.vhost = m.vhost
         where m.replay_id = $1 and i.outcome = 'pending'
             and l.state = 'claimed' and l.claimed_by = $1
             and (p.sent_through is null or i.position <= p.sent_through)
         order by i.position"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    let letters = rows.into_iter().map(|row| CutOff {
        seat: Seat { position: row.position, letter: LetterId(row.letter_id) },
        is_confirmed: row.is_confirmed,
    });
    Ok(letters.collect())
}
