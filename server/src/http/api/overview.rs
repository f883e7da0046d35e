//! The figures of the first page.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use dlo_domain::overview::{Overview, Span};

use super::input::Query;
use crate::http::Front;
use crate::http::problem::{Problem, ProblemBody};

/// What is dying, and why: deaths over a span, the worst groups, what waits and what it has in
/// common, and the sources.
#[utoipa::path(
    get, path = "/api/v1/overview", tag = "overview",
    params(("span" = Option<String>, Query, description = "`1h`, `24h` or `7d`; `1h` when left out")),
    responses(
        (status = 200, body = Overview),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn figures(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Overview>, Problem> {
    let query = Query::of(&uri, &["span"])?;
    let span = query.parsed::<Span>("span")?;
    Ok(Json(front.desk.overview(span.unwrap_or_default()).await?))
}
