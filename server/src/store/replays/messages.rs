//! The messages that letters arrived with.

use dlo_domain::ids::LetterId;
use dlo_domain::wire::{FieldTable, Properties};
use sqlx::PgConnection;
use uuid::Uuid;

use super::work::NextItem;
use crate::store::letter_detail::read_headers;
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

/// The messages of items.
#[derive(Debug, Default)]
pub struct Messages {
    /// Those that can be read.
    pub readable: Vec<Message>,
    /// The others, which must not hold them up.
    pub unreadable: Vec<UnreadableMessage>,
}

/// A message that is stored and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableMessage {
    /// The letter.
    pub letter: LetterId,
    /// What the reader said.
    pub why: String,
}

/// The messages of items' last arrivals, of which the items tell the ordinals: so each is one look
/// into the primary key.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn last(conn: &mut PgConnection, items: &[NextItem]) -> Result<Messages, StoreError> {
    let letters: Vec<Uuid> = items.iter().map(|item| item.seat.letter.0).collect();
    let ordinals: Vec<i32> = items.iter().map(|item| item.ordinal).collect();
    let (first, last) = weeks::span(&letters);
    let rows = sqlx::query!(
        r#"select a.letter_id, a.properties::text as "properties!",
                  a.headers::text as "headers!", a.body
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
    let mut messages = Messages::default();
    for row in rows {
        let letter = LetterId(row.letter_id);
        match read_head(&row.properties, &row.headers) {
            Ok(head) => messages.readable.push(Message {
                letter,
                properties: head.properties,
                headers: head.headers,
                body: row.body,
            }),
            Err(why) => messages.unreadable.push(UnreadableMessage {
                letter,
                why: why.to_string(),
            }),
        }
    }
    Ok(messages)
}

/// Properties and headers of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHead {
    /// Its properties.
    pub properties: Properties,
    /// Its headers.
    pub headers: FieldTable,
}

fn read_head(properties: &str, headers: &str) -> Result<MessageHead, StoreError> {
    let corrupt = |why| StoreError::corrupt("arrivals", "properties", why);
    Ok(MessageHead {
        properties: serde_json::from_str(properties).map_err(corrupt)?,
        headers: read_headers(headers)?,
    })
}

/// Properties and headers of the last arrivals of letters. Those that cannot be read are left out.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn heads(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<MessageHead>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select a.properties::text as "properties!", a.headers::text as "headers!"
           from unnest($1::uuid[]) as wanted (id)
           cross join lateral (
               select properties, headers from arrivals
               where letter_id = wanted.id order by ordinal desc limit 1
           ) a"#,
        &letters
    )
    .fetch_all(conn)
    .await?;
    let heads = rows.iter();
    Ok(heads
        .filter_map(|row| read_head(&row.properties, &row.headers).ok())
        .collect())
}
