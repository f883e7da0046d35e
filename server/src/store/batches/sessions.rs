//! The sessions of a source: which consume, and which ended with messages in flight.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Session;
use crate::store::{StoreError, offices};

/// After so many seconds the broker has seen an end that Postgres has seen, and a session that was taken
/// for over while it lived has found out.
const SEEN_AFTER_SECS: i32 = 3;

/// What is known of a session that was cleared, and of messages that nobody saw again, is forgotten
/// after this time, in minutes.
pub(super) const KEPT_MINUTES: i32 = 10;

/// The other sessions of a source as one begins to consume.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// These ended long enough ago for the broker to have given back what they had.
    pub long_over: Vec<Uuid>,
    /// A session ended of which something may still come.
    pub has_open_end: bool,
    /// Nothing of these is to be asked any more: they are forgotten by now, and their receipts are left.
    pub forgotten: Vec<Uuid>,
}

/// Writes a session down, before it takes anything.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn open(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from intake_sessions
         where source_id = $1 and cleared_at < now() - make_interval(mins => $2)",
        session.source_id.0,
        KEPT_MINUTES,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "delete from unsettled_batches
         where source_id = $1 and left_since < now() - make_interval(mins => $2)",
        session.source_id.0,
        KEPT_MINUTES,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into intake_sessions (session_id, source_id, office_id) values ($1, $2, $3)",
        session.session_id,
        session.source_id.0,
        session.office_id.0,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down that the broker has a receipt of a session.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn note_receipt(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!(
        "update intake_sessions set has_receipt = true where session_id = $1",
        session.session_id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets a session that ended with nothing in flight, or never took anything.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn close(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    sqlx::query!("delete from intake_sessions where session_id = $1", session.session_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Marks a session as over: its messages come to others now.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn end(conn: &mut PgConnection, session: &Session) -> Result<(), StoreError> {
    mark_over(conn, &[session.session_id]).await
}

/// Whether nobody took the session for over. Nobody does until the transaction ends.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn hold(conn: &mut PgConnection, session: &Session) -> Result<bool, StoreError> {
    let held = sqlx::query_scalar!(
        "select session_id from intake_sessions
         where session_id = $1 and over_at is null for share",
        session.session_id
    )
    .fetch_optional(conn)
    .await?;
    Ok(held.is_some())
}

/// Looks at the other sessions of a source, and marks those as over whose office is gone.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn look_around(
    conn: &mut PgConnection,
    session: &Session,
) -> Result<Surroundings, StoreError> {
    mark_ended(conn, session).await?;
    let forgotten = keep_the_last_without_batches(conn, session).await?;
    Ok(Surroundings { forgotten, ..ended(conn, session).await? })
}

/// The other sessions of a source that are over and not cleared.
async fn ended(conn: &mut PgConnection, session: &Session) -> Result<Surroundings, StoreError> {
    let rows = sqlx::query!(
        r#"select session_id, over_at < now() - make_interval(secs => $3) as "is_long_over!"
         from intake_sessions
         where source_id = $1 and session_id <> $2 and over_at is not null and cleared_at is null"#,
        session.source_id.0,
        session.session_id,
        f64::from(SEEN_AFTER_SECS),
    )
    .fetch_all(conn)
    .await?;
    let long_over = rows.iter().filter(|row| row.is_long_over).map(|row| row.session_id);
    Ok(Surroundings {
        long_over: long_over.collect(),
        has_open_end: !rows.is_empty(),
        forgotten: Vec::new(),
    })
}

/// Whether another session ended of which something may still come.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn has_ended(conn: &mut PgConnection, session: &Session) -> Result<bool, StoreError> {
    mark_ended(conn, session).await?;
    Ok(ended(conn, session).await?.has_open_end)
}

/// Marks the sessions as over that ended without a word: those of offices that do not live, and
/// earlier ones of this office, which has one for each source.
pub(super) async fn mark_ended(
    conn: &mut PgConnection,
    session: &Session,
) -> Result<(), StoreError> {
    let rows = sqlx::query!(
        "select session_id, office_id from intake_sessions
         where source_id = $1 and session_id <> $2 and over_at is null",
        session.source_id.0,
        session.session_id,
    )
    .fetch_all(&mut *conn)
    .await?;
    if rows.is_empty() {
        return Ok(());
    }
    let offices: Vec<Uuid> = rows.iter().map(|row| row.office_id).collect();
    let living = offices::living(conn, &offices).await?;
    let own = session.office_id.0;
    let gone = rows.iter().filter(|row| row.office_id == own || !living.contains(&row.office_id));
    let gone: Vec<Uuid> = gone.map(|row| row.session_id).collect();
    mark_over(conn, &gone).await
}

/// Marks sessions as over: their messages come to others now.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn mark_over(conn: &mut PgConnection, sessions: &[Uuid]) -> Result<(), StoreError> {
    if sessions.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update intake_sessions set over_at = clock_timestamp()
         where session_id = any($1) and over_at is null",
        sessions
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Of the sessions that are over and left nothing to compare with, the last one says what all of them say: of
/// somebody, something may still come. So however often a source breaks, it has few rows. Returns those of the
/// others that have a receipt.
async fn keep_the_last_without_batches(
    conn: &mut PgConnection,
    of: &Session,
) -> Result<Vec<Uuid>, StoreError> {
    let forgotten = sqlx::query!(
        "with empty as (
             select session_id, row_number() over (order by over_at desc, session_id) as place
             from intake_sessions
             where source_id = $1 and over_at is not null and cleared_at is null
                 and session_id not in (
                     select session_id from unsettled_batches where source_id = $1
                 )
         )
         delete from intake_sessions where session_id in (
             select session_id from empty where place > 1
         )
         returning session_id, has_receipt",
        of.source_id.0,
    )
    .fetch_all(conn)
    .await?;
    let with_receipt = forgotten.iter().filter(|row| row.has_receipt);
    Ok(with_receipt.map(|row| row.session_id).collect())
}
