//! Which sources have a mirror queue on their broker, so that none is left there for ever.

use chrono::{DateTime, Utc};
use dlo_domain::ids::SourceId;
use sqlx::PgConnection;

use super::StoreError;

/// A mirror queue that nobody needs any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The source that it was made for.
    pub source_id: SourceId,
    /// The broker's name.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue that it mirrored.
    pub queue: String,
    /// When it was last declared.
    pub made_at: DateTime<Utc>,
}

/// Notes that a mirror queue is declared for a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn note(
    conn: &mut PgConnection,
    id: SourceId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!("update sources set mirror_made_at = $2 where id = $1", id.0, now)
        .execute(conn)
        .await?;
    Ok(())
}

/// The mirror queues whose source was removed or takes now, and that no other source uses.
///
/// # Errors
/// When Postgres does not answer.
pub async fn leftovers(conn: &mut PgConnection) -> Result<Vec<Leftover>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, broker, vhost, queue, mirror_made_at as "made_at!"
           from sources s
           where mirror_made_at is not null and (removed_at is not null or mode <> 'mirror')
               and not exists (
                   select 1 from sources o
                   where o.broker = s.broker and o.vhost = s.vhost and o.queue = s.queue
                       and o.removed_at is null and o.mode = 'mirror')"#
    )
    .fetch_all(conn)
    .await?;
    let leftovers = rows.into_iter().map(|row| Leftover {
        source_id: SourceId(row.id),
        broker: row.broker,
        vhost: row.vhost,
        queue: row.queue,
        made_at: row.made_at,
    });
    Ok(leftovers.collect())
}

/// Notes that a mirror queue is gone, unless it was declared again meanwhile.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection, gone: &Leftover) -> Result<(), StoreError> {
    sqlx::query!(
        "update sources set mirror_made_at = null where id = $1 and mirror_made_at = $2",
        gone.source_id.0,
        gone.made_at
    )
    .execute(conn)
    .await?;
    Ok(())
}
