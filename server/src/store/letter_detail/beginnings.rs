//! How several letters begin: their last bodies and stack traces.

use std::collections::HashMap;

use dlo_domain::decoding::BodyHead;
use dlo_domain::ids::LetterId;
use dlo_domain::payload::{BodyPart, BodyRange};
use dlo_domain::wire::Properties;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::{StoredBody, headers_of_body};
use crate::store::StoreError;

/// How a letter begins.
#[derive(Debug)]
pub struct Beginning {
    /// The beginning of its last body.
    pub body: StoredBody,
    /// Its stack trace, when something tells one.
    pub stack_trace: Option<String>,
}

/// How letters begin, each with so much of its body; those that are gone are left out.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn beginnings(
    conn: &mut PgConnection,
    ids: &[Uuid],
    range: BodyRange,
) -> Result<HashMap<LetterId, Beginning>, StoreError> {
    // Ids that the planner sees, it plans for each time anew.
    let rows = sqlx::query!(
        r#"select l.id, l.stack_trace, a.ordinal, a.bytes as "bytes!", a.size_bytes as "size_bytes!",
                  a.body_sha256, a.properties as "properties: Json<Properties>", a.headers as "headers!"
           from letters l
           cross join lateral (
               select a.ordinal, substring(a.body from $2 for $3) as bytes,
                      octet_length(a.body)::bigint as size_bytes, a.body_sha256, a.properties,
                      a.headers::text as headers
               from arrivals a where a.letter_id = l.id order by a.ordinal desc limit 1) as a
           where l.id = any((select $1::uuid[])::uuid[])"#,
        ids,
        i32::try_from(range.from).unwrap_or(i32::MAX).saturating_add(1),
        i32::try_from(range.most).unwrap_or(i32::MAX),
    )
    .fetch_all(conn)
    .await?;
    let begins = rows.into_iter().map(|row| {
        let part = BodyPart {
            ordinal: row.ordinal,
            size_bytes: row.size_bytes,
            sha256: row.body_sha256,
            bytes: row.bytes,
        };
        let head = BodyHead::of(row.properties.0, headers_of_body(&row.headers));
        let body = StoredBody { part, head };
        (LetterId(row.id), Beginning { body, stack_trace: row.stack_trace })
    });
    Ok(begins.collect())
}
