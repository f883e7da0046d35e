//! Counts and times every request, by route and never by path, so that names in paths cannot
//! multiply the figures. What is logged meanwhile, each query among it, is logged within the request's span.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::Instant;
use tower_http::request_id::{MakeRequestId, RequestId};
use tracing::Instrument as _;
use uuid::Uuid;

/// Makes the id that a request is known by in answer and log.
#[derive(Clone, Copy)]
pub(super) struct RandomId;

impl MakeRequestId for RandomId {
    fn make_request_id<B>(&mut self, _: &axum::http::Request<B>) -> Option<RequestId> {
        let id = Uuid::new_v4().to_string().parse().ok()?;
        Some(RequestId::new(id))
    }
}

/// Counts, times and logs.
pub(super) async fn observe(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = method_name(request.method());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let id = request.extensions().get::<RequestId>().cloned();
    let id = id.as_ref().and_then(|id| id.header_value().to_str().ok());
    let span = tracing::info_span!("request", method, route, id);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    let seconds = began.elapsed().as_secs_f64();
    metrics::counter!(
        "dlo_http_requests_total",
        "method" => method, "route" => route.clone(), "status" => status.to_string()
    )
    .increment(1);
    metrics::histogram!("dlo_http_request_seconds", "method" => method, "route" => route)
        .record(seconds);
    span.in_scope(|| tracing::debug!(status, seconds, "answered"));
    response
}

/// A client may invent methods; figures have a fixed set.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
