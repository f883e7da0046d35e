//! Saved views: filters with a name. Each caller sees their own and the shared ones.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use dlo_domain::ids::ViewId;
use dlo_domain::page::Page;
use dlo_domain::view::{NewView, View, ViewFault};

use super::created::created;
use super::input::{Id, JsonBody};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// The caller's own views and the shared ones, by name.
#[utoipa::path(
    get, path = "/api/v1/views", tag = "views",
    responses((status = 200, body = Page<View>, description = "All of them in one page"))
)]
pub(crate) async fn list(
    State(front): State<Front>,
    Caller(actor): Caller,
) -> Result<Json<Page<View>>, Problem> {
    Ok(Json(front.desk.views(&actor).await?.into()))
}

/// Saves a view. One of the caller's own of that name is replaced.
#[utoipa::path(
    post, path = "/api/v1/views", tag = "views",
    request_body = NewView,
    responses(
        (status = 201, body = View),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "There are too many"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewView>,
) -> Result<Response, Problem> {
    wanted.checked().map_err(|fault| match fault {
        ViewFault::Filter(fault) => Problem::unreadable_filter(&fault),
        fault @ ViewFault::Name => Problem::invalid(fault.to_string()),
    })?;
    let view = front.desk.save_view(&actor, &wanted).await?;
    // A view has no address of its own.
    Ok(created("/api/v1/views".to_owned(), view))
}

/// Removes a view of the caller's own.
#[utoipa::path(
    delete, path = "/api/v1/views/{id}", tag = "views",
    params(("id" = ViewId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ViewId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_view(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
