//! The letters of a group whose origin only the message itself claims.

use dlo_domain::ids::{GroupId, SourceId};
use dlo_domain::replay::{ClaimTally, ClaimedOrigins, ClaimedPlace};
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::origins::{self, NamedOrigin, OriginStanding};

/// Those of the newest letters of a group that are held and whose origin is claimed; `None` where there are none.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub(super) async fn of_group(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<ClaimedOrigins>, StoreError> {
    // Ids are picked first, by an index alone: Postgres takes a group for small, and would read all its letters. A limit
    // that it cannot see keeps it from sorting the ids of all of them, too.
    let rows = sqlx::query!(
        r#"select newest.source_id as "source_id!", src.name as "source!", newest.queue,
               array_agg(newest.last_arrived_at) as "arrived_at!"
           from (
               select s.id from signatures s where s.group_id = $1
               order by s.first_seen_at desc limit 10) as s
           cross join lateral (
               select l.id from letters l where l.signature = s.id
               order by l.last_arrived_at desc, l.id desc limit (select 200)) as picked
           cross join lateral (
               select l.source_id, l.queue, l.last_arrived_at, l.shelf
               from letters l where l.id = picked.id offset 0) as newest
           join sources src on src.id = newest.source_id
           where newest.shelf = 'held' and newest.queue is not null
           group by newest.source_id, src.name, newest.queue"#,
        group.0,
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut named = Vec::new();
    for row in &rows {
        let (source, queue) = (SourceId(row.source_id), row.queue.as_deref());
        let letters = row.arrived_at.iter().copied();
        named.extend(letters.map(|arrived_at| (row, NamedOrigin { source, queue, arrived_at })));
    }
    let known = origins::known_of(conn, named.iter().map(|(_, letter)| *letter)).await?;
    named.retain(|(_, letter)| known.standing(*letter) == OriginStanding::Claimed);
    let mut tally = ClaimTally::default();
    for (row, _) in named {
        tally.add(ClaimedPlace {
            source_id: SourceId(row.source_id),
            source: row.source.clone(),
            queue: row.queue.clone(),
            exchange: None,
            routing_key: None,
        });
    }
    Ok(tally.into_claimed(false))
}
