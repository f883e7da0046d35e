//! How much the server does for whoever asks, so that nobody who opens connections, sends slowly or
//! never reads takes it away from others.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use sqlx::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::Patience;

/// The limits of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once. More wait in the system's queue until one ends.
    pub connections: usize,
    /// How long a request's head may take, and how long a connection may stand idle before it.
    pub head: Duration,
    /// How long a request's body may take.
    pub body: Duration,
    /// How long a client may take nothing of an answer that waits for it.
    pub stalled: Duration,
    /// No answer takes longer to begin.
    pub answer: Duration,
    /// Whoever asks whether the office is ready waits so long for Postgres.
    pub database: Duration,
    /// Live streams at once to pages, and as many to programs.
    pub streams: usize,
    /// How often the token of a stream is looked up again.
    pub token_check: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            head: Duration::from_secs(20),
            body: Duration::from_secs(20),
            stalled: Duration::from_mins(1),
            answer: Patience::default().answer,
            database: Patience::default().page,
            streams: 100,
            token_check: Duration::from_secs(3),
        }
    }
}

impl From<&Patience> for Limits {
    fn from(patience: &Patience) -> Self {
        Self { answer: patience.answer, database: patience.page, ..Self::default() }
    }
}

/// Places for live streams, each of which is held as long as somebody listens.
#[derive(Debug, Clone)]
pub(super) struct StreamPlaces(Arc<Semaphore>);

impl StreamPlaces {
    /// So many places.
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Semaphore::new(limits.streams)))
    }

    /// A place, if one is free.
    ///
    /// # Errors
    /// Returns what to answer if all are taken.
    pub(super) fn take(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.0.clone().try_acquire_owned().map_err(|_| {
            Problem::unavailable(
                "too many live streams are open: close some pages or programs, or ask again later",
            )
        })
    }
}

/// Places for pages that are made at once. A page reads several things side by side, each over a connection of its own:
/// if all pages that are asked for began at once, each would wait for its last connection longer than anybody waits for
/// one. What is sent in has no place: it may wait for a broker or for Slack.
#[derive(Debug, Clone)]
pub(super) struct PagePlaces(Arc<Semaphore>);

impl PagePlaces {
    /// As many as the pool has connections.
    pub(super) fn new(pool: &PgPool) -> Self {
        let connections = pool.options().get_max_connections();
        Self(Arc::new(Semaphore::new(connections.try_into().unwrap_or(usize::MAX))))
    }
}

/// Has a page wait until it has a place.
pub(super) async fn in_turn(
    State(places): State<PagePlaces>,
    request: Request,
    next: Next,
) -> Response {
    let is_page = matches!(*request.method(), Method::GET | Method::HEAD);
    // The places are never closed.
    let _place = if is_page { places.0.acquire().await.ok() } else { None };
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicU32, Ordering};

    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;
    use sqlx::postgres::PgPoolOptions;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn as_many_pages_are_made_at_once_as_there_are_connections() {
        let pool = PgPoolOptions::new().max_connections(2).connect_lazy("postgres://nowhere");
        let places = PagePlaces::new(&pool.expect("a pool"));
        let (begun, may_end) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
        let (begins, ends) = (begun.clone(), may_end.clone());
        let answer = move || {
            begins.fetch_add(1, Ordering::Relaxed);
            let ends = ends.clone();
            async move { ends.acquire_owned().await.expect("open").forget() }
        };
        let pages = Router::new().route("/", get(answer.clone()).post(answer));
        let pages = pages.layer(from_fn_with_state(places, in_turn));
        let ask = |method| {
            let request = Request::builder().method(method).body(Body::empty());
            pages.clone().oneshot(request.expect("a request"))
        };
        let begun = || begun.load(Ordering::Relaxed);

        let mut three = pin!(join_all([ask(Method::GET), ask(Method::HEAD), ask(Method::GET)]));
        assert!(three.as_mut().now_or_never().is_none());
        assert_eq!(begun(), 2, "the third waits");

        let mut sent_in = pin!(ask(Method::POST));
        assert!(sent_in.as_mut().now_or_never().is_none());
        assert_eq!(begun(), 3, "what is sent in does not");

        may_end.add_permits(1);
        assert!(three.as_mut().now_or_never().is_none());
        assert_eq!(begun(), 4, "the third has the place of one that ended");

        may_end.add_permits(3);
        assert_eq!(three.await.len(), 3);
    }
}
