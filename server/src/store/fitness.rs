//! What stands against an office in a database, before one works in it: an old or foreign form, and missing
//! rights. What is tried is rolled back.
//!
//! The statements are not checked when they are compiled: they are asked of databases in any form.

use std::collections::BTreeMap;

use sqlx::{Connection as _, PgConnection};

use super::pool::reached;
use super::{MIGRATOR, StoreError};

/// The oldest Postgres that is supported.
const OLDEST_VERSION: i32 = 150_000;

/// What stands against an office in this database, each as a sentence; nothing when all is well.
///
/// # Errors
/// Returns an error if Postgres cannot be reached, lets nobody in, or a query fails.
pub async fn obstacles(url: &str) -> Result<Vec<String>, StoreError> {
    let mut conn = reached(url).await?;
    let mut found = Vec::new();
    let (version, standby, read_only): (i32, bool, bool) = sqlx::query_as(
        "select current_setting('server_version_num')::integer, pg_is_in_recovery(),
                current_setting('transaction_read_only')::boolean",
    )
    .fetch_one(&mut conn)
    .await?;
    if version < OLDEST_VERSION {
        found.push(format!("this Postgres is of version {}: use 15 or newer", version / 10_000));
    }
    if standby || read_only {
        found.push(
            "nothing can be written here: it is a standby, or the database or its user is \
             read-only; name the primary, and a user that may write"
                .to_owned(),
        );
    } else {
        found.extend(missing_rights(&mut conn).await?);
    }
    found.extend(form(&mut conn).await?);
    conn.close().await?;
    Ok(found)
}

/// How the database's form differs from this version's.
async fn form(conn: &mut PgConnection) -> Result<Option<String>, StoreError> {
    let table: Option<String> = sqlx::query_scalar("select to_regclass('_sqlx_migrations')::text")
        .fetch_one(&mut *conn)
        .await?;
    let applied: Vec<(i64, bool)> = match table {
        None => Vec::new(),
        Some(_) if !may_read(conn, "_sqlx_migrations").await? => return Ok(None),
        Some(_) => {
            sqlx::query_as("select version, success from _sqlx_migrations order by version")
                .fetch_all(conn)
                .await?
        }
    };
    let ours: Vec<i64> = MIGRATOR
        .iter()
        .filter(|step| step.migration_type.is_up_migration())
        .map(|step| step.version)
        .collect();
    let applied: BTreeMap<i64, bool> = applied.into_iter().collect();
    if let Some(version) = applied.keys().find(|version| !ours.contains(version)) {
        return Ok(Some(format!(
            "a newer version of dlo has changed the database (its migration {version} is unknown \
             here): use that version"
        )));
    }
    if let Some((version, _)) = applied.iter().find(|(_, success)| !**success) {
        return Ok(Some(format!(
            "the migration {version} broke off in the middle: fix that by hand before an office \
             starts"
        )));
    }
    let missing = ours.len() - applied.len();
    Ok((missing > 0).then(|| {
        format!(
            "{missing} of {} migrations are missing: run `dlo migrate`, or let `dlo serve` do it \
             when it starts",
            ours.len()
        )
    }))
}

async fn may_read(conn: &mut PgConnection, table: &str) -> Result<bool, StoreError> {
    let may = sqlx::query_scalar("select has_table_privilege($1, 'select')")
        .bind(table)
        .fetch_one(conn)
        .await?;
    Ok(may)
}

/// What the user may not do that an office does.
async fn missing_rights(conn: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    // Tables are made week by week, so this is needed long after the migrations.
    let makes = [
        (
            "create table dlo_check_of_rights ()",
            "make tables: give its user the right CREATE on the schema",
        ),
        (
            "create extension if not exists pg_trgm",
            "have the extension pg_trgm: have a superuser run `create extension pg_trgm`, after \
             installing Postgres's contrib modules if it is not there, or give the user the right \
             CREATE on the database",
        ),
    ];
    for (statement, what) in makes {
        let mut attempt = conn.begin().await?;
        let tried = sqlx::raw_sql(statement).execute(&mut *attempt).await;
        attempt.rollback().await?;
        match tried {
            Ok(_) => {}
            Err(sqlx::Error::Database(why)) => {
                found.push(format!("it cannot {what} ({})", why.message()));
            }
            Err(other) => return Err(other.into()),
        }
    }
    found.extend(foreign_tables(conn).await?);
    Ok(found)
}

/// Our tables that the user may not change. Those of others in the same schema are none of ours.
async fn foreign_tables(conn: &mut PgConnection) -> Result<Option<String>, StoreError> {
    let (count, first): (i64, Option<String>) = sqlx::query_as(
        "select count(*), min(t.relname::text)
         from pg_class t
         join pg_class letters on letters.oid = to_regclass('letters')
         where t.relnamespace = letters.relnamespace and t.relowner = letters.relowner
           and t.relkind in ('r', 'p')
           and not (pg_has_role(t.relowner, 'usage')
                    and has_table_privilege(t.oid, 'select')
                    and has_table_privilege(t.oid, 'insert')
                    and has_table_privilege(t.oid, 'update')
                    and has_table_privilege(t.oid, 'delete'))",
    )
    .fetch_one(conn)
    .await?;
    Ok(first.map(|first| {
        format!(
            "its user may not change {count} of the tables, such as `{first}`: use the user that \
             owns them, or give it their owner's role"
        )
    }))
}
