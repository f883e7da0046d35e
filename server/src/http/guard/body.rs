//! A request's body: read as a whole before anything answers, so that one limit on its size and one on
//! its time hold everywhere.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;

use super::MOST_BODY_BYTES;
use crate::http::problem::{Problem, too_large};

/// Refuses a body that is too large or takes too long.
pub(super) async fn whole(
    State(within): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let said = request.headers().get(header::CONTENT_LENGTH);
    let bytes = said.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if bytes.is_some_and(|bytes| bytes > MOST_BODY_BYTES as u64) {
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, too_large()).into_response();
    }
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let problem = match tokio::time::timeout(within, read(body)).await {
        Ok(Ok(body)) => return next.run(Request::from_parts(parts, Body::from(body))).await,
        Ok(Err(problem)) => problem,
        Err(_) => Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the body did not come within {} s, and nothing was done: send it again",
                within.as_secs()
            ),
        ),
    };
    problem.into_response()
}

async fn read(body: Body) -> Result<Vec<u8>, Problem> {
    let mut whole = Vec::new();
    let mut parts = body.into_data_stream();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|_| {
            Problem::invalid("the body broke off, and nothing was done: send it again")
        })?;
        if whole.len() + part.len() > MOST_BODY_BYTES {
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, too_large()));
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole)
}
