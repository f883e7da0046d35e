//! What of letters is kept for searching.

use dlo_domain::decoding::BodyValues;
use dlo_domain::extract::Extract;
use dlo_domain::ids::LetterId;
use dlo_domain::relations::Relations;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{StoreError, texts};

/// An extract as Postgres takes it.
#[derive(Debug)]
pub struct Row {
    text: Option<String>,
    excerpt_bytes: Option<i32>,
    headers: String,
    body: Option<String>,
    body_is_json: bool,
    relations: Relations,
    /// The number of a schema that stands before the body and that nobody knows.
    pub(crate) unknown_schema: Option<u32>,
}

impl From<&Extract<'_>> for Row {
    fn from(extract: &Extract<'_>) -> Self {
        Self {
            text: extract.kept_text(),
            excerpt_bytes: extract.excerpt_bytes().and_then(|bytes| i32::try_from(bytes).ok()),
            headers: extract.headers.to_string(),
            body: extract.body.as_ref().and_then(BodyValues::written),
            body_is_json: extract.body.as_ref().is_some_and(BodyValues::are_in_body),
            relations: extract.relations.clone(),
            unknown_schema: extract.unknown_schema,
        }
    }
}

/// Stores the extracts of letters that may have older ones, in their place.
///
/// # Errors
/// Returns an error if a statement fails: then the transaction must be given up.
pub async fn replace(conn: &mut PgConnection, rows: &[(LetterId, &Row)]) -> Result<(), StoreError> {
    put(conn, rows).await?;
    let letters: Vec<LetterId> = rows.iter().map(|(id, _)| *id).collect();
    texts::index_again(conn, &letters).await
}

/// Stores the extracts of new letters.
///
/// # Errors
/// Returns an error if the statement fails: then the transaction must be given up.
pub async fn put(conn: &mut PgConnection, rows: &[(LetterId, &Row)]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = rows.iter().map(|(id, _)| id.0).collect();
    let texts: Vec<Option<&str>> = rows.iter().map(|(_, row)| row.text.as_deref()).collect();
    let excerpts: Vec<Option<i32>> = rows.iter().map(|(_, row)| row.excerpt_bytes).collect();
    let headers: Vec<&str> = rows.iter().map(|(_, row)| row.headers.as_str()).collect();
    let bodies: Vec<Option<&str>> = rows.iter().map(|(_, row)| row.body.as_deref()).collect();
    let are_json: Vec<bool> = rows.iter().map(|(_, row)| row.body_is_json).collect();
    let relations = |of: fn(&Relations) -> Option<&str>| -> Vec<Option<&str>> {
        rows.iter().map(|(_, row)| of(&row.relations)).collect()
    };
    sqlx::query!(
        "insert into extracts
             (letter_id, text, headers, body, correlation_id, trace_id, business_key, body_is_json,
              excerpt_bytes)
         select id, text, headers::jsonb, body::jsonb, correlation_id, trace_id, business_key,
             body_is_json, excerpt_bytes
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                 $7::text[], $8::boolean[], $9::integer[])
             as new (id, text, headers, body, correlation_id, trace_id, business_key, body_is_json,
                 excerpt_bytes)
         on conflict (letter_id) do update
         set text = excluded.text, headers = excluded.headers, body = excluded.body,
             correlation_id = excluded.correlation_id, trace_id = excluded.trace_id,
             business_key = excluded.business_key,
             body_is_json = excluded.body_is_json, excerpt_bytes = excluded.excerpt_bytes
         where (extracts.text, extracts.headers, extracts.body, extracts.correlation_id,
                 extracts.trace_id, extracts.business_key, extracts.body_is_json,
                 extracts.excerpt_bytes) is distinct from
             (excluded.text, excluded.headers, excluded.body, excluded.correlation_id,
                 excluded.trace_id, excluded.business_key, excluded.body_is_json,
                 excluded.excerpt_bytes)",
        &ids,
        &texts as &[Option<&str>],
        &headers as &[&str],
        &bodies as &[Option<&str>],
        &relations(|its| its.correlation_id.as_deref()) as &[Option<&str>],
        &relations(|its| its.trace.as_deref()) as &[Option<&str>],
        &relations(|its| its.business_key.as_deref()) as &[Option<&str>],
        &are_json,
        &excerpts as &[Option<i32>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a letter has in common with others; nothing where it is not read yet.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn relations(conn: &mut PgConnection, id: LetterId) -> Result<Relations, StoreError> {
    let found = sqlx::query_as!(
        Relations,
        "select correlation_id, trace_id as trace, business_key from extracts where letter_id = $1",
        id.0
    );
    Ok(found.fetch_optional(conn).await?.unwrap_or_default())
}

#[cfg(test)]
mod tests;
