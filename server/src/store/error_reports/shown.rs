//! Reports as they are shown, and how long they are kept.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::error_report::{ErrorReportState, KeptErrorReport, ReportedFailure, WAITS_FOR};
use dlo_domain::ids::{ErrorReportId, LetterId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::store::StoreError;

/// How long a report is kept that no letter shows.
const KEPT: TimeDelta = TimeDelta::days(1);

struct Row {
    id: Uuid,
    received_at: DateTime<Utc>,
    reporter: String,
    message_id: Option<String>,
    body_sha256: Option<String>,
    queue: Option<String>,
    vhost: Option<String>,
    failure: Json<ReportedFailure>,
    letter_id: Option<Uuid>,
    ordinal: Option<i32>,
    is_ambiguous: bool,
    is_open: bool,
}

impl From<Row> for KeptErrorReport {
    fn from(row: Row) -> Self {
        let state = match (row.is_ambiguous, row.letter_id, row.is_open) {
            (true, ..) => ErrorReportState::Ambiguous,
            (false, Some(_), _) => ErrorReportState::Joined,
            (false, None, true) => ErrorReportState::Waiting,
            (false, None, false) => ErrorReportState::Unmatched,
        };
        let is_joined = state == ErrorReportState::Joined;
        Self {
            id: ErrorReportId(row.id),
            received_at: row.received_at,
            reporter: row.reporter,
            state,
            letter_id: row.letter_id.filter(|_| is_joined).map(LetterId),
            arrival: row.ordinal.filter(|_| is_joined),
            open_until: row.received_at + WAITS_FOR,
            message_id: row.message_id,
            body_sha256: row.body_sha256,
            queue: row.queue,
            vhost: row.vhost,
            failure: row.failure.0,
        }
    }
}

/// One report; `None` if there is none of this id.
///
/// # Errors
/// Returns an error if the query fails or the row cannot be read.
pub async fn one(
    conn: &mut PgConnection,
    id: ErrorReportId,
    now: DateTime<Utc>,
) -> Result<Option<KeptErrorReport>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select id, received_at, reporter, message_id, encode(body_sha256, 'hex') as body_sha256,
               queue, vhost, failure as "failure: Json<ReportedFailure>", letter_id, ordinal,
               is_ambiguous, received_at >= $2 as "is_open!"
           from error_reports where id = $1"#,
        id.0,
        now - WAITS_FOR,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(KeptErrorReport::from))
}

/// The reports that are joined to a letter, at most `most`: its last arrival's first, of each the newest first. Their
/// stack traces are left out, since they are long and mostly the same.
///
/// # Errors
/// Returns an error if the query fails or a row cannot be read.
pub async fn of_letter(
    conn: &mut PgConnection,
    letter: LetterId,
    most: i64,
) -> Result<Vec<KeptErrorReport>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select id, received_at, reporter, message_id, encode(body_sha256, 'hex') as body_sha256,
               queue, vhost, failure - 'stack_trace' as "failure!: Json<ReportedFailure>", letter_id, ordinal,
               is_ambiguous, false as "is_open!"
           from error_reports where letter_id = $1 and not is_ambiguous
           order by ordinal desc, id desc limit $2"#,
        letter.0,
        most,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(KeptErrorReport::from).collect())
}

/// Removes reports that no letter shows, of those that came before `place` and are a day old; at most `most` are
/// looked at, the newest first. Returns where to go on; `None` behind the oldest.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn forget_old(
    conn: &mut PgConnection,
    place: Option<ErrorReportId>,
    (now, most): (DateTime<Utc>, i64),
) -> Result<Option<ErrorReportId>, StoreError> {
    let last = sqlx::query_scalar!(
        r#"with looked as (
               select id, letter_id, is_ambiguous from error_reports
               where received_at < $2 and ($1::uuid is null or id < $1)
               order by id desc limit $3
           ), gone as (
               delete from error_reports where id in (
                   select id from looked where letter_id is null or is_ambiguous
                       or not exists (select from letters where letters.id = looked.letter_id))
           )
           select id from looked order by id limit 1"#,
        place.map(|id| id.0),
        now - KEPT,
        most,
    )
    .fetch_optional(conn)
    .await?;
    Ok(last.map(ErrorReportId))
}
