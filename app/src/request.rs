//! What server functions need to know of their request, and say about the answer.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use leptos::prelude::use_context;
use leptos::server_fn::axum_export::http::StatusCode;
use leptos::server_fn::axum_export::http::request::Parts;
use leptos_axum::ResponseOptions;

use crate::desk::DeskError;
use crate::error::ApiError;

/// Where server functions live; every other path is a page.
const FUNCTIONS: &str = "/ui/";

/// The time that pages show ages from. Nothing is decided by it.
pub(crate) fn now() -> DateTime<Utc> {
    #[expect(
        clippy::disallowed_methods,
        reason = "only the ages on a page are counted from it; the port has no clock"
    )]
    let now = SystemTime::now();
    DateTime::from(now)
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
    if let (Some(options), Ok(status)) = (
        use_context::<ResponseOptions>(),
        StatusCode::from_u16(status),
    ) {
        options.set_status(status);
    }
}

/// Sends a plain form on to a page; with our script running the page changes by itself.
pub(crate) fn go_on_to(path: &str) {
    if is_plain_form() {
        leptos_axum::redirect(path);
    }
}

/// The place to go back to after a form, if it is one of our own pages; else `otherwise`.
pub(crate) fn safe_return<'a>(back: &'a str, otherwise: &'a str) -> &'a str {
    let is_ours = ["/letters", "/replays", "/sources"].iter().any(|page| {
        back.strip_prefix(page)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    });
    let is_plain = back.bytes().all(|byte| byte.is_ascii_graphic()) && !back.contains('\\');
    if is_ours && is_plain && back.len() < 8_000 {
        back
    } else {
        otherwise
    }
}

impl From<DeskError> for ApiError {
    fn from(fault: DeskError) -> Self {
        let (status, fault) = match fault {
            DeskError::NotFound(reason) => (404, Self::NotFound { reason }),
            DeskError::Conflict(reason) => (409, Self::Conflict { reason }),
            DeskError::Invalid(reason) => (400, Self::Invalid { reason }),
            DeskError::Unavailable(reason) => (503, Self::Unavailable { reason }),
            DeskError::Internal(cause) => {
                let reference = format!("{:016x}", RandomState::new().build_hasher().finish());
                tracing::error!(reference, cause = &*cause, "a page could not be made");
                (500, Self::Internal { reference })
            }
        };
        answer_with(status);
        fault
    }
}

#[cfg(test)]
mod tests {
    use super::safe_return;

    #[test]
    fn only_our_own_pages_are_gone_back_to() {
        for ours in [
            "/letters",
            "/letters?state=held",
            "/replays/new?q=a",
            "/sources",
        ] {
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
