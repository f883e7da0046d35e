//! Writing down what a read of a vhost shows of origins.

use std::collections::BTreeSet;

use dlo_domain::topology::Map;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::topology::{self, Place};

/// Origins of one queue that are kept, at most, beside those that a read shows: queues with random names
/// come and go. Where there are more, all of those go.
const MOST_PAST: usize = 10_000;

/// Writes down which queues' dead letters come to the sources of a vhost. A queue that was deleted stays, since
/// its letters are there still; one that leads elsewhere goes.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note(
    conn: &mut PgConnection,
    place: Place<'_>,
    map: &Map<'_>,
) -> Result<(), StoreError> {
    let queues = sqlx::query!(
        r#"select s.queue, array(select k.origin from known_origins k
               where k.broker = $1 and k.vhost = $2 and k.queue = s.queue) as "origins!"
           from sources s where s.broker = $1 and s.vhost = $2 group by s.queue order by s.queue"#,
        place.broker,
        place.vhost,
    )
    .fetch_all(&mut *conn)
    .await?;
    for row in queues {
        let stored: BTreeSet<String> = row.origins.into_iter().collect();
        note_of(conn, place, &row.queue, (map, &stored)).await?;
    }
    Ok(())
}

async fn note_of(
    conn: &mut PgConnection,
    place: Place<'_>,
    queue: &str,
    (map, stored): (&Map<'_>, &BTreeSet<String>),
) -> Result<(), StoreError> {
    let shown = map.origins(queue);
    let new: Vec<String> = shown.difference(stored).cloned().collect();
    // What could not be known ends nothing, and to a queue that is gone nothing can lead.
    let tells = map.vhost.tells_routes() && map.queue(queue).is_some();
    let past: Vec<String> = stored.difference(&shown).cloned().collect();
    let are_too_many = past.len() > MOST_PAST;
    let over = |origin: &String| are_too_many || (tells && map.queue(origin).is_some());
    let over: Vec<String> = past.into_iter().filter(over).collect();
    if new.is_empty() && over.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "with over as (
             delete from known_origins
             where broker = $1 and vhost = $2 and queue = $3 and origin = any($5))
         insert into known_origins (broker, vhost, queue, origin)
         select $1, $2, $3, unnest($4::text[]) on conflict do nothing",
        place.broker,
        place.vhost,
        queue,
        &new,
        &over,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The same by what was last read of the vhost, for a source that is new.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn note_of_last_read(
    conn: &mut PgConnection,
    place: Place<'_>,
) -> Result<(), StoreError> {
    // What this version cannot read was written by a newer one: the next read tells.
    let Some(kept) = topology::one(conn, place).await.ok().flatten() else {
        return Ok(());
    };
    note(conn, place, &Map::of(&kept.vhost)).await
}
