//! Schemas as people uploaded them, every version.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::schema::{Schema, WholeSchema};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::StoreError;

/// A version that is to be kept.
#[derive(Debug, Clone, Copy)]
pub struct NewVersion<'a> {
    /// The name of its schema.
    pub name: &'a str,
    /// The text of its files by their paths.
    pub files: &'a BTreeMap<String, String>,
    /// The descriptor set, with all imports.
    pub descriptor_set: &'a [u8],
    /// The full names of its message types.
    pub message_types: &'a [String],
    /// Who uploads it.
    pub by: &'a str,
    /// When.
    pub at: DateTime<Utc>,
}

/// What schemas in use say of message types.
#[derive(Debug)]
pub struct DescriptorSet {
    /// The name of the schema.
    pub name: String,
    /// The descriptor set.
    pub bytes: Vec<u8>,
}

/// Keeps a version, and returns its number. The rules must be taken, so that one comes after the other.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn insert(conn: &mut PgConnection, new: NewVersion<'_>) -> Result<i32, StoreError> {
    let version = sqlx::query_scalar!(
        "insert into schemas (name, version, files, descriptor_set, message_types, uploaded_by, uploaded_at)
         select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, $6 from schemas where name = $1
         returning version",
        new.name,
        Json(new.files) as _,
        new.descriptor_set,
        new.message_types,
        new.by,
        new.at,
    )
    .fetch_one(conn)
    .await?;
    Ok(version)
}

/// Has a schema used no longer. Returns whether it was used.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn remove(
    conn: &mut PgConnection,
    name: &str,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let removed = sqlx::query!(
        "update schemas set removed_at = $2
         where name = $1 and removed_at is null
             and version = (select max(version) from schemas where name = $1)",
        name,
        at,
    )
    .execute(conn)
    .await?;
    Ok(removed.rows_affected() > 0)
}

/// The schemas in use, by their names.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn used(conn: &mut PgConnection) -> Result<Vec<Schema>, StoreError> {
    let schemas = sqlx::query_as!(
        Schema,
        r#"select name, version, array(select jsonb_object_keys(files)) as "files!", message_types,
               uploaded_by, uploaded_at, true as "is_used!"
           from (select distinct on (name) * from schemas order by name, version desc) newest
           where removed_at is null order by name"#
    )
    .fetch_all(conn)
    .await?;
    Ok(schemas)
}

/// What the schemas in use say, the one that was uploaded last first.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn descriptor_sets(conn: &mut PgConnection) -> Result<Vec<DescriptorSet>, StoreError> {
    let sets = sqlx::query_as!(
        DescriptorSet,
        r#"select name, descriptor_set as bytes
           from (select distinct on (name) * from schemas order by name, version desc) newest
           where removed_at is null order by uploaded_at desc, name"#
    )
    .fetch_all(conn)
    .await?;
    Ok(sets)
}

/// One version of a schema, the newest where none is named; `None` if it is not there.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn one(
    conn: &mut PgConnection,
    name: &str,
    version: Option<i32>,
) -> Result<Option<WholeSchema>, StoreError> {
    let versions = sqlx::query_scalar!(
        "select version from schemas where name = $1 order by version desc",
        name
    )
    .fetch_all(&mut *conn)
    .await?;
    let row = sqlx::query!(
        r#"select version, files as "files: Json<BTreeMap<String, String>>", message_types, uploaded_by,
               uploaded_at,
               removed_at is null and version = (select max(version) from schemas where name = $1)
                   as "is_used!"
           from schemas where name = $1 and version = $2"#,
        name,
        version.or(versions.first().copied()).unwrap_or_default(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| WholeSchema {
        schema: Schema {
            name: name.to_owned(),
            version: row.version,
            files: row.files.0.keys().cloned().collect(),
            message_types: row.message_types,
            uploaded_by: row.uploaded_by,
            uploaded_at: row.uploaded_at,
            is_used: row.is_used,
        },
        texts: row.files.0,
        versions,
    }))
}
