//! Letters of a replay whose publish is unknown, and those of them that were found.

use std::collections::BTreeSet;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::state::Change;
use sqlx::PgConnection;
use uuid::Uuid;

use super::outcomes::move_counter;
use crate::store::audit::Note;
use crate::store::{StoreError, decisions, events};

/// Where unknown letters of a replay were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAt {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue; absent where they went to an exchange.
    pub queue: Option<String>,
    /// How many.
    pub letters: i64,
}

/// Where the unknown letters of a replay were sent, most letters first.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn unknown_at(
    conn: &mut PgConnection,
    id: ReplayId,
) -> Result<Vec<UnknownAt>, StoreError> {
    let all = sqlx::query_as!(
        UnknownAt,
        r#"select broker, vhost, queue, count(*) as "letters!" from replay_items
           where replay_id = $1 and outcome = 'unknown'
           group by broker, vhost, queue order by count(*) desc, broker, vhost, queue"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(all)
}

/// A message that names a letter and has its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundMessage {
    /// The letter.
    pub letter: LetterId,
    /// Which try of it.
    pub attempt: i32,
    /// The SHA-256 of the message's body.
    pub body_sha256: [u8; 32],
}

/// Confirms those unknown letters of a replay whose message was found in a queue that they were sent to. What
/// names a letter and has another body than that was sent is not its message. Tells how many.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn confirm_found(
    conn: &mut PgConnection,
    id: ReplayId,
    at: &UnknownAt,
    found: &[FoundMessage],
    note: Note<'_>,
) -> Result<usize, StoreError> {
    let letters: Vec<Uuid> = found.iter().map(|one| one.letter.0).collect();
    // Letters are locked before their items, and in the order of their ids, as everybody does it.
    let in_order: BTreeSet<Uuid> = letters.iter().copied().collect();
    decisions::lock(conn, &in_order.into_iter().collect::<Vec<_>>()).await?;
    let attempts: Vec<i32> = found.iter().map(|one| one.attempt).collect();
    let hashes: Vec<Vec<u8>> = found.iter().map(|one| one.body_sha256.to_vec()).collect();
    let rows = sqlx::query!(
        r#"update replay_items i set outcome = 'confirmed', detail = $5, at = $6
           from unnest($7::uuid[], $8::integer[], $9::bytea[]) as found (letter, attempt, hash)
           where i.replay_id = $1 and i.letter_id = found.letter and i.attempt = found.attempt
             and i.outcome = 'unknown'
             and i.broker = $2 and i.vhost = $3 and i.queue is not distinct from $4
             and case when i.changed
                 then exists (select from replay_bodies b where b.letter_id = i.letter_id
                     and b.replay_id = $1 and b.body_sha256 = found.hash)
                 else exists (select from arrivals a where a.letter_id = i.letter_id
                     and a.body_sha256 = found.hash) end
           returning i.letter_id, i.ladder,
               exists (select from letters l where l.id = i.letter_id
                   and l.claimed_by = $1) as "is_its_last!""#,
        id.0,
        at.broker,
        at.vhost,
        at.queue,
        note.detail,
        note.at,
        &letters,
        &attempts,
        &hashes
    )
    .fetch_all(&mut *conn)
    .await?;
    let sent_by: Vec<Option<i32>> = rows.iter().map(|row| row.ladder).collect();
    move_counter(conn, id, (Outcome::Unknown, Outcome::Confirmed), &sent_by).await?;
    // Another replay may have the letter since.
    let its_last = rows.iter().filter(|row| row.is_its_last);
    let its_last: Vec<LetterId> = its_last.map(|row| LetterId(row.letter_id)).collect();
    decisions::change(conn, &its_last, Change::DeclarePublished, note).await?;
    if !rows.is_empty() {
        events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
        let letters = rows.iter().map(|row| LetterId(row.letter_id)).collect();
        events::notify(conn, &LiveEvent::Changed { letters }).await?;
    }
    Ok(rows.len())
}
