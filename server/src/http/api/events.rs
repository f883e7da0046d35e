//! Live events for programs.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use dlo_domain::event::LiveEvent;

use crate::http::bearer::ShownToken;
use crate::http::limits::StreamPlaces;
use crate::http::problem::{Problem, ProblemBody};
use crate::http::{Front, live};

/// What happens, as server-sent events; the data of each is one event as JSON. Events are hints:
/// after `missed`, and after each new connection, load again what is shown. The stream ends some
/// seconds after its token is revoked.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "events",
    responses(
        (status = 200, body = LiveEvent, content_type = "text/event-stream"),
        (status = 503, body = ProblemBody, content_type = "application/problem+json", description = "Too many streams are open")
    )
)]
pub(crate) async fn stream(
    State(front): State<Front>,
    Extension(places): Extension<StreamPlaces>,
    Extension(token): Extension<ShownToken>,
) -> Result<Response, Problem> {
    live::stream_to(&front, &places, token)
}
