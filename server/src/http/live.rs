//! Live events as a stream of server-sent events. A reader that falls behind is told that it
//! missed some; nobody is waited for.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use dlo_domain::event::LiveEvent;
use futures_util::{Stream, StreamExt as _};
use sqlx::PgPool;
use tokio::sync::OwnedSemaphorePermit;
use tokio_stream::wrappers::BroadcastStream;

use super::bearer::ShownToken;
use super::limits::StreamPlaces;
use super::problem::Problem;
use super::{Front, Limits};
use crate::store::{StoreError, tokens};

/// How often a line is sent when nothing happens, so that dead connections are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a browser tries again when the stream ends.
const RETRY: Duration = Duration::from_secs(2);

/// Events as they happen, until we stop: for pages.
pub(super) async fn stream(
    State(front): State<Front>,
    Extension(places): Extension<StreamPlaces>,
) -> Result<Response, Problem> {
    let place = places.take()?;
    Ok(answer(events(&front, place)))
}

/// Events as they happen, until we stop or the token is revoked: for programs.
pub(super) fn stream_to(
    front: &Front,
    places: &StreamPlaces,
    token: ShownToken,
) -> Result<Response, Problem> {
    let place = places.take()?;
    let revoked = revoked(front.pool.clone(), token, front.limits);
    Ok(answer(events(front, place).take_until(revoked)))
}

fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(events).keep_alive(keep_alive).into_response()
}

fn events(
    front: &Front,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + use<> {
    let heard = BroadcastStream::new(front.hub.listen());
    let events = heard.map(move |heard| {
        // Held as long as somebody listens.
        let _ = &place;
        let event = heard.unwrap_or(LiveEvent::Missed);
        let text = serde_json::to_string(&event).expect("an event is made of ids and numbers");
        Event::default().data(text)
    });
    let hello = futures_util::stream::iter([Event::default().comment("listening").retry(RETRY)]);
    hello.chain(events).map(Ok).take_until(front.stop.clone().cancelled_owned())
}

/// Ends when the token is good no more. While the database is away nobody can tell, and a stream that
/// was let in goes on.
async fn revoked(pool: PgPool, token: ShownToken, limits: Limits) {
    loop {
        tokio::time::sleep(limits.token_check).await;
        if matches!(is_good(&pool, &token).await, Ok(false)) {
            return;
        }
    }
}

async fn is_good(pool: &PgPool, token: &ShownToken) -> Result<bool, StoreError> {
    let mut conn = pool.acquire().await?;
    Ok(tokens::holder(&mut conn, &token.0).await?.is_some())
}
