//! What the miner reads and writes: signatures that have no group yet, and where they go.

use chrono::{DateTime, Utc};
use dlo_domain::grouping::{
    Absorbed, Explanation, Placement, Signature, SignatureId, SignatureVersion,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::totals;
use crate::store::StoreError;

/// A signature with the place at which the miner was given it.
#[derive(Debug)]
pub struct Mined {
    /// The place, from 0.
    pub position: i64,
    /// The signature.
    pub signature: Signature,
    /// Its group, as it is written down.
    pub group: Uuid,
}

/// Waits for this office's turn to mine; the turn lasts until the transaction ends.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin(conn: &mut PgConnection) -> Result<(), StoreError> {
    totals::wait_for_turn(conn).await
}

/// Whether there is anything to mine of this version or one before it: asked often, and nearly always no.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_due(
    conn: &mut PgConnection,
    version: SignatureVersion,
) -> Result<bool, StoreError> {
    let due = sqlx::query_scalar!(
        r#"select exists (
               select from signatures where position is null and version <= $1) as "due!""#,
        version.0,
    )
    .fetch_one(conn)
    .await?;
    Ok(due)
}

/// What the miner was given from this place on, by this office or another.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn mined_from(
    conn: &mut PgConnection,
    version: SignatureVersion,
    position: i64,
) -> Result<Vec<Mined>, StoreError> {
    let rows = sqlx::query!(
        r#"select position as "position!", content, group_id as "group_id!" from signatures
           where position >= $1 and version = $2 order by position"#,
        position,
        version.0,
    )
    .fetch_all(conn)
    .await?;
    let mined = rows.into_iter().map(|row| {
        let signature = signature(row.content)?;
        Ok(Mined { position: row.position, signature, group: row.group_id })
    });
    mined.collect()
}

/// The place of the next signature of a version.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn next_position(
    conn: &mut PgConnection,
    version: SignatureVersion,
) -> Result<i64, StoreError> {
    let next = sqlx::query_scalar!(
        r#"select coalesce(max(position) + 1, 0) as "next!" from signatures where version = $1"#,
        version.0,
    )
    .fetch_one(conn)
    .await?;
    Ok(next)
}

/// Signatures of this version or one before it that wait for their group, in the order of their first letter.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn unmined(
    conn: &mut PgConnection,
    version: SignatureVersion,
    most: i64,
) -> Result<Vec<Signature>, StoreError> {
    let rows = sqlx::query_scalar!(
        "select content from signatures where position is null and version <= $1
         order by first_seen_at, id limit $2",
        version.0,
        most,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(signature).collect()
}

fn signature(content: serde_json::Value) -> Result<Signature, StoreError> {
    serde_json::from_value(content).map_err(|why| StoreError::corrupt("signatures", "content", why))
}

/// What the miner says of one signature.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The signature.
    pub signature: &'a Signature,
    /// The place at which it was given.
    pub position: i64,
    /// Where it belongs.
    pub placement: &'a Placement,
    /// Why.
    pub why: &'a Explanation,
    /// Why the groups that absorbed others are what they are, in the order of `placement.absorbed`.
    pub whys: &'a [Explanation],
    /// The id of the group, if it founds one.
    pub new_group: Uuid,
    /// When.
    pub at: DateTime<Utc>,
}

/// Writes a verdict down. A group that a person has worked on is never taken apart or away: when
/// the miner finds that two groups are one, the one that nobody touched goes into the other, and
/// two that were touched stay apart.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read: then the transaction must be given up.
pub async fn place(conn: &mut PgConnection, verdict: &Verdict<'_>) -> Result<(), StoreError> {
    let founded = if verdict.placement.is_new { Some(found(conn, verdict).await?) } else { None };
    for (absorbed, why) in verdict.placement.absorbed.iter().zip(verdict.whys) {
        absorb(conn, *absorbed, why, verdict.at).await?;
    }
    let group = match founded {
        Some(group) => group,
        None => group_of(conn, verdict.placement.group).await?,
    };
    sqlx::query!(
        "update signatures set position = $2, group_id = $3 where id = $1",
        &verdict.signature.id.0[..],
        verdict.position,
        group,
    )
    .execute(&mut *conn)
    .await?;
    // The newest explanation is the most general one.
    explain(conn, group, verdict.why).await?;
    totals::sum_up(conn, &[group]).await
}

/// Makes two groups one that a program before this one kept apart, unless a person has worked on either.
///
/// # Errors
/// Returns an error if Postgres fails or a row cannot be read; the transaction must then be rolled back.
pub async fn reunite(
    conn: &mut PgConnection,
    absorbed: Absorbed,
    why: &Explanation,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    for id in [absorbed.group, absorbed.into] {
        let group = group_of(conn, id).await?;
        if is_touched(conn, group).await? {
            return Ok(());
        }
    }
    absorb(conn, absorbed, why, at).await
}

async fn absorb(
    conn: &mut PgConnection,
    absorbed: Absorbed,
    why: &Explanation,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let group = group_of(conn, absorbed.into).await?;
    let other = group_of(conn, absorbed.group).await?;
    if group == other {
        return Ok(());
    }
    let Some(group) = unite(conn, group, other, at).await? else {
        return Ok(());
    };
    explain(conn, group, why).await?;
    totals::sum_up(conn, &[group]).await
}

async fn explain(
    conn: &mut PgConnection,
    group: Uuid,
    why: &Explanation,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update groups set why = $2, title = $3 where id = $1",
        group,
        json(why),
        why.title(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn found(conn: &mut PgConnection, verdict: &Verdict<'_>) -> Result<Uuid, StoreError> {
    sqlx::query!(
        "insert into groups (id, state, state_since, title, why, created_at)
         values ($1, 'open', $2, $3, $4, $2)",
        verdict.new_group,
        verdict.at,
        verdict.why.title(),
        json(verdict.why),
    )
    .execute(conn)
    .await?;
    Ok(verdict.new_group)
}

async fn group_of(conn: &mut PgConnection, id: SignatureId) -> Result<Uuid, StoreError> {
    let group = sqlx::query_scalar!("select group_id from signatures where id = $1", &id.0[..])
        .fetch_one(conn)
        .await?;
    group.ok_or_else(|| StoreError::corrupt("signatures", "group_id", "a mined one has a group"))
}

/// Makes two groups one, if people allow it; returns the one that is left.
async fn unite(
    conn: &mut PgConnection,
    group: Uuid,
    other: Uuid,
    at: DateTime<Utc>,
) -> Result<Option<Uuid>, StoreError> {
    let (from, into) = if !is_touched(conn, other).await? {
        (other, group)
    } else if !is_touched(conn, group).await? {
        (group, other)
    } else {
        return Ok(None);
    };
    super::arrange::move_all(conn, from, into, at, "dlo").await?;
    Ok(Some(into))
}

async fn is_touched(conn: &mut PgConnection, group: Uuid) -> Result<bool, StoreError> {
    let touched = sqlx::query_scalar!(
        r#"select (state <> 'open' or owner is not null or ticket_url is not null or tags <> '{}'
               or exists (select from signatures where group_id = $1 and arranged)
               or exists (select from group_events where group_id = $1 and actor <> 'dlo'))
               as "touched!"
           from groups where id = $1"#,
        group,
    )
    .fetch_one(conn)
    .await?;
    Ok(touched)
}

fn json(why: &Explanation) -> serde_json::Value {
    serde_json::to_value(why).expect("an explanation is text and numbers")
}
