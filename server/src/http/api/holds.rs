//! Taking scheduled letters away from their retry policies.

use axum::Json;
use axum::extract::State;
use dlo_domain::selection::{Changed, Selection};
use serde::Deserialize;

use super::discards::check;
use super::input::JsonBody;
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Which letters are to wait for a person.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewHold {
    /// Which letters.
    selection: Selection,
}

/// Holds letters that a retry policy would replay: they wait for a person, and their policies are
/// asked again when they die again. Those that are not scheduled are left out, with the reason.
#[utoipa::path(
    post, path = "/api/v1/holds", tag = "decisions",
    request_body = NewHold,
    responses(
        (status = 200, body = Changed),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such group"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewHold>,
) -> Result<Json<Changed>, Problem> {
    check(&wanted.selection)?;
    Ok(Json(front.desk.hold(&actor, &wanted.selection).await?))
}
