//! Error reports: what workers tell of messages apart from them.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use dlo_domain::error_report::{KeptErrorReport, NewErrorReport};
use dlo_domain::ids::ErrorReportId;

use super::created::created;
use super::input::{Id, JsonBody, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// A worker tells why it could not process a message. The report is joined to the letter of that message, which may
/// have arrived in the last 15 minutes, or arrives within an hour: it shows the class, message and stack in the place
/// of what the message says itself. Where several letters may be the one, it is joined to none. Names are compared
/// exactly.
#[utoipa::path(
    post, path = "/api/v1/error-reports", tag = "error reports",
    request_body = NewErrorReport,
    responses(
        (status = 201, body = KeptErrorReport, description = "Kept; `Location` tells later what became of it"),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(reporter): Caller,
    JsonBody(report): JsonBody<NewErrorReport>,
) -> Result<Response, Problem> {
    let kept = front.desk.report_error(&reporter, report).await?;
    Ok(created(format!("/api/v1/error-reports/{}", kept.id), kept))
}

/// One error report, with what became of it. One that no letter shows is removed a day after it came.
#[utoipa::path(
    get, path = "/api/v1/error-reports/{id}", tag = "error reports",
    params(("id" = ErrorReportId, Path)),
    responses(
        (status = 200, body = KeptErrorReport),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<ErrorReportId>,
    uri: Uri,
) -> Result<Json<KeptErrorReport>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.error_report(id).await?))
}
