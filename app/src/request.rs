//! What server functions need to know of their request, and say about the answer.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use leptos::prelude::use_context;
use leptos::server_fn::ServerFn;
use leptos::server_fn::axum_export::http::StatusCode;
use leptos::server_fn::axum_export::http::request::Parts;
use leptos::server_fn::axum_export::http::uri::Authority;
use leptos::server_fn::error::ServerFnUrlError;
use leptos_axum::ResponseOptions;

use crate::desk::DeskError;
use crate::error::ApiError;

/// Where server functions live; every other path is a page.
const FUNCTIONS: &str = "/ui/";

/// The time that pages show ages from, and that "for 8 hours" in a form counts from.
pub(crate) fn now() -> DateTime<Utc> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the ages on a page and the ends of mutes are counted from it; the port has no clock"
    )]
    let now = SystemTime::now();
    DateTime::from(now)
}

/// The address that the request was sent to, as its sender named it. The guard before the pages
/// lets names of this machine pass only.
pub(crate) async fn address() -> Result<String, ApiError> {
    let parts = leptos_axum::extract::<Parts>().await;
    parts
        .map(|parts| address_of(&parts))
        .map_err(|fault| ApiError::invalid(format!("the request cannot be read: {fault}")))
}

fn address_of(parts: &Parts) -> String {
    let header = |name: &str| parts.headers.get(name)?.to_str().ok();
    let host = header("host").or_else(|| parts.uri.authority().map(Authority::as_str));
    // Before us may stand somebody who speaks TLS.
    let scheme = match header("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    format!("{scheme}://{}", host.unwrap_or("127.0.0.1"))
}

/// Whether a browser posted a form by itself, without our script.
pub(crate) fn is_plain_form() -> bool {
    use_context::<Parts>().is_some_and(|parts| {
        let accepts = parts.headers.get("accept");
        parts.uri.path().starts_with(FUNCTIONS)
            && accepts
                .and_then(|value| value.to_str().ok())
                .is_some_and(|value| value.contains("text/html"))
    })
}

/// Sets the status of the answer; a plain form keeps its redirect.
pub(crate) fn answer_with(status: u16) {
    if is_plain_form() {
        return;
    }
    if let (Some(options), Ok(status)) =
        (use_context::<ResponseOptions>(), StatusCode::from_u16(status))
    {
        options.set_status(status);
    }
}

/// Sends a plain form on to a page; with our script running the page changes by itself.
pub(crate) fn go_on_to(path: &str) {
    if is_plain_form() {
        leptos_axum::redirect(path);
    }
}

/// Leads to a page that shows anew what could not be done as it was shown, with the reason: a plain form by
/// its address, our script by the error that it has got.
pub(crate) fn lead_back<F: ServerFn>(page: &str, error: &ApiError) {
    // Only an absolute address can be written into; its beginning is taken off again.
    const ANY: &str = "http://localhost";
    let with_error = ServerFnUrlError::new(F::PATH, error.clone()).to_url(&format!("{ANY}{page}"));
    let address = with_error.map(|address| address.to_string());
    match address {
        Ok(address) if is_plain_form() => {
            leptos_axum::redirect(address.strip_prefix(ANY).unwrap_or(page));
        }
        _ => leptos_axum::redirect(page),
    }
}

/// The place to go back to after a form, if it is one of our own pages; else `otherwise`.
pub(crate) fn safe_return<'a>(back: &'a str, otherwise: &'a str) -> &'a str {
    let is_ours =
        ["/letters", "/replays", "/sources", "/groups", "/executions"].iter().any(|page| {
            back.strip_prefix(page)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        });
    let is_plain = back.bytes().all(|byte| byte.is_ascii_graphic()) && !back.contains('\\');
    if is_ours && is_plain && back.len() < 8_000 { back } else { otherwise }
}

impl From<DeskError> for ApiError {
    fn from(fault: DeskError) -> Self {
        let (status, fault) = match fault {
            DeskError::NotFound(reason) => (404, Self::NotFound { reason }),
            DeskError::Unfit { why: reason, .. } => (422, Self::Invalid { reason }),
            DeskError::Conflict(reason) => (409, Self::Conflict { reason }),
            DeskError::Invalid(reason) => (400, Self::Invalid { reason }),
            DeskError::Unavailable(reason) => (503, Self::Unavailable { reason }),
            DeskError::Internal(cause) => {
                let reference = format!("{:016x}", RandomState::new().build_hasher().finish());
                tracing::error!(reference, cause = &*cause, "a page could not be rendered");
                (500, Self::Internal { reference })
            }
        };
        answer_with(status);
        fault
    }
}

#[cfg(test)]
mod tests {
    use leptos::server_fn::axum_export::http::Request;

    use super::{address_of, safe_return};

    #[test]
    fn an_address_is_the_one_that_was_asked() {
        let of = |headers: &[(&str, &str)]| {
            let mut request = Request::builder().uri("/sources");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            address_of(&parts)
        };
        assert_eq!(of(&[("host", "localhost:4000")]), "http://localhost:4000");
        let behind_tls = [("host", "dlo.localhost"), ("x-forwarded-proto", "https")];
        assert_eq!(of(&behind_tls), "https://dlo.localhost");
        let odd = [("host", "[::1]:8484"), ("x-forwarded-proto", "javascript")];
        assert_eq!(of(&odd), "http://[::1]:8484");
    }

    #[test]
    fn only_our_own_pages_are_gone_back_to() {
        for ours in
            ["/letters", "/letters?state=held", "/replays/new?q=a", "/groups/1", "/executions/a"]
        {
            assert_eq!(safe_return(ours, "/"), ours);
        }
        for foreign in [
            "",
            "//evil.example/letters",
            "https://evil.example/letters",
            "/lettersevil",
            "/letters\\..\\x",
            "/letters?a b",
            "/letters\r\nset-cookie:x",
        ] {
            assert_eq!(safe_return(foreign, "/letters"), "/letters", "{foreign:?}");
        }
    }
}
