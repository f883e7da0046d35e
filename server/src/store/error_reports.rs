//! Error reports, and the messages that they may be of.

mod earlier;
mod shown;

use chrono::{DateTime, Utc};
use dlo_domain::error_report::{
    ErrorReport, JoinedArrival, Joining, ReportedFailure, ReportedMessage, WAITS_FOR,
};
use dlo_domain::ids::{ErrorReportId, LetterId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;

pub use earlier::{Named, arrived_since};
pub use shown::{forget_old, of_letter, one};

/// A report, and the letter that it belongs to as far as messages arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReport {
    /// Its id.
    pub id: ErrorReportId,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// What it is about.
    pub message: ReportedMessage,
    /// What it tells.
    pub failure: ReportedFailure,
    /// The letter.
    pub joining: Joining,
    /// The letter that tells what is reported, or did so before another came that fits.
    pub letter: Option<LetterId>,
}

struct Row {
    id: Uuid,
    received_at: DateTime<Utc>,
    message_id: Option<String>,
    body_sha256: Option<Vec<u8>>,
    queue: Option<String>,
    vhost: Option<String>,
    failure: Json<ReportedFailure>,
    letter_id: Option<Uuid>,
    ordinal: Option<i32>,
    arrived_at: Option<DateTime<Utc>>,
    is_ambiguous: bool,
}

impl TryFrom<Row> for StoredReport {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let digest = row.body_sha256.map(<[u8; 32]>::try_from).transpose();
        let why = "it does not have 32 bytes".to_owned();
        let body_sha256 =
            digest.map_err(|_| StoreError::corrupt("error_reports", "body_sha256", why))?;
        let letter = row.letter_id.map(LetterId);
        let joining = match (letter, row.ordinal, row.arrived_at) {
            _ if row.is_ambiguous => Joining::Ambiguous,
            (Some(letter), Some(ordinal), Some(arrived_at)) => {
                Joining::To(JoinedArrival { letter, ordinal, arrived_at })
            }
            _ => Joining::None,
        };
        Ok(Self {
            id: ErrorReportId(row.id),
            received_at: row.received_at,
            message: ReportedMessage {
                message_id: row.message_id,
                body_sha256,
                queue: row.queue,
                vhost: row.vhost,
            },
            failure: row.failure.0,
            joining,
            letter,
        })
    }
}

/// Keeps a report, to be looked at next.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn insert(
    conn: &mut PgConnection,
    (id, reporter): (ErrorReportId, &str),
    report: &ErrorReport,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let message = &report.message;
    sqlx::query!(
        "insert into error_reports
             (id, received_at, reporter, message_id, body_sha256, queue, vhost, failure, look_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $2)",
        id.0,
        now,
        reporter,
        message.message_id,
        message.body_sha256.as_ref().map(|digest| &digest[..]),
        message.queue,
        message.vhost,
        Json(&report.failure) as Json<&ReportedFailure>,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the reports that wait for a letter and name one of these message ids, or no id and one of these bodies,
/// until the transaction ends; in the order in which they came, which is that of everybody who takes some.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn take_naming(
    conn: &mut PgConnection,
    message_ids: &[&str],
    bodies: &[&[u8]],
    now: DateTime<Utc>,
) -> Result<Vec<StoredReport>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select id, received_at, message_id, body_sha256, queue, vhost,
               failure as "failure: Json<ReportedFailure>", letter_id, ordinal, arrived_at,
               is_ambiguous
           from error_reports
           where id in (
               select id from error_reports where message_id = any($1) and received_at >= $3
               union all
               select id from error_reports
               where message_id is null and body_sha256 = any($2) and received_at >= $3)
           order by id for update"#,
        message_ids as &[&str],
        bodies as &[&[u8]],
        now - WAITS_FOR,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(StoredReport::try_from).collect()
}

/// The reports that are to be looked at now, the earliest first.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn due(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    most: i64,
) -> Result<Vec<StoredReport>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select id, received_at, message_id, body_sha256, queue, vhost,
               failure as "failure: Json<ReportedFailure>", letter_id, ordinal, arrived_at,
               is_ambiguous
           from error_reports where look_at <= $1
           order by look_at limit $2"#,
        now,
        most,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(StoredReport::try_from).collect()
}

/// Takes reports that are due until the transaction ends, as they are now. Those that another office has looked at
/// since are left out, and so are those that intake has in hand: they stay due.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn take_due(
    conn: &mut PgConnection,
    reports: &[ErrorReportId],
    now: DateTime<Utc>,
) -> Result<Vec<StoredReport>, StoreError> {
    let ids: Vec<Uuid> = reports.iter().map(|id| id.0).collect();
    let rows = sqlx::query_as!(
        Row,
        r#"select id, received_at, message_id, body_sha256, queue, vhost,
               failure as "failure: Json<ReportedFailure>", letter_id, ordinal, arrived_at,
               is_ambiguous
           from error_reports where id = any($1) and look_at <= $2
           order by id for update skip locked"#,
        &ids,
        now,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(StoredReport::try_from).collect()
}

/// What is now known of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The report.
    pub report: ErrorReportId,
    /// The letter that it belongs to.
    pub joining: Joining,
    /// When it is looked at again; `None` if nothing is left to find.
    pub next: Option<DateTime<Utc>>,
}

/// Writes down what is known of reports that were taken. The letter of one that is ambiguous now stays written down:
/// it may still tell what was reported.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn record(conn: &mut PgConnection, looks: &[Look]) -> Result<(), StoreError> {
    if looks.is_empty() {
        return Ok(());
    }
    let joined: Vec<Option<JoinedArrival>> = looks
        .iter()
        .map(|look| match look.joining {
            Joining::To(joined) => Some(joined),
            Joining::None | Joining::Ambiguous => None,
        })
        .collect();
    let ids: Vec<Uuid> = looks.iter().map(|look| look.report.0).collect();
    let letters: Vec<Option<Uuid>> = joined.iter().map(|one| one.map(|one| one.letter.0)).collect();
    let ordinals: Vec<Option<i32>> = joined.iter().map(|one| one.map(|one| one.ordinal)).collect();
    let arrived: Vec<Option<DateTime<Utc>>> =
        joined.iter().map(|one| one.map(|one| one.arrived_at)).collect();
    let ambiguous: Vec<bool> =
        looks.iter().map(|look| look.joining == Joining::Ambiguous).collect();
    let nexts: Vec<Option<DateTime<Utc>>> = looks.iter().map(|look| look.next).collect();
    sqlx::query!(
        "update error_reports as r
         set letter_id = coalesce(look.letter_id, r.letter_id),
             ordinal = coalesce(look.ordinal, r.ordinal),
             arrived_at = coalesce(look.arrived_at, r.arrived_at),
             is_ambiguous = look.is_ambiguous, look_at = look.next
         from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::boolean[],
              $6::timestamptz[])
             as look (id, letter_id, ordinal, arrived_at, is_ambiguous, next)
         where r.id = any($1) and r.id = look.id",
        &ids,
        &letters as &[Option<Uuid>],
        &ordinals as &[Option<i32>],
        &arrived as &[Option<DateTime<Utc>>],
        &ambiguous,
        &nexts as &[Option<DateTime<Utc>>],
    )
    .execute(conn)
    .await?;
    Ok(())
}
