//! Bodies that replays send in place of those that letters arrived with: what they are made from,
//! how they are frozen, and what was sent.

use chrono::{DateTime, Utc};
use dlo_domain::changing::SentMark;
use dlo_domain::decoding::BodyHead;
use dlo_domain::ids::{LetterId, ReplayId};
use futures_util::TryStreamExt as _;
use serde::Serialize;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letter_detail::headers_of_body;
use crate::store::replays::messages::{MessageHead, read_head};

/// The body of a letter's last arrival, to be changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Original {
    /// The letter.
    pub letter: LetterId,
    /// Which arrival.
    pub ordinal: i32,
    /// What its sender says of it.
    pub head: BodyHead,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// A body that is sent in place of the arrival's.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// The letter.
    pub letter: LetterId,
    /// The arrival that it was made from.
    pub ordinal: i32,
    /// Its bytes.
    pub body: Vec<u8>,
    /// In place of the arrival's content type.
    pub content_type: Option<String>,
    /// In place of all of the arrival's properties and headers.
    pub head: Option<MessageHead>,
}

/// How large the body of a letter's last arrival is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The letter.
    pub letter: LetterId,
    /// Which arrival.
    pub ordinal: i32,
    /// Its bytes.
    pub bytes: i64,
}

/// The sizes of the last arrivals' bodies, in the order of ids.
///
/// # Errors
/// When Postgres does not do it.
pub async fn sizes(conn: &mut PgConnection, letters: &[LetterId]) -> Result<Vec<Size>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "select id, arrivals, size_bytes from letters where id = any($1) order by id",
        &letters
    )
    .fetch_all(conn)
    .await?;
    let sizes = rows.into_iter().map(|row| Size {
        letter: LetterId(row.id),
        ordinal: row.arrivals,
        bytes: row.size_bytes,
    });
    Ok(sizes.collect())
}

/// The bodies of the last arrivals of letters.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn originals(
    conn: &mut PgConnection,
    letters: &[LetterId],
) -> Result<Vec<Original>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let mut rows = sqlx::query!(
        r#"select wanted.id as "letter_id!", a.ordinal, a.properties::text as "properties!",
                  a.headers::text as "headers!", a.body
           from unnest($1::uuid[]) as wanted (id)
           cross join lateral (
               select ordinal, properties, headers, body from arrivals
               where letter_id = wanted.id order by ordinal desc limit 1
           ) a"#,
        &letters
    )
    .fetch(conn);
    let mut originals = Vec::new();
    // One after the other: headers take many times in memory what they are stored in.
    while let Some(row) = rows.try_next().await? {
        let properties = serde_json::from_str(&row.properties)
            .map_err(|why| StoreError::corrupt("arrivals", "properties", why))?;
        originals.push(Original {
            letter: LetterId(row.letter_id),
            ordinal: row.ordinal,
            head: BodyHead::of(properties, headers_of_body(&row.headers)),
            body: row.body,
        });
    }
    Ok(originals)
}

/// Bodies that are frozen by one statement, in bytes: it is in memory twice beside them.
const MOST_FROZEN_AT_ONCE: usize = 4 * 1024 * 1024;

/// Freezes bodies of a plan, whose items must be there.
///
/// # Errors
/// When Postgres does not do it.
pub async fn freeze(
    conn: &mut PgConnection,
    id: ReplayId,
    mut bodies: &[&Frozen],
) -> Result<(), StoreError> {
    while !bodies.is_empty() {
        let mut bytes = 0;
        let fitting = bodies.iter().take_while(|one| {
            bytes += one.body.len();
            bytes <= MOST_FROZEN_AT_ONCE
        });
        let (some, rest) = bodies.split_at(fitting.count().max(1));
        freeze_some(conn, id, some).await?;
        bodies = rest;
    }
    Ok(())
}

async fn freeze_some(
    conn: &mut PgConnection,
    id: ReplayId,
    bodies: &[&Frozen],
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = bodies.iter().map(|one| one.letter.0).collect();
    let ordinals: Vec<i32> = bodies.iter().map(|one| one.ordinal).collect();
    let bytes: Vec<&[u8]> = bodies.iter().map(|one| one.body.as_slice()).collect();
    let kinds: Vec<Option<String>> = bodies.iter().map(|one| one.content_type.clone()).collect();
    let heads = || bodies.iter().map(|one| one.head.as_ref());
    let properties: Vec<_> = heads().map(|head| Some(as_json(&head?.properties))).collect();
    let headers: Vec<_> = heads().map(|head| Some(as_json(&head?.headers))).collect();
    sqlx::query!(
        "insert into replay_bodies
             (letter_id, replay_id, ordinal, body, body_sha256, content_type, properties, headers)
         select letter, $1, ordinal, body, sha256(body), kind, properties::jsonb, headers::jsonb
         from unnest($2::uuid[], $3::integer[], $4::bytea[], $5::text[], $6::text[], $7::text[])
              as one (letter, ordinal, body, kind, properties, headers)",
        id.0,
        &letters,
        &ordinals,
        &bytes as _,
        &kinds as &[Option<String>],
        &properties as &[Option<String>],
        &headers as &[Option<String>]
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "update replay_items set changed = true where replay_id = $1 and letter_id = any($2)",
        id.0,
        &letters
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn as_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("wire values always have a JSON form")
}

/// Properties and headers that are sent in place of the arrival's, where there are any.
fn stored_head(
    properties: Option<String>,
    headers: Option<String>,
) -> Result<Option<MessageHead>, StoreError> {
    properties
        .zip(headers)
        .map(|(properties, headers)| read_head(&properties, &headers))
        .transpose()
}

/// What a replay sends in place of letters' own bodies.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn frozen(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: &[LetterId],
) -> Result<Vec<Frozen>, StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "select letter_id, ordinal, body, content_type, properties::text, headers::text
         from replay_bodies where replay_id = $1 and letter_id = any($2)",
        id.0,
        &letters
    )
    .fetch_all(conn)
    .await?;
    let frozen = rows.into_iter().map(|row| {
        Ok(Frozen {
            letter: LetterId(row.letter_id),
            ordinal: row.ordinal,
            body: row.body,
            content_type: row.content_type,
            head: stored_head(row.properties, row.headers)?,
        })
    });
    frozen.collect()
}

/// What a replay sent in place of a letter's body, and the arrival that it came back with.
#[derive(Debug)]
pub struct SentAndBack {
    /// What was sent.
    pub sent: SentPart,
    /// The last arrival that came back from this replay, if one did.
    pub back: Option<Back>,
}

/// The beginning of a body that a replay sent.
#[derive(Debug)]
pub struct SentPart {
    /// Its first bytes.
    pub begin: Vec<u8>,
    /// What it is.
    pub mark: SentMark,
    /// In place of the arrival's content type.
    pub content_type: Option<String>,
    /// In place of all of the arrival's properties and headers.
    pub head: Option<MessageHead>,
}

/// An arrival that came back.
#[derive(Debug)]
pub struct Back {
    /// Its number.
    pub ordinal: i32,
    /// When.
    pub arrived_at: DateTime<Utc>,
    /// The SHA-256 of its body, in hexadecimal.
    pub body_sha256: String,
}

/// The first `most` bytes that a replay sent in place of a letter's body, and what came back of it; nothing if
/// it sent no other body.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn sent(
    conn: &mut PgConnection,
    replay: ReplayId,
    letter: LetterId,
    most: usize,
) -> Result<Option<SentAndBack>, StoreError> {
    let row = sqlx::query!(
        r#"select substring(body from 1 for $3) as "begin!", ordinal,
                  octet_length(body)::bigint as "size_bytes!",
                  encode(body_sha256, 'hex') as "body_sha256!", content_type,
                  properties::text, headers::text
           from replay_bodies where replay_id = $1 and letter_id = $2"#,
        replay.0,
        letter.0,
        i32::try_from(most).unwrap_or(i32::MAX)
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let back = sqlx::query_as!(
        Back,
        r#"select ordinal, arrived_at, encode(body_sha256, 'hex') as "body_sha256!"
           from arrivals where letter_id = $1 and replay_id = $2
           order by ordinal desc limit 1"#,
        letter.0,
        replay.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(Some(SentAndBack {
        sent: SentPart {
            begin: row.begin,
            mark: SentMark {
                from_arrival: row.ordinal,
                size_bytes: row.size_bytes,
                body_sha256: row.body_sha256,
            },
            content_type: row.content_type,
            head: stored_head(row.properties, row.headers)?,
        },
        back,
    }))
}

/// What replays sent in place of a letter's body, without the bytes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn marks(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Vec<(ReplayId, SentMark)>, StoreError> {
    let rows = sqlx::query!(
        r#"select replay_id, ordinal, octet_length(body)::bigint as "size_bytes!",
                  encode(body_sha256, 'hex') as "body_sha256!"
           from replay_bodies where letter_id = $1"#,
        letter.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let mark = SentMark {
                from_arrival: row.ordinal,
                size_bytes: row.size_bytes,
                body_sha256: row.body_sha256,
            };
            (ReplayId(row.replay_id), mark)
        })
        .collect())
}
