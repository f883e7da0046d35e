//! Large bodies on their way into Postgres. A statement is encoded whole, and copied once more to be sent, so that
//! a body of 100 MB would be three times in memory: it is handed over in parts instead, and put together there.

use sqlx::PgConnection;
use uuid::Uuid;

use super::incoming::Incoming;
use crate::store::StoreError;

/// Bodies from here on are handed over in parts of this size, in bytes.
const PART_BYTES: usize = 1024 * 1024;

/// The body of a delivery as a statement takes it; `None` if it is uploaded.
pub(super) fn inline(incoming: &Incoming) -> Option<&[u8]> {
    let body = &incoming.delivered.body;
    (body.len() < PART_BYTES).then_some(body)
}

/// Uploads the large ones of these bodies, each under the id of its delivery.
///
/// # Errors
/// Returns an error if a query fails: then the transaction must be given up.
pub(super) async fn begin(
    conn: &mut PgConnection,
    incoming: &[&Incoming],
) -> Result<(), StoreError> {
    for one in incoming.iter().filter(|one| inline(one).is_none()) {
        for (part, bytes) in (0..).zip(one.delivered.body.chunks(PART_BYTES)) {
            sqlx::query!(
                "insert into body_parts (upload_id, part, bytes) values ($1, $2, $3)",
                one.letter_id.0,
                part,
                bytes
            )
            .execute(&mut *conn)
            .await?;
        }
    }
    Ok(())
}

/// Deletes what was uploaded, once the arrivals are written.
///
/// # Errors
/// Returns an error if a query fails: then the transaction must be given up.
pub(super) async fn end(conn: &mut PgConnection, incoming: &[&Incoming]) -> Result<(), StoreError> {
    let large = incoming.iter().filter(|one| inline(one).is_none());
    let uploads: Vec<Uuid> = large.map(|one| one.letter_id.0).collect();
    if uploads.is_empty() {
        return Ok(());
    }
    sqlx::query!("delete from body_parts where upload_id = any($1)", &uploads)
        .execute(conn)
        .await?;
    Ok(())
}
