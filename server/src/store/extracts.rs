//! What of letters is kept for searching.

use dlo_domain::extract::Extract;
use dlo_domain::ids::LetterId;
use dlo_domain::wire::FieldTable;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;
use super::letter_detail::read_json;
use super::letters::MOST_JUDGED_BYTES;

/// An extract as Postgres takes it.
#[derive(Debug)]
pub struct Row {
    text: String,
    headers: String,
    body: Option<String>,
}

impl From<&Extract> for Row {
    fn from(extract: &Extract) -> Self {
        Self {
            text: extract.text.clone(),
            headers: extract.headers.to_string(),
            body: extract.body.as_ref().map(Value::to_string),
        }
    }
}

/// Stores the extracts of letters, in the place of older ones.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn put(conn: &mut PgConnection, rows: &[(LetterId, &Row)]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = rows.iter().map(|(id, _)| id.0).collect();
    let texts: Vec<&str> = rows.iter().map(|(_, row)| row.text.as_str()).collect();
    let headers: Vec<&str> = rows.iter().map(|(_, row)| row.headers.as_str()).collect();
    let bodies: Vec<Option<&str>> = rows.iter().map(|(_, row)| row.body.as_deref()).collect();
    sqlx::query!(
        "insert into extracts (letter_id, text, headers, body)
         select id, text, headers::jsonb, body::jsonb
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
             as new (id, text, headers, body)
         on conflict (letter_id) do update
         set text = excluded.text, headers = excluded.headers, body = excluded.body,
             is_indexed = false",
        &ids,
        &texts as &[&str],
        &headers as &[&str],
        &bodies as &[Option<&str>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts at most `most` texts into the trigram index, and tells how many. Several offices can do
/// this at once.
///
/// # Errors
/// When Postgres does not do it.
pub async fn index_some(conn: &mut PgConnection, most: i64) -> Result<u64, StoreError> {
    let done = sqlx::query!(
        "update extracts set is_indexed = true
         where letter_id in (
             select letter_id from extracts where not is_indexed
             order by letter_id limit $1 for update skip locked)",
        most
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Whether no letter came in during the last seconds.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_calm(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let is_calm = sqlx::query_scalar!(
        r#"select not exists (
               select from letters where last_arrived_at > now() - interval '5 seconds'
           ) as "is_calm!""#
    )
    .fetch_one(conn)
    .await?;
    Ok(is_calm)
}

/// Makes the extracts of at most `most` letters that were stored before there were any, and tells
/// how many it took up. Several offices can do this at once.
///
/// # Errors
/// When Postgres does not do it.
pub async fn make_missing(conn: &mut PgConnection, most: i64) -> Result<usize, StoreError> {
    let letters = sqlx::query!(
        r#"with taken as (
               delete from letters_without_extract
               where letter_id in (
                   select letter_id from letters_without_extract limit $1 for update skip locked)
               returning letter_id)
           select l.id, l.error_message, a.headers, substring(a.body from 1 for $2) as "body!"
           from taken t
           join letters l on l.id = t.letter_id
           join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals"#,
        most,
        MOST_JUDGED_BYTES
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut rows = Vec::with_capacity(letters.len());
    for letter in letters {
        // A row that cannot be read must not keep the others from their turn.
        let headers = read_json("headers", letter.headers).unwrap_or_else(|error| {
            tracing::warn!(letter = %letter.id, %error, "its headers are not searched");
            FieldTable::default()
        });
        let extract = Extract::of(&headers, &letter.body, letter.error_message.as_deref());
        rows.push((LetterId(letter.id), Row::from(&extract)));
    }
    let rows: Vec<_> = rows.iter().map(|(id, row)| (*id, row)).collect();
    put(conn, &rows).await?;
    Ok(rows.len())
}

#[cfg(test)]
mod tests;
