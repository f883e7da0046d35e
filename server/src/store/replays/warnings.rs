//! What warnings about the replay of letters are made from.

use chrono::{DateTime, Utc};
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{StoreError, weeks};

/// The names of the retry policies that have a try of these letters scheduled; the first 3.
///
/// # Errors
/// Returns an error if Postgres does not answer.
pub async fn policies_of(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<String>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let names = sqlx::query_scalar!(
        "select distinct p.name from retries r join retry_policies p on p.id = r.policy_id
         where r.letter_id = any($1) and r.state = 'waiting'
         order by p.name limit 3",
        &letters
    )
    .fetch_all(conn)
    .await?;
    Ok(names)
}

/// When a letter of the same groups as these came in last; `None` if they belong to no group yet. Looks at
/// 100 signatures of theirs and 300 of their groups.
///
/// # Errors
/// Returns an error if Postgres does not answer.
pub async fn last_death_alike(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Option<DateTime<Utc>>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let (first, last) = weeks::span(&letters);
    let newest = sqlx::query_scalar!(
        "with own as (
             select distinct signature from letters
             where id = any($1) and id between $2 and $3 and signature is not null limit 100
         ), alike as (
             select signature from own
             union
             select s.id from signatures s
             where s.group_id in (
                 select o.group_id from signatures o join own on own.signature = o.id)
             limit 300
         )
         select max(newest.last_arrived_at) from alike
         cross join lateral (
             select l.last_arrived_at from letters l where l.signature = alike.signature
             order by l.last_arrived_at desc limit 1) as newest",
        &letters,
        first,
        last
    )
    .fetch_one(conn)
    .await?;
    Ok(newest)
}
