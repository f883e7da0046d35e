//! The body of an arrival, byte by byte, as a file to keep. It is attacker input, so a browser
//! must never take it for a document: no type but bytes, no sniffing, always an attachment.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};

use super::Front;
use super::api::input::{Query, id_from};
use super::problem::Problem;

/// Answers with the bytes of the arrival that `?arrival=` names, or of the last one.
pub(super) async fn body(
    State(front): State<Front>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Query::of(&uri, &["arrival"])?;
    let id = id_from(&id)?;
    let bytes = front.desk.body(id, query.arrival()?).await?;
    let file = format!("attachment; filename=\"letter-{id}.bin\"");
    let disposition = HeaderValue::try_from(file).expect("an id is plain text");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        ),
        (header::CONTENT_DISPOSITION, disposition),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("sandbox; default-src 'none'"),
        ),
    ];
    Ok((headers, bytes).into_response())
}
