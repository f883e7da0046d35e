//! Merging and splitting groups. Both move signatures; what people moved stays where it is.

use chrono::{DateTime, Utc};
use dlo_domain::grouping::{Explanation, Segment, Signature, SignatureId};
use dlo_domain::ids::GroupId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::totals;
use crate::store::StoreError;

/// Why groups were not arranged. Nothing was changed: give the transaction up.
#[derive(Debug, thiserror::Error)]
pub enum ArrangeError {
    /// There is no such group, or it is part of another by now.
    #[error("there is no group {0} any more: it may have been merged; load the list again")]
    NoGroup(Uuid),
    /// A group cannot become part of itself.
    #[error("a group cannot be merged into itself: name another one")]
    Itself,
    /// Some signatures are not in the group.
    #[error("{missing} of the signatures are not in this group (any more): load it again")]
    NotThere {
        /// How many.
        missing: u64,
    },
    /// Nothing would be left.
    #[error("these are all signatures of the group: nothing would be left in it")]
    Everything,
    /// Postgres did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ArrangeError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Makes groups part of another, for good.
///
/// # Errors
/// `ArrangeError`.
pub async fn merge(
    conn: &mut PgConnection,
    groups: &[GroupId],
    into: GroupId,
    at: DateTime<Utc>,
    actor: &str,
) -> Result<(), ArrangeError> {
    totals::wait_for_turn(conn).await?;
    expect_living(conn, into).await?;
    for group in groups {
        if *group == into {
            return Err(ArrangeError::Itself);
        }
        expect_living(conn, *group).await?;
        move_all(conn, group.0, into.0, at, actor).await?;
    }
    Ok(())
}

async fn expect_living(conn: &mut PgConnection, group: GroupId) -> Result<(), ArrangeError> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from groups where id = $1 and merged_into is null) as "found!""#,
        group.0,
    )
    .fetch_one(conn)
    .await?;
    if found { Ok(()) } else { Err(ArrangeError::NoGroup(group.0)) }
}

/// Puts all signatures of a group into another; the first group's address leads there from now on.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub(super) async fn move_all(
    conn: &mut PgConnection,
    from: Uuid,
    into: Uuid,
    at: DateTime<Utc>,
    actor: &str,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update signatures set group_id = $2, arranged = arranged or $3 where group_id = $1",
        from,
        into,
        actor != "dlo",
    )
    .execute(&mut *conn)
    .await?;
    // Also what was merged into it before.
    sqlx::query!(
        "update groups set merged_into = $2 where id = $1 or merged_into = $1",
        from,
        into,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into group_events (group_id, at, actor, action, detail)
         select $2, $3, $4, 'merged', title from groups where id = $1",
        from,
        into,
        at,
        actor,
    )
    .execute(&mut *conn)
    .await?;
    totals::sum_up(conn, &[from, into]).await
}

/// Moves some signatures of a group into a new one.
///
/// # Errors
/// `ArrangeError`.
pub async fn split(
    conn: &mut PgConnection,
    group: GroupId,
    signatures: &[SignatureId],
    new: GroupId,
    at: DateTime<Utc>,
    actor: &str,
) -> Result<(), ArrangeError> {
    totals::wait_for_turn(conn).await?;
    expect_living(conn, group).await?;
    let ids: Vec<&[u8]> = signatures.iter().map(|id| &id.0[..]).collect();
    let contents = sqlx::query_scalar!(
        "select content from signatures where group_id = $1 and id = any($2) order by version, position",
        group.0,
        &ids as &[&[u8]],
    )
    .fetch_all(&mut *conn)
    .await?;
    let missing = signatures.len().saturating_sub(contents.len());
    let Some(first) = contents.into_iter().next().filter(|_| missing == 0) else {
        let missing = u64::try_from(missing).unwrap_or(u64::MAX);
        return Err(ArrangeError::NotThere { missing });
    };
    let first: Signature = serde_json::from_value(first)
        .map_err(|why| StoreError::corrupt("signatures", "content", why))?;
    found(conn, new, &first, signatures.len(), at).await?;
    move_some(conn, group, &ids, new).await?;
    for (about, action) in [(group, "split"), (new, "split off")] {
        sqlx::query!(
            "insert into group_events (group_id, at, actor, action, detail)
             values ($1, $2, $3, $4, $5)",
            about.0,
            at,
            actor,
            action,
            first.template,
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(totals::sum_up(conn, &[group.0, new.0]).await?)
}

async fn found(
    conn: &mut PgConnection,
    new: GroupId,
    first: &Signature,
    signatures: usize,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let why = Explanation {
        version: first.version,
        layer: first.layer,
        scope: first.scope.clone(),
        frame: first.frame.clone(),
        template: vec![Segment {
            text: first.template.clone(),
            variable: None,
            examples: Vec::new(),
        }],
        signatures: i64::try_from(signatures).unwrap_or(i64::MAX),
    };
    sqlx::query!(
        "insert into groups (id, state, state_since, title, why, created_at)
         values ($1, 'open', $2, $3, $4, $2)",
        new.0,
        at,
        first.template,
        serde_json::to_value(why).expect("an explanation is text and numbers"),
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn move_some(
    conn: &mut PgConnection,
    group: GroupId,
    ids: &[&[u8]],
    new: GroupId,
) -> Result<(), ArrangeError> {
    sqlx::query!(
        "update signatures set group_id = $2, arranged = true
         where group_id = $1 and id = any($3)",
        group.0,
        new.0,
        ids as &[&[u8]],
    )
    .execute(&mut *conn)
    .await?;
    let left = sqlx::query_scalar!(
        r#"select exists (select from signatures where group_id = $1) as "left!""#,
        group.0,
    )
    .fetch_one(conn)
    .await?;
    if left { Ok(()) } else { Err(ArrangeError::Everything) }
}
