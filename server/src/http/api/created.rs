//! The answer to what was made: 201, the thing, and the address where it stands from now on.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

/// Answers with a thing and its address, such as `/api/v1/letters/{id}`. The address is a path of
/// ours with an id in it: plain text.
pub(super) fn created(address: String, thing: impl Serialize) -> Response {
    let place = HeaderValue::try_from(address).expect("a path with an id is plain text");
    let headers = [(header::LOCATION, place)];
    (StatusCode::CREATED, headers, Json(thing)).into_response()
}
