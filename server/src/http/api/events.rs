//! Live events for programs.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use dlo_domain::event::LiveEvent;
use futures_util::Stream;

use crate::http::{Front, live};

/// What happens, as server-sent events; the data of each is one event as JSON. Events are hints:
/// after `missed`, and after each new connection, load again what is shown.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "events",
    responses((status = 200, body = LiveEvent, content_type = "text/event-stream"))
)]
pub(crate) async fn stream(
    state: State<Front>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    live::stream(state).await
}
