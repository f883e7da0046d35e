//! Errors for programs: RFC 9457 problem details, with a sentence that says how to mend it.

use axum::Json;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use dlo_app::desk::DeskError;
use dlo_domain::filter::FilterFault;
use serde::Serialize;
use uuid::Uuid;

const CONTENT_TYPE: &str = "application/problem+json";

/// After how many seconds to ask again when something outside does not answer.
const RETRY_AFTER_SECS: u32 = 5;

/// An error as it is answered.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    place: Option<Place>,
    headers: Vec<(header::HeaderName, HeaderValue)>,
}

/// Its JSON form.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(title = "Problem")]
pub struct ProblemBody {
    /// Always `about:blank`: the status says what kind it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The status.
    pub status: u16,
    /// What is wrong, and how to mend it.
    pub detail: String,
    /// Of a filter or a jq program that cannot be read: where what is wrong begins.
    #[serde(flatten)]
    pub place: Option<Place>,
}

/// A place in the text of a filter or a program.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub struct Place {
    /// Where it begins, in characters from 0.
    pub position: u32,
    /// How many characters it has; 0 at the end of the text.
    pub length: u32,
}

impl Place {
    fn of(position: usize, length: usize) -> Self {
        let characters = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self { position: characters(position), length: characters(length) }
    }
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), place: None, headers: Vec::new() }
    }

    /// A filter cannot be read.
    pub fn unreadable_filter(fault: &FilterFault) -> Self {
        Self {
            place: Some(Place::of(fault.position, fault.length)),
            ..Self::invalid(format!("the filter cannot be read: {fault}"))
        }
    }

    /// What was asked cannot be read.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// Something outside does not answer; it can be asked again.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
            .with(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECS))
    }

    /// A fault of ours: the cause is logged with a reference, and only the reference is told.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        let reference = Uuid::new_v4();
        tracing::error!(%reference, %cause, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("something went wrong on our side; the server's log has it under {reference}"),
        )
    }

    /// The same with a header.
    #[must_use]
    pub fn with(mut self, name: header::HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemBody {
            kind: "about:blank".to_owned(),
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            place: self.place,
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        headers.extend(self.headers);
        response
    }
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::NotFound(why) => Self::new(StatusCode::NOT_FOUND, why),
            DeskError::Unfit { why, place } => Self {
                place: place.map(|(position, length)| Place::of(position, length)),
                ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, why)
            },
            DeskError::Conflict(why) => Self::new(StatusCode::CONFLICT, why),
            DeskError::Invalid(why) => Self::invalid(why),
            DeskError::Unavailable(why) => Self::unavailable(why),
            DeskError::Internal(cause) => Self::internal(&cause),
        }
    }
}

/// Turns what the framework answers by itself into problems.
pub(super) async fn everywhere(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let status = response.status();
    let said = response.headers().get(header::CONTENT_TYPE);
    if !(status.is_client_error() || status.is_server_error())
        || said.is_some_and(|kind| kind == CONTENT_TYPE)
    {
        return response;
    }
    let detail = match status {
        StatusCode::NOT_FOUND => {
            format!("there is no {path}: see /api/v1/openapi.json")
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            return method_not_allowed(&method, &path, route.as_ref());
        }
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => "the request could not be answered".to_owned(),
    };
    Problem::new(status, detail).into_response()
}

fn method_not_allowed(method: &Method, path: &str, route: Option<&MatchedPath>) -> Response {
    let allowed: Vec<_> = super::api::endpoints()
        .into_iter()
        .filter(|endpoint| route.is_some_and(|route| route.as_str() == endpoint.path))
        .map(|endpoint| endpoint.method.to_string())
        .collect();
    let allowed = allowed.join(", ");
    let detail = format!("{path} does not take {method}: it takes {allowed}");
    let allow = HeaderValue::try_from(allowed).expect("methods are plain text");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).with(header::ALLOW, allow).into_response()
}

/// What is said of a body that is too large.
pub(super) fn too_large() -> String {
    format!(
        "the body has more than {} KiB: use a filter in place of many ids, or several requests",
        super::guard::MOST_BODY_BYTES / 1024
    )
}
