//! What every request and every answer passes. While there are no accounts, whoever reaches us is
//! the local operator: so we answer only to a loopback name (a page elsewhere could otherwise
//! point its own name at us), and refuse what other sites make a browser send.

use std::any::Any;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::limit::RequestBodyLimitLayer;

use super::problem::{Problem, too_large};

/// At most this many bytes of a request.
pub const MOST_BODY_BYTES: usize = 1024 * 1024;

/// No answer takes longer to begin.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

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
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (HeaderName::from_static("x-dns-prefetch-control"), "off"),
    // Letters are nobody else's business, a cache's neither.
    (header::CACHE_CONTROL, "no-store"),
];

/// Puts the guards around a router; the last one added is passed first.
pub(super) fn guarded(router: Router) -> Router {
    router
        .layer(RequestBodyLimitLayer::new(MOST_BODY_BYTES))
        .layer(from_fn(small_enough))
        .layer(CsrfLayer::new().with_rejection_response(|_: ProtectionError| cross_site()))
        .layer(from_fn(local_name))
        .layer(from_fn(in_time))
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

#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer hands over what it caught"
)]
fn panicked(cause: Box<dyn Any + Send + 'static>) -> HttpResponse<Body> {
    let text = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words");
    Problem::internal(&text).into_response()
}

async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(ANSWER_WITHIN, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::unavailable(format!(
            "this took longer than {} s and was given up: ask for less, or later",
            ANSWER_WITHIN.as_secs()
        ))
        .into_response(),
    }
}

/// Refuses a body that says that it is too large; one that does not say so is cut off as it is
/// read.
async fn small_enough(request: Request, next: Next) -> Response {
    let said = request.headers().get(header::CONTENT_LENGTH);
    let bytes = said.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if bytes.is_some_and(|bytes| bytes > MOST_BODY_BYTES as u64) {
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, too_large()).into_response();
    }
    next.run(request).await
}

async fn local_name(request: Request, next: Next) -> Response {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next().and_then(|value| value.to_str().ok());
    let only = hosts.next().is_none();
    let authority = request
        .uri()
        .authority()
        .map(axum::http::uri::Authority::as_str);
    let is_local = |name: Option<&str>| name.is_some_and(is_loopback_name);
    if only && is_local(named) && (authority.is_none() || is_local(authority)) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        "this server answers to localhost, 127.0.0.1 and [::1] only, while it has no accounts: \
         use one of these names (through a tunnel, ssh -L, from elsewhere)",
    )
    .into_response()
}

/// Whether a `Host` (with or without a port) is the machine itself.
fn is_loopback_name(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let loopback = address.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
            return loopback && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
        }
        None => host
            .split_once(':')
            .map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let local = name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    local && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

fn cross_site() -> HttpResponse<Body> {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this request comes from another site: changes are made from our own pages, or by \
         programs through the API",
    )
    .into_response()
}

/// Lets only our own pages read a stream: browsers say where a request comes from.
pub(super) async fn same_origin(request: Request, next: Next) -> Response {
    let site = request
        .headers()
        .get("sec-fetch-site")
        .map(HeaderValue::as_bytes);
    if matches!(site, None | Some(b"same-origin" | b"none")) {
        return next.run(request).await;
    }
    cross_site()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        let local = [
            "localhost",
            "LocalHost:8484",
            "127.0.0.1:1",
            "127.9.9.9",
            "[::1]",
            "[::1]:80",
        ];
        for host in local {
            assert!(is_loopback_name(host), "{host}");
        }
        let other = [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "0.0.0.0",
            "192.168.0.1",
            "[::]:80",
            "[::1].evil",
            "localhost:80:80",
            "localhost:x",
            "2130706433",
            "[::ffff:127.0.0.1",
            "user@localhost",
        ];
        for host in other {
            assert!(!is_loopback_name(host), "{host}");
        }
    }
}
