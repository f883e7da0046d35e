//! Taking discarded letters back.

use axum::Json;
use axum::extract::State;
use dlo_domain::selection::{Changed, Selection};
use serde::Deserialize;

use super::discards::check;
use super::input::JsonBody;
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Which letters are taken back.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRestore {
    /// Which letters.
    selection: Selection,
}

/// Takes discarded letters back. Those that are not discarded are left out, with the reason.
#[utoipa::path(
    post, path = "/api/v1/restores", tag = "decisions",
    request_body = NewRestore,
    responses(
        (status = 200, body = Changed),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such group"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewRestore>,
) -> Result<Json<Changed>, Problem> {
    check(&wanted.selection)?;
    Ok(Json(front.desk.restore(&actor, &wanted.selection).await?))
}
