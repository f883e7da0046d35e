//! Executions: what workers and schedulers report, and what people end.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, Report, Reported,
    Reports,
};
use dlo_domain::page::Page;
use serde::{Deserialize, Serialize};

use super::input::{Id, JsonBody, Name, Query};
use crate::http::Front;
use crate::http::bearer::{Caller, Speaker};
use crate::http::problem::{Problem, ProblemBody};

/// Executions, newest first; stuck ones the longest first.
#[utoipa::path(
    get, path = "/api/v1/executions", tag = "executions",
    params(
        ("state" = Option<ExecutionState>, Query, description = "Those in this state"),
        ("worker" = Option<String>, Query, description = "Those of this worker"),
        ("stuck" = Option<bool>, Query, description = "Those that were not begun for longer than that may take"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "50 when it is left out"),
    ),
    responses(
        (status = 200, body = Page<Execution>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<Execution>>, Problem> {
    let query = Query::of(&uri, &["state", "worker", "stuck", "cursor", "limit"])?;
    let asked = ExecutionQuery {
        state: query.parsed("state")?,
        worker: query.value("worker").map(ToOwned::to_owned),
        stuck: query.parsed("stuck")?.unwrap_or_default(),
    };
    if asked.stuck && asked.state.is_some_and(|state| state >= ExecutionState::Running) {
        return Err(Problem::invalid(
            "what is stuck is requested, scheduling or scheduled: leave `state` or `stuck` out",
        ));
    }
    let page = front.desk.executions(&asked, query.cursor()?, query.limit()?);
    Ok(Json(page.await?))
}

/// One execution, with its result and the letters that name it.
#[utoipa::path(
    get, path = "/api/v1/executions/{id}", tag = "executions",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = ExecutionDetail),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(Name(id)): Id<Name>,
) -> Result<Json<ExecutionDetail>, Problem> {
    Ok(Json(front.desk.execution(&id).await?))
}

/// How executions fare: how many there are, how long scheduling takes, how many time out.
#[utoipa::path(
    get, path = "/api/v1/execution-figures", tag = "executions",
    responses((status = 200, body = ExecutionFigures))
)]
pub(crate) async fn figures(State(front): State<Front>) -> Result<Json<ExecutionFigures>, Problem> {
    Ok(Json(front.desk.execution_figures().await?))
}

/// Tells where an execution stands; the first report makes it known. The same said again changes
/// nothing.
#[utoipa::path(
    post, path = "/api/v1/executions/{id}", tag = "executions",
    params(("id" = String, Path)),
    request_body = Report,
    responses(
        (status = 200, body = Execution),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 403, body = ProblemBody, content_type = "application/problem+json", description = "The token does not speak for the worker that it names"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is over, further on, at a later attempt, or on another worker, also one that the token does not speak for: the problem says which"),
    )
)]
pub(crate) async fn report(
    State(front): State<Front>,
    speaker: Speaker,
    Id(Name(id)): Id<Name>,
    JsonBody(mut report): JsonBody<Report>,
) -> Result<Json<Execution>, Problem> {
    if !report.id.is_empty() && report.id != id {
        let why = format!("the path names `{id}`, and the body `{}`", report.id);
        return Err(Problem::invalid(why));
    }
    report.id = id;
    let reports = [report];
    for_workers(&speaker, &reports)?;
    let told = front.desk.report_executions_of(&reports, speaker.workers());
    let mut told = told.await?;
    let Some(Reported { execution, refused }) = told.pop() else {
        return Err(Problem::internal(&"a report without an answer"));
    };
    match refused {
        None => Ok(Json(execution)),
        Some(why) => Err(Problem::new(axum::http::StatusCode::CONFLICT, why)),
    }
}

/// Lets reports through that name workers which the token was made for, or none: those are held against the
/// worker that has the execution.
fn for_workers(speaker: &Speaker, reports: &[Report]) -> Result<(), Problem> {
    let mut workers = reports.iter().filter_map(|report| report.worker.as_deref());
    workers.try_for_each(|worker| speaker.for_worker(worker))
}

/// What came of several reports.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReportedMany {
    /// In the order of the reports.
    items: Vec<Reported>,
}

/// Tells where several executions stand. Each report is judged by itself: `refused` says of one why
/// it was not taken. One that cannot be read refuses all of them.
#[utoipa::path(
    post, path = "/api/v1/executions", tag = "executions",
    request_body(content = Reports, description = "`{\"reports\": […]}`; or one report by itself, with its `id`. Ids and workers are texts or whole numbers"),
    responses(
        (status = 200, body = ReportedMany),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 403, body = ProblemBody, content_type = "application/problem+json", description = "The token does not speak for a worker that one names; none was taken"),
    )
)]
pub(crate) async fn report_many(
    State(front): State<Front>,
    speaker: Speaker,
    JsonBody(Reports { reports }): JsonBody<Reports>,
) -> Result<Json<ReportedMany>, Problem> {
    for_workers(&speaker, &reports)?;
    let told = front.desk.report_executions_of(&reports, speaker.workers());
    let items = told.await?;
    Ok(Json(ReportedMany { items }))
}

/// Why somebody ends an execution.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    /// 1 to 4,096 bytes.
    reason: String,
}

/// Fails an execution that is not over, in the token's name.
#[utoipa::path(
    post, path = "/api/v1/executions/{id}/fail", tag = "executions",
    params(("id" = String, Path)),
    request_body = End,
    responses(
        (status = 200, body = Execution),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is over"),
    )
)]
pub(crate) async fn fail(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(Name(id)): Id<Name>,
    JsonBody(End { reason }): JsonBody<End>,
) -> Result<Json<Execution>, Problem> {
    let failed = ExecutionState::Failed;
    let ended = front.desk.end_execution(&actor, &id, failed, &reason);
    Ok(Json(ended.await?))
}

/// Calls an execution off that is not over, in the token's name. Its worker is told by the message
/// that is published of it, and by the refusal of its next report.
#[utoipa::path(
    post, path = "/api/v1/executions/{id}/cancel", tag = "executions",
    params(("id" = String, Path)),
    request_body = End,
    responses(
        (status = 200, body = Execution),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is over"),
    )
)]
pub(crate) async fn cancel(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(Name(id)): Id<Name>,
    JsonBody(End { reason }): JsonBody<End>,
) -> Result<Json<Execution>, Problem> {
    let cancelled = ExecutionState::Cancelled;
    let ended = front.desk.end_execution(&actor, &id, cancelled, &reason);
    Ok(Json(ended.await?))
}
