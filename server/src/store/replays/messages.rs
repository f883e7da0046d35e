//! The messages that letters arrived with.

use dlo_domain::ids::LetterId;
use dlo_domain::payload::bytes_at_a_time;
use dlo_domain::wire::{FieldTable, Properties};
use futures_util::TryStreamExt as _;
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
    /// Whether it is what was inside of the letter's envelope.
    pub is_opened: bool,
}

/// A body from here on is read in parts, in bytes: what Postgres sends is in memory twice.
const LARGE_BYTES: i32 = 1024 * 1024;

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
        r#"select a.letter_id, a.ordinal, a.properties::text as "properties!",
                  a.headers::text as "headers!",
                  case when octet_length(a.body) < $5 then a.body end as body,
                  octet_length(a.body) as "size!"
           from unnest($1::uuid[], $2::integer[]) as wanted (letter_id, ordinal)
           join arrivals a on a.letter_id = wanted.letter_id and a.ordinal = wanted.ordinal
           where a.letter_id between $3 and $4"#,
        &letters,
        &ordinals,
        first,
        last,
        LARGE_BYTES
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut messages = Messages::default();
    for row in rows {
        let letter = LetterId(row.letter_id);
        let head = match read_head(&row.properties, &row.headers) {
            Ok(head) => head,
            Err(why) => {
                messages.unreadable.push(UnreadableMessage { letter, why: why.to_string() });
                continue;
            }
        };
        let body = match row.body {
            Some(body) => Some(body),
            None => large_body(conn, letter, row.ordinal, row.size).await?,
        };
        // One whose body is gone has no message.
        messages.readable.extend(body.map(|body| Message {
            letter,
            properties: head.properties,
            headers: head.headers,
            body,
            is_opened: false,
        }));
    }
    Ok(messages)
}

/// A body, read part after part; nothing if it is removed meanwhile.
async fn large_body(
    conn: &mut PgConnection,
    letter: LetterId,
    ordinal: i32,
    size: i32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let part_bytes = bytes_at_a_time(u32::try_from(size).unwrap_or_default());
    let part_bytes = i32::try_from(part_bytes).unwrap_or(i32::MAX);
    let size = usize::try_from(size).unwrap_or_default();
    let mut body = Vec::with_capacity(size);
    while body.len() < size {
        let part = sqlx::query_scalar!(
            r#"select substring(body from $3 for $4) as "bytes!"
               from arrivals where letter_id = $1 and ordinal = $2"#,
            letter.0,
            ordinal,
            i32::try_from(body.len() + 1).unwrap_or(i32::MAX),
            part_bytes
        )
        .fetch_optional(&mut *conn)
        .await?;
        match part {
            Some(part) if !part.is_empty() => body.extend_from_slice(&part),
            _ => return Ok(None),
        }
    }
    Ok(Some(body))
}

/// Properties and headers of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHead {
    /// Its properties.
    pub properties: Properties,
    /// Its headers.
    pub headers: FieldTable,
}

/// Properties and headers of one arrival; `None` if it is gone.
///
/// # Errors
/// Returns an error if the query fails, or they cannot be read.
pub async fn head(
    conn: &mut PgConnection,
    letter: LetterId,
    ordinal: i32,
) -> Result<Option<MessageHead>, StoreError> {
    let row = sqlx::query!(
        r#"select properties::text as "properties!", headers::text as "headers!"
           from arrivals where letter_id = $1 and ordinal = $2"#,
        letter.0,
        ordinal
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| read_head(&row.properties, &row.headers)).transpose()
}

pub(super) fn read_head(properties: &str, headers: &str) -> Result<MessageHead, StoreError> {
    let corrupt = |why| StoreError::corrupt("arrivals", "properties", why);
    Ok(MessageHead {
        properties: serde_json::from_str(properties).map_err(corrupt)?,
        headers: read_headers(headers)?,
    })
}

/// Shows the properties and headers of the last arrivals of letters, one after the other: those of many letters
/// could be more than fits into memory. Those that cannot be read are left out.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn each_head(
    conn: &mut PgConnection,
    letters: &[LetterId],
    mut look: impl FnMut(&Properties, &FieldTable),
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let mut rows = sqlx::query!(
        r#"select a.properties::text as "properties!", a.headers::text as "headers!"
           from unnest($1::uuid[]) as wanted (id)
           cross join lateral (
               select properties, headers from arrivals
               where letter_id = wanted.id order by ordinal desc limit 1
           ) a"#,
        &letters
    )
    .fetch(conn);
    while let Some(row) = rows.try_next().await? {
        if let Ok(head) = read_head(&row.properties, &row.headers) {
            look(&head.properties, &head.headers);
        }
    }
    Ok(())
}
