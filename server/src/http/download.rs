//! The body of an arrival, byte by byte, as a file to keep. It is attacker input, so a browser
//! must never take it for a document: no type but bytes, no sniffing, always an attachment.
//!
//! A body can have hundreds of MiB, so it is read from Postgres in parts, each when the one before it was sent. No
//! connection is held meanwhile: an arrival never changes, so that its parts are always of the same bytes, and
//! one that was removed in the middle ends the answer before its `Content-Length`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use dlo_app::desk::{DeskError, TriageDesk};
use dlo_domain::ids::LetterId;
use dlo_domain::payload::{BodyPart, BodyRange, bytes_at_a_time};
use futures_util::{Stream, stream};

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
    let desk = front.desk;
    // How large it is shows with the first part.
    let first = BodyRange { from: 0, most: bytes_at_a_time(0) };
    let first = desk.body_part(id, query.arrival()?, first).await?;
    let file = format!("attachment; filename=\"letter-{id}.bin\"");
    let disposition = HeaderValue::try_from(file).expect("an id is plain text");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_LENGTH, HeaderValue::from(first.size_bytes)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
    ];
    let bytes = Body::from_stream(rest(desk, id, first));
    Ok((headers, bytes).into_response())
}

/// A download under way.
struct Download {
    desk: Arc<dyn TriageDesk>,
    letter: LetterId,
    /// The arrival, its size and its digest, as they were at the beginning.
    whole: BodyPart,
    /// Bytes that were read.
    read: u32,
}

/// The bytes of a body from its first part on.
fn rest(
    desk: Arc<dyn TriageDesk>,
    letter: LetterId,
    mut first: BodyPart,
) -> impl Stream<Item = Result<Vec<u8>, DeskError>> {
    let begin = std::mem::take(&mut first.bytes);
    let download = Download { desk, letter, read: length(&begin), whole: first };
    stream::try_unfold((download, Some(begin)), |(mut download, ready)| async move {
        let bytes = match ready {
            Some(begin) => begin,
            None => download.next().await?,
        };
        Ok((!bytes.is_empty()).then_some((bytes, (download, None))))
    })
}

impl Download {
    /// The next bytes; none at the end.
    async fn next(&mut self) -> Result<Vec<u8>, DeskError> {
        if i64::from(self.read) >= self.whole.size_bytes {
            return Ok(Vec::new());
        }
        let size = u32::try_from(self.whole.size_bytes).unwrap_or(u32::MAX);
        let range = BodyRange { from: self.read, most: bytes_at_a_time(size) };
        let part = self.desk.body_part(self.letter, Some(self.whole.ordinal), range).await?;
        if part.sha256 != self.whole.sha256 || part.bytes.is_empty() {
            let why = "the body is not the one any more that was being sent";
            return Err(DeskError::Conflict(why.to_owned()));
        }
        self.read = self.read.saturating_add(length(&part.bytes));
        Ok(part.bytes)
    }
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
