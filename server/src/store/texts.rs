//! The texts of letters in their index, and the queue of those that are not there yet. Each letter stands in one of both,
//! and where its text changes it goes back into the queue. The index has a piece of a long text; searches read the rest.

use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;
use super::weeks::span;

/// What of a letter's text the index has, beside the error message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedParts {
    /// Whether it has the values of its headers.
    pub headers: bool,
    /// How many bytes of its body, at most.
    pub body_bytes: i32,
}

impl Default for IndexedParts {
    /// The headers, and the first KiB of the body.
    fn default() -> Self {
        Self { headers: true, body_bytes: 1_024 }
    }
}

/// Puts the texts of about so many letters into the index, those that wait longest, and returns how many. Several offices
/// can do this at once.
///
/// # Errors
/// Returns an error if a statement fails: then the transaction must be given up.
pub async fn index_some(
    conn: &mut PgConnection,
    letters: i64,
    parts: IndexedParts,
) -> Result<u64, StoreError> {
    let taken = take(conn, letters).await?;
    if taken.is_empty() {
        return Ok(0);
    }
    take_many_at_once(conn).await?;
    // Whoever changes what is kept of a letter waits until this is done, and sees what was done. These are read by the
    // next statement, which sees what was changed before.
    let locked = sqlx::query_scalar!(
        "select x.letter_id from unnest($1::uuid[]) as due (id)
         cross join lateral (
             select letter_id from extracts where letter_id = due.id for share skip locked) as x",
        &taken
    )
    .fetch_all(&mut *conn)
    .await?;
    if locked.len() < taken.len() {
        put_back(conn, &taken, &locked).await?;
    }
    let indexed = sqlx::query!(
        "insert into texts (letter_id, text, is_whole)
         select due.id, found.text, found.is_whole from unnest($1::uuid[]) as due (id)
         cross join lateral (
             select piece.text, piece.is_whole
             from extracts x join letters l on l.id = due.id
             left join arrivals a on a.letter_id = due.id and a.ordinal = l.arrivals
             cross join lateral indexed_text(
                 x.headers, x.text, l.error_message, a.body, x.excerpt_bytes, $2, $3) as piece
             where x.letter_id = due.id offset 0) as found
         on conflict (letter_id) do update
         set text = excluded.text, is_whole = excluded.is_whole",
        &locked,
        parts.headers,
        parts.body_bytes
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "select gin_clean_pending_list(relid) from pg_partition_tree('texts_by_trigram') where isleaf"
    )
    .fetch_all(conn)
    .await?;
    Ok(indexed.rows_affected())
}

/// Has the index take what comes in this transaction all at once, which is a third faster than in parts of 4 MB.
async fn take_many_at_once(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("select set_config('gin_pending_list_limit', '512MB', true)")
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Takes letters out of the queue.
async fn take(conn: &mut PgConnection, letters: i64) -> Result<Vec<Uuid>, StoreError> {
    let taken = sqlx::query_scalar!(
        r#"with first as (
               select number, letter_ids from unindexed_letters
               order by number limit 200 for update skip locked),
           so_far as (
               select number, sum(cardinality(letter_ids)) over (order by number)
                   - cardinality(letter_ids) as letters
               from first),
           taken as (
               delete from unindexed_letters q using so_far
               where q.number = so_far.number and so_far.letters < $1
               returning q.letter_ids)
           select unnest(letter_ids) as "id!" from taken"#,
        letters
    )
    .fetch_all(conn)
    .await?;
    Ok(taken)
}

/// Has those that others are changing wait again; some may be gone.
async fn put_back(
    conn: &mut PgConnection,
    taken: &[Uuid],
    locked: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query!(
        r#"select queue_texts(array(
               select letter_id from extracts
               where letter_id = any($1) and letter_id <> all($2))) as "done: ()""#,
        taken,
        locked
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the texts of letters out of the index that are others now, and has them indexed again. The extracts of these
/// letters must have been written in this transaction.
///
/// # Errors
/// Returns an error if the statement fails: then the transaction must be given up.
pub async fn index_again(conn: &mut PgConnection, letters: &[LetterId]) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = letters.iter().map(|letter| letter.0).collect();
    let (first, last) = span(&ids);
    // Of what is not in the index it is known that it waits.
    sqlx::query!(
        r#"with gone as (
               delete from texts t using unnest($1::uuid[]) as changed (id)
               where t.letter_id = changed.id and t.letter_id between $2 and $3
                   and (not t.is_whole or t.text is distinct from (
                       select letter_text(x.headers, x.text, l.error_message, a.body, x.excerpt_bytes)
                       from extracts x join letters l on l.id = changed.id
                       left join arrivals a on a.letter_id = changed.id and a.ordinal = l.arrivals
                       where x.letter_id = changed.id offset 0))
               returning t.letter_id)
           select queue_texts(array(select letter_id from gone)) as "done: ()""#,
        &ids,
        first,
        last
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the index has a part only of any letter's text.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn are_in_part(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let are_in_part = sqlx::query_scalar!(r#"select has_texts_in_part() as "are_in_part!""#);
    Ok(are_in_part.fetch_one(conn).await?)
}

/// How many letters arrived during the last so many seconds.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn arrived_within(conn: &mut PgConnection, seconds: f64) -> Result<u64, StoreError> {
    let arrived = sqlx::query_scalar!(
        r#"select count(*) as "arrived!" from letters
           where last_arrived_at > now() - $1 * interval '1 second'"#,
        seconds
    )
    .fetch_one(conn)
    .await?;
    Ok(arrived.unsigned_abs())
}

#[cfg(test)]
mod tests;
