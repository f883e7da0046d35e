//! What every request and every answer passes. While there are no accounts, whoever reaches us is
//! the local operator: so we answer only to a loopback name (a page elsewhere could otherwise
//! point its own name at us), and refuse what other sites make a browser send, and what comes through a
//! proxy.

mod body;
mod host;
mod proxy;
mod site;

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Response as HttpResponse, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;

use super::limits::Limits;
use super::problem::Problem;

/// At most this many bytes of a request's body.
pub const MOST_BODY_BYTES: usize = 1024 * 1024;

/// What goes with every answer that does not say otherwise.
const HEADERS: [(HeaderName, &str); 9] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("x-dns-prefetch-control"), "off"),
    // Letters are nobody else's business, a cache's neither.
    (header::CACHE_CONTROL, "no-store"),
];

/// Puts the guards around a router; the last one added is passed first.
pub(super) fn guarded(router: Router, limits: &Limits) -> Router {
    router
        .layer(from_fn_with_state(limits.body, body::whole))
        .layer(from_fn(site::own))
        .layer(from_fn(proxy::none))
        .layer(from_fn(host::local))
        .layer(from_fn_with_state(limits.answer, in_time))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(headers))
}

async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        let entry = response.headers_mut().entry(name);
        entry.or_insert(HeaderValue::from_static(value));
    }
    response
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands over what it caught")]
fn panicked(cause: Box<dyn Any + Send + 'static>) -> HttpResponse<Body> {
    let text = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words");
    Problem::internal(&text).into_response()
}

async fn in_time(State(within): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(within, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::unavailable(format!(
            "this took longer than {} s and was cancelled: ask for less, or try later",
            within.as_secs()
        ))
        .into_response(),
    }
}
