//! Workers: their heartbeats, and how they are.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use dlo_domain::worker::{Heartbeat, HeartbeatAnswer, WorkerPage, WorkerReport};

use super::input::{Id, JsonBodyIfAny, Name, Query};
use crate::http::Front;
use crate::http::bearer::{Caller, Speaker};
use crate::http::problem::{Problem, ProblemBody};

/// Workers: stale ones first, then those that drain, are fresh, or have stopped; each by name.
#[utoipa::path(
    get, path = "/api/v1/workers", tag = "workers",
    params(
        ("state" = Option<String>, Query, description = "fresh, stale, draining or stopped"),
        ("kind" = Option<String>, Query, description = "Only workers of this kind"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Workers of one page; 50 when it is left out"),
    ),
    responses(
        (status = 200, body = WorkerPage),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<WorkerPage>, Problem> {
    let query = Query::of(&uri, &["state", "kind", "cursor", "limit"])?;
    let (condition, after) = (query.parsed("state")?, query.parsed("cursor")?);
    let page = front.desk.workers(condition, query.value("kind"), after.as_ref(), query.limit()?);
    Ok(Json(page.await?))
}

/// One worker, with the times in which it was away.
#[utoipa::path(
    get, path = "/api/v1/workers/{name}", tag = "workers",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = WorkerReport),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(Name(name)): Id<Name>,
) -> Result<Json<WorkerReport>, Problem> {
    Ok(Json(front.desk.worker(&name).await?))
}

/// A worker says that it lives. The first heartbeat makes it known. Members that are not known are
/// ignored; what is left out stays as it was, and a heartbeat without a body leaves out everything. A
/// `queue` is taken down only where it is called as `worker_queue` or `worker_queues` of the configuration
/// say that workers' queues are; `queue_refused` says when it was not. A token of the role worker speaks for the
/// workers that it was made for.
#[utoipa::path(
    post, path = "/api/v1/workers/{name}/heartbeat", tag = "workers",
    params(("name" = String, Path)),
    request_body = Option<Heartbeat>,
    responses(
        (status = 200, body = HeartbeatAnswer),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 403, body = ProblemBody, content_type = "application/problem+json", description = "The token does not speak for this worker"),
    )
)]
pub(crate) async fn heartbeat(
    State(front): State<Front>,
    speaker: Speaker,
    Id(Name(name)): Id<Name>,
    JsonBodyIfAny(beat): JsonBodyIfAny<Heartbeat>,
) -> Result<Json<HeartbeatAnswer>, Problem> {
    speaker.for_worker(&name)?;
    Ok(Json(front.desk.heartbeat(&name, beat).await?))
}

/// Has a worker drained: it counts as draining whatever it says of itself, until it stops or is
/// activated. Its next heartbeat over HTTP is answered so.
#[utoipa::path(
    post, path = "/api/v1/workers/{name}/drain", tag = "workers",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = WorkerReport),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It has stopped"),
    )
)]
pub(crate) async fn drain(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(Name(name)): Id<Name>,
) -> Result<Json<WorkerReport>, Problem> {
    Ok(Json(front.desk.drain_worker(&actor, &name, true).await?))
}

/// Ends a drain: the worker is active again.
#[utoipa::path(
    post, path = "/api/v1/workers/{name}/activate", tag = "workers",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = WorkerReport),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is not draining"),
    )
)]
pub(crate) async fn activate(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(Name(name)): Id<Name>,
) -> Result<Json<WorkerReport>, Problem> {
    Ok(Json(front.desk.drain_worker(&actor, &name, false).await?))
}
