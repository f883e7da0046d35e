//! API tokens: only their digests are here.

use chrono::{DateTime, Utc};
use dlo_domain::globs::Globs;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;
use crate::access::{Holder, Role};

/// A token as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The workers that it speaks for; every one where its role is not worker.
    pub workers: Globs,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Stores a new token; `false` when the name is taken (a revoked one keeps its name, since the
/// audit trail names it).
///
/// # Errors
/// When Postgres does not do it.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    holder: &Holder,
    digest: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "insert into tokens (id, name, role, secret_sha256, created_at, workers) \
         values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing",
        id,
        holder.name,
        holder.role.as_str(),
        digest.as_slice(),
        now,
        bound_workers(holder) as _,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores a token in place of the one of that name: for the demo, which makes its own each time.
///
/// # Errors
/// When Postgres does not do it.
pub async fn replace(
    conn: &mut PgConnection,
    id: Uuid,
    holder: &Holder,
    digest: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into tokens (id, name, role, secret_sha256, created_at, workers) \
         values ($1, $2, $3, $4, $5, $6) on conflict (name) do update \
         set role = excluded.role, secret_sha256 = excluded.secret_sha256, \
             workers = excluded.workers, created_at = excluded.created_at, revoked_at = null",
        id,
        holder.name,
        holder.role.as_str(),
        digest.as_slice(),
        now,
        bound_workers(holder) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose token has this digest; nobody's when it was revoked.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn holder(
    conn: &mut PgConnection,
    digest: &[u8; 32],
) -> Result<Option<Holder>, StoreError> {
    let row = sqlx::query!(
        r#"select name, role, workers as "workers: Json<Globs>" from tokens
           where secret_sha256 = $1 and revoked_at is null"#,
        digest.as_slice(),
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(Holder {
            name: row.name,
            role: role(&row.role)?,
            workers: workers(&row.role, row.workers)?,
        })
    })
    .transpose()
}

/// Every token, in the order of their making.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn list(conn: &mut PgConnection) -> Result<Vec<TokenRow>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, role, workers as "workers: Json<Globs>", created_at, revoked_at
           from tokens order by created_at, name"#
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(TokenRow {
                name: row.name,
                role: role(&row.role)?,
                workers: workers(&row.role, row.workers)?,
                created_at: row.created_at,
                revoked_at: row.revoked_at,
            })
        })
        .collect()
}

/// Revokes a token; `false` when there is none of that name that could be.
///
/// # Errors
/// When Postgres does not do it.
pub async fn revoke(
    conn: &mut PgConnection,
    name: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update tokens set revoked_at = $2 where name = $1 and revoked_at is null",
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What is stored of the workers that a token speaks for.
fn bound_workers(holder: &Holder) -> Option<Json<&Globs>> {
    (holder.role == Role::Worker).then_some(Json(&holder.workers))
}

/// A token of the role worker without a list speaks for nobody: an older version made it.
fn workers(word: &str, stored: Option<Json<Globs>>) -> Result<Globs, StoreError> {
    Ok(match role(word)? {
        Role::Worker => stored.map(|stored| stored.0).unwrap_or_default(),
        Role::Viewer | Role::Operator | Role::Admin => Globs::any(),
    })
}

fn role(word: &str) -> Result<Role, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("tokens", "role", why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    fn holder_named(name: &str) -> Holder {
        Holder { name: name.to_owned(), role: Role::Operator, workers: Globs::any() }
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn a_token_opens_the_door_until_it_is_revoked(pool: PgPool) {
        let mut conn = pool.acquire().await.expect("connects");
        let (ci, now) = (holder_named("ci"), DateTime::UNIX_EPOCH);
        assert!(insert(&mut conn, Uuid::from_u128(1), &ci, &[1; 32], now).await.expect("inserts"));
        assert_eq!(holder(&mut conn, &[1; 32]).await.expect("reads"), Some(ci.clone()));
        assert_eq!(holder(&mut conn, &[2; 32]).await.expect("reads"), None);
        assert!(revoke(&mut conn, "ci", now).await.expect("revokes"));
        assert!(!revoke(&mut conn, "ci", now).await.expect("was revoked"));
        assert_eq!(holder(&mut conn, &[1; 32]).await.expect("reads"), None);
        let listed = list(&mut conn).await.expect("lists");
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].revoked_at, Some(now));
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn a_name_is_taken_once_and_replaced_on_purpose_only(pool: PgPool) {
        let mut conn = pool.acquire().await.expect("connects");
        let (demo, now) = (holder_named("demo"), DateTime::UNIX_EPOCH);
        for (digest, wanted) in [([1; 32], true), ([2; 32], false)] {
            let id = Uuid::from_bytes([digest[0]; 16]);
            let done = insert(&mut conn, id, &demo, &digest, now).await.expect("asks");
            assert_eq!(done, wanted);
        }
        replace(&mut conn, Uuid::from_u128(9), &demo, &[3; 32], now).await.expect("replaces");
        assert_eq!(holder(&mut conn, &[1; 32]).await.expect("reads"), None);
        assert_eq!(holder(&mut conn, &[3; 32]).await.expect("reads"), Some(demo));
    }
}
