//! Live events as a stream of server-sent events. A reader that falls behind is told that it
//! missed some; nobody is waited for.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use dlo_domain::event::LiveEvent;
use futures_util::{Stream, StreamExt as _};
use tokio_stream::wrappers::BroadcastStream;

use super::Front;

/// How often a line is sent when nothing happens, so that dead connections are noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a browser tries again when the stream ends.
const RETRY: Duration = Duration::from_secs(2);

/// Events as they happen, until we stop.
pub(super) async fn stream(
    State(front): State<Front>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let heard = BroadcastStream::new(front.hub.listen());
    let events = heard
        .map(|heard| heard.unwrap_or(LiveEvent::Missed))
        .map(|event| {
            let text = serde_json::to_string(&event).expect("an event is made of ids and numbers");
            Event::default().data(text)
        });
    let hello = futures_util::stream::iter([Event::default().comment("listening").retry(RETRY)]);
    let all = hello
        .chain(events)
        .map(Ok)
        .take_until(front.stop.cancelled_owned());
    Sse::new(all).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}
