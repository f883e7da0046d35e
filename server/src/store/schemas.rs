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
    /// The descriptor set, with all imports; `None` for Avro.
    pub descriptor_set: Option<&'a [u8]>,
    /// The full names of its message types.
    pub message_types: &'a [String],
    /// Who uploads it.
    pub by: &'a str,
    /// When.
    pub at: DateTime<Utc>,
}

/// A schema that letters are read by.
#[derive(Debug)]
pub struct UsedSchema {
    /// Its name.
    pub name: String,
    /// What it says of message types.
    pub definition: Definition,
}

/// What a schema says of message types.
#[derive(Debug)]
pub enum Definition {
    /// A `google.protobuf.FileDescriptorSet` with all imports.
    Protobuf(Vec<u8>),
    /// Schemas of Avro, by the paths of their files.
    Avro(BTreeMap<String, String>),
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

/// What the schemas in use say, the one that was uploaded last first: the newest version of each name, and of Avro those
/// before it, too, back to where the name was removed.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn definitions(conn: &mut PgConnection) -> Result<Vec<UsedSchema>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, descriptor_set, files as "files: Json<BTreeMap<String, String>>"
           from (select *, max(version) over names as newest,
                     max(version) filter (where removed_at is not null) over names as removed
                 from schemas window names as (partition by name)) versions
           where version > coalesce(removed, 0) and (version = newest or descriptor_set is null)
           order by uploaded_at desc, name, version desc"#
    )
    .fetch_all(conn)
    .await?;
    let used = rows.into_iter().map(|row| UsedSchema {
        name: row.name,
        definition: match row.descriptor_set {
            Some(set) => Definition::Protobuf(set),
            None => Definition::Avro(row.files.0),
        },
    });
    Ok(used.collect())
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
               version > coalesce(
                   (select max(version) from schemas where name = $1 and removed_at is not null), 0
               ) and (descriptor_set is null or version = (select max(version) from schemas where name = $1))
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
