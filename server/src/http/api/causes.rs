//! What may be why letters die.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use dlo_domain::causes::{Behind, Causes};
use dlo_domain::ids::GroupId;

use super::input::{Id, Query};
use crate::http::Front;
use crate::http::problem::{Problem, ProblemBody};

/// What is not well with workers, executions and queues: how many workers are stale, executions are
/// stuck and queues have no consumers, and what was found that can lose messages.
#[utoipa::path(
    get, path = "/api/v1/causes", tag = "overview",
    responses(
        (status = 200, body = Causes),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn figures(State(front): State<Front>, uri: Uri) -> Result<Json<Causes>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.causes().await?))
}

/// The workers and executions behind the newest letters of a group: workers whose queue they died
/// in, and executions that they name, the five of each with the most letters.
#[utoipa::path(
    get, path = "/api/v1/groups/{id}/causes", tag = "groups",
    params(("id" = GroupId, Path)),
    responses(
        (status = 200, body = Behind),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn of_group(
    State(front): State<Front>,
    Id(id): Id<GroupId>,
) -> Result<Json<Behind>, Problem> {
    Ok(Json(front.desk.behind_group(id).await?))
}
