//! The signatures that were seen: written by intake and the walk of
//! `judging`, before the letters that have them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::grouping::Signature;
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letters::Incoming;

/// A signature, and the letter that it was seen with.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The signature.
    pub signature: &'a Signature,
    /// The letter: one to show.
    pub letter: LetterId,
    /// When that arrived.
    pub at: DateTime<Utc>,
}

/// Writes down the signatures of deliveries that are new. Call once in a transaction and before its
/// letters: all signatures are taken in one order, so that two offices never wait for each other in
/// a ring.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn remember(conn: &mut PgConnection, incoming: &[&Incoming]) -> Result<(), StoreError> {
    let seen = incoming.iter().map(|one| Seen {
        signature: &one.signature,
        letter: one.letter_id,
        at: one.arrived_at,
    });
    remember_seen(conn, seen).await
}

/// The same for signatures of any letters.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn remember_seen(
    conn: &mut PgConnection,
    seen: impl Iterator<Item = Seen<'_>>,
) -> Result<(), StoreError> {
    let mut first: BTreeMap<[u8; 16], Seen<'_>> = BTreeMap::new();
    for one in seen {
        first.entry(one.signature.id.0).or_insert(one);
    }
    if first.is_empty() {
        return Ok(());
    }
    let ids: Vec<&[u8]> = first.keys().map(|id| &id[..]).collect();
    let versions: Vec<i16> = first.values().map(|one| one.signature.version.0).collect();
    let contents: Vec<String> = first.values().map(|one| content(one.signature)).collect();
    let samples: Vec<Uuid> = first.values().map(|one| one.letter.0).collect();
    let times: Vec<DateTime<Utc>> = first.values().map(|one| one.at).collect();
    sqlx::query!(
        "insert into signatures (id, version, content, sample_letter_id, first_seen_at)
         select id, version, content::jsonb, sample, at
         from unnest($1::bytea[], $2::smallint[], $3::text[], $4::uuid[], $5::timestamptz[])
             as new (id, version, content, sample, at)
         where not exists (select from signatures as known where known.id = new.id)
         order by id
         on conflict (id) do nothing",
        &ids as &[&[u8]],
        &versions,
        &contents,
        &samples,
        &times,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// As Postgres takes it: NUL has no place in its JSON.
fn content(signature: &Signature) -> String {
    serde_json::to_string(signature)
        .expect("a signature is text and numbers")
        .replace("\\u0000", "\\ufffd")
}
