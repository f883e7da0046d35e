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
    // Ids are picked first, by an index alone: Postgres takes a group for small, and would read all its letters.
    let rows = sqlx::query!(
        r#"select newest.source_id as "source_id!", src.name as "source!", newest.queue,
               newest.last_arrived_at as "last_arrived_at!"
           from (
               select s.id from signatures s where s.group_id = $1
               order by s.first_seen_at desc limit 10) as s
           cross join lateral (
               select l.id from letters l where l.signature = s.id
               order by l.last_arrived_at desc, l.id desc limit 200) as picked
           cross join lateral (
               select l.source_id, l.queue, l.last_arrived_at, l.shelf
               from letters l where l.id = picked.id offset 0) as newest
           join sources src on src.id = newest.source_id
           where newest.shelf = 'held' and newest.queue is not null"#,
        group.0,
    )
    .fetch_all(&mut *conn)
    .await?;
    let named = rows.iter().map(|row| NamedOrigin {
        source: SourceId(row.source_id),
        queue: row.queue.as_deref(),
        arrived_at: row.last_arrived_at,
    });
    let known = origins::known_of(conn, named.clone()).await?;
    let mut tally = ClaimTally::default();
    let claimed = rows.iter().zip(named);
    for (row, _) in claimed.filter(|(_, letter)| known.standing(*letter) == OriginStanding::Claimed)
    {
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
