//! The messages that letters arrived with.

use dlo_domain::ids::LetterId;
use dlo_domain::wire::{FieldTable, Properties};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::work::NextItem;
use crate::store::{StoreError, weeks};

/// The message of a letter's last arrival.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The letter.
    pub letter: LetterId,
    /// Its properties.
    pub properties: Properties,
    /// Its headers.
    pub headers: FieldTable,
    /// Its body.
    pub body: Vec<u8>,
}

/// The messages of items' last arrivals, of which the items tell the ordinals: so each is one look
/// into the primary key.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn last(conn: &mut PgConnection, items: &[NextItem]) -> Result<Vec<Message>, StoreError> {
    let letters: Vec<Uuid> = items.iter().map(|item| item.seat.letter.0).collect();
    let ordinals: Vec<i32> = items.iter().map(|item| item.ordinal).collect();
    let (first, last) = weeks::span(&letters);
    let rows = sqlx::query!(
        r#"select a.letter_id, a.properties as "properties: Json<Properties>",
                  a.headers as "headers: Json<FieldTable>", a.body
           from unnest($1::uuid[], $2::integer[]) as wanted (letter_id, ordinal)
           join arrivals a on a.letter_id = wanted.letter_id and a.ordinal = wanted.ordinal
           where a.letter_id between $3 and $4"#,
        &letters,
        &ordinals,
        first,
        last
    )
    .fetch_all(conn)
    .await?;
    let messages = rows.into_iter().map(|row| Message {
        letter: LetterId(row.letter_id),
        properties: row.properties.0,
        headers: row.headers.0,
        body: row.body,
    });
    Ok(messages.collect())
}

/// Properties and headers of the last arrivals of letters.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn heads(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<(Properties, FieldTable)>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select a.properties as "properties: Json<Properties>",
                  a.headers as "headers: Json<FieldTable>"
           from unnest($1::uuid[]) as wanted (id)
           cross join lateral (
               select properties, headers from arrivals
               where letter_id = wanted.id order by ordinal desc limit 1
           ) a"#,
        &letters
    )
    .fetch_all(conn)
    .await?;
    let heads = rows.into_iter();
    Ok(heads.map(|row| (row.properties.0, row.headers.0)).collect())
}
