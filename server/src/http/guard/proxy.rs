//! Whether a request came through a proxy. A reverse proxy on this machine asks us by a loopback name,
//! for people from anywhere: while pages have no accounts, all of them would be the local operator. So
//! only what asks for a token by itself is answered through one.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;
use crate::http::route::RouteKind;

/// What proxies add, besides everything that begins with `x-forwarded-`.
const ADDED: [&str; 3] = ["forwarded", "via", "x-real-ip"];

const FORWARDED: &str = "x-forwarded-";

/// Refuses what came through a proxy, except for the API.
pub(super) async fn none(request: Request, next: Next) -> Response {
    let kind = RouteKind::of(&request);
    if kind == RouteKind::Api {
        return next.run(request).await;
    }
    let sign = match added(request.headers()) {
        Some(name) => format!("it has the header `{name}`"),
        // No browser speaks it, and nginx does by itself. Some checks of health do, too.
        None if request.version() < Version::HTTP_11 && kind != RouteKind::Health => {
            "it speaks HTTP/1.0".to_owned()
        }
        None => return next.run(request).await,
    };
    Problem::new(
        StatusCode::FORBIDDEN,
        format!(
            "this request came through a proxy ({sign}), and pages have no accounts yet: whoever \
             the proxy lets in could read and replay letters. Take the proxy away and use a tunnel \
             (ssh -L 8484:127.0.0.1:8484). Programs may come through a proxy, to /api/v1 with a token"
        ),
    )
    .into_response()
}

/// The first header that only a proxy adds.
fn added(headers: &HeaderMap) -> Option<&str> {
    let mut names = headers.keys().map(axum::http::HeaderName::as_str);
    names.find(|name| ADDED.contains(name) || name.starts_with(FORWARDED))
}
