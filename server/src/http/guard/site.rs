//! Which site a browser sends a request for. Any page can make a browser ask us, by an image, a script, a
//! frame or a form: such a request cannot be read by that page, but it costs us all the same. So other
//! sites may lead a person to a page, and nothing else.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;
use crate::http::route::RouteKind;

/// Who had a request sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// One of our pages, or a person who typed or opened the address.
    Own,
    /// Another site.
    Other,
    /// Nobody says: a program, or a browser from before 2023.
    Unknown,
}

/// Lets through what our own pages, people and programs ask.
pub(super) async fn own(request: Request, next: Next) -> Response {
    let kind = RouteKind::of(&request);
    match sender(request.headers()) {
        Sender::Other if kind != RouteKind::Page || !is_navigation(&request) => cross_site(),
        // No token is asked for here, so a browser that hides where it comes from is not believed.
        Sender::Unknown if kind == RouteKind::OfPages && is_browser(request.headers()) => {
            Problem::new(
                StatusCode::FORBIDDEN,
                "this browser does not say which site a request comes from (Sec-Fetch-Site): use \
                 one from 2023 or later, or ask the API with a token",
            )
            .into_response()
        }
        Sender::Own | Sender::Other | Sender::Unknown => next.run(request).await,
    }
}

fn cross_site() -> Response {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this request comes from another site, which may link to pages and no more: open the page \
         itself, or ask the API from a program",
    )
    .into_response()
}

/// Browsers say it in `Sec-Fetch-Site`; older ones at most in `Origin` or `Referer`.
fn sender(headers: &HeaderMap) -> Sender {
    if headers.contains_key("sec-fetch-site") {
        return match only(headers, "sec-fetch-site") {
            Some("same-origin" | "none") => Sender::Own,
            _ => Sender::Other,
        };
    }
    for name in [header::ORIGIN, header::REFERER] {
        if headers.contains_key(&name) {
            let place = only(headers, name.as_str());
            let place = place.and_then(|place| place.strip_prefix("http://"));
            let place = place.map(|place| place.split('/').next().unwrap_or_default());
            let own = only(headers, header::HOST.as_str());
            return if place.is_some() && place == own { Sender::Own } else { Sender::Other };
        }
    }
    Sender::Unknown
}

/// Whether a browser goes to a page, and does not load it into another or beforehand.
fn is_navigation(request: &Request) -> bool {
    let headers = request.headers();
    let is_beforehand = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
        .iter()
        .any(|name| headers.contains_key(*name));
    if *request.method() != Method::GET || is_beforehand {
        return false;
    }
    if headers.contains_key("sec-fetch-site") {
        return only(headers, "sec-fetch-site").is_some()
            && only(headers, "sec-fetch-mode") == Some("navigate")
            && only(headers, "sec-fetch-dest") == Some("document");
    }
    // An older browser: what is no navigation does not ask for a document.
    !headers.contains_key(header::ORIGIN)
        && only(headers, header::ACCEPT.as_str()).is_some_and(|kinds| kinds.contains("text/html"))
}

fn is_browser(headers: &HeaderMap) -> bool {
    only(headers, header::USER_AGENT.as_str()).is_some_and(|name| name.starts_with("Mozilla/"))
}

/// The value of a header that comes once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
