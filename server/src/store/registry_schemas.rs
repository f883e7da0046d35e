//! Schemas of a schema registry, by the numbers that stand before messages.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use dlo_domain::schema::RegistrySchema;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::StoreError;

/// Numbers that are kept: what stands before a message is whatever its sender writes.
const MOST_NUMBERS: i64 = 10_000;

/// What the registry told of a schema.
#[derive(Debug, Clone, PartialEq)]
pub enum Definition {
    /// Its text, and those of the types that it refers to, by name: its own stands by
    /// [`registry_path`](crate::schemas::registry_path).
    Avro(BTreeMap<String, String>),
    /// A `google.protobuf.FileDescriptorSet` with all imports, in which its own file has
    /// [`registry_path`](crate::schemas::registry_path).
    Protobuf(Vec<u8>),
    /// A JSON Schema.
    Json,
}

/// A schema as the registry told it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldSchema {
    /// Its number.
    pub number: i32,
    /// What it says.
    pub definition: Definition,
    /// The full names of the message types in it.
    pub message_types: Vec<String>,
}

/// A number that the registry is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueNumber {
    /// The number.
    pub number: i32,
    /// How often it was asked for, this time included.
    pub asked: i32,
}

/// Writes down numbers that nobody knows.
///
/// # Errors
/// Returns an error if the statement fails: then the transaction must be given up.
pub async fn note(
    conn: &mut PgConnection,
    numbers: impl IntoIterator<Item = u32>,
) -> Result<(), StoreError> {
    // In order, so that nobody waits for one who waits for him.
    let numbers: BTreeSet<i32> =
        numbers.into_iter().filter_map(|number| number.try_into().ok()).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i32> = numbers.into_iter().collect();
    sqlx::query!(
        "insert into registry_schemas (number)
         select number from unnest($1::integer[]) as seen (number)
         where (select count(*) from registry_schemas) < $2
         order by number on conflict do nothing",
        &numbers,
        MOST_NUMBERS,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the numbers that are due: until `again` nobody else asks for them.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn take_due(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    again: DateTime<Utc>,
    most: i64,
) -> Result<Vec<DueNumber>, StoreError> {
    let due = sqlx::query_as!(
        DueNumber,
        "update registry_schemas set due_at = $2, asked = asked + 1
         where number in (
             select number from registry_schemas where due_at <= $1
             order by due_at limit $3 for update skip locked
         )
         returning number, asked",
        now,
        again,
        most,
    )
    .fetch_all(conn)
    .await?;
    Ok(due)
}

/// Keeps what the registry told of a schema.
///
/// # Errors
/// Returns an error if the statement fails: then the transaction must be given up.
pub async fn keep(conn: &mut PgConnection, told: &ToldSchema) -> Result<(), StoreError> {
    let nothing = BTreeMap::new();
    let (format, files, set) = match &told.definition {
        Definition::Avro(files) => ("avro", files, None),
        Definition::Protobuf(set) => ("protobuf", &nothing, Some(&**set)),
        Definition::Json => ("json", &nothing, None),
    };
    sqlx::query!(
        "update registry_schemas
         set due_at = null, fault = null, format = $2, files = $3, descriptor_set = $4, message_types = $5
         where number = $1",
        told.number,
        format,
        Json(files) as _,
        set,
        &told.message_types,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down why a number is not known yet, and when it is asked for again.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn put_off(
    conn: &mut PgConnection,
    number: i32,
    fault: &str,
    again: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update registry_schemas set fault = $2, due_at = $3 where number = $1",
        number,
        fault,
        again,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What the registry told, the newest number first.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn told(conn: &mut PgConnection) -> Result<Vec<ToldSchema>, StoreError> {
    let rows = sqlx::query!(
        r#"select number, format as "format!", files as "files: Json<BTreeMap<String, String>>", descriptor_set,
               message_types
           from registry_schemas where format is not null order by number desc"#
    )
    .fetch_all(conn)
    .await?;
    let told = rows.into_iter().map(|row| ToldSchema {
        number: row.number,
        definition: match (&*row.format, row.descriptor_set) {
            ("avro", _) => Definition::Avro(row.files.0),
            (_, Some(set)) => Definition::Protobuf(set),
            _ => Definition::Json,
        },
        message_types: row.message_types,
    });
    Ok(told.collect())
}

/// All numbers that were seen, the highest first: what is known of each.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<RegistrySchema>, StoreError> {
    let all = sqlx::query_as!(
        RegistrySchema,
        "select number, first_seen_at, format, message_types, asked, fault, due_at
         from registry_schemas order by number desc"
    )
    .fetch_all(conn)
    .await?;
    Ok(all)
}
