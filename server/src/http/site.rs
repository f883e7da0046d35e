//! The files that a browser loads, compressed beforehand, and how long it may keep them.

use std::path::Path;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tower::ServiceExt as _;
use tower_http::services::ServeDir;

/// The site's files below one directory.
#[derive(Clone)]
pub(super) struct Site(ServeDir);

/// No file of a site has a longer path, and systems refuse longer names than 255 bytes.
const MOST_PATH_BYTES: usize = 200;

impl Site {
    pub(super) fn new(root: &Path) -> Self {
        Self(
            ServeDir::new(root)
                .append_index_html_on_directories(false)
                .precompressed_br()
                .precompressed_gzip(),
        )
    }

    /// The file that is asked for, if there is one.
    pub(super) fn file(
        &self,
        request: &Request,
    ) -> impl Future<Output = Option<Response>> + Send + use<> {
        let path = request.uri().path().to_owned();
        let mut asked = Request::new(Body::empty());
        *asked.method_mut() = request.method().clone();
        *asked.uri_mut() = request.uri().clone();
        request.headers().clone_into(asked.headers_mut());
        let answer = self.0.clone().oneshot(asked);
        async move {
            if path.len() > MOST_PATH_BYTES {
                return None;
            }
            let mut response = answer.await.unwrap_or_else(|never| match never {}).into_response();
            if response.status() == StatusCode::NOT_FOUND {
                return None;
            }
            let keep = HeaderValue::from_static(keep_for(&path));
            response.headers_mut().insert(header::CACHE_CONTROL, keep);
            Some(response)
        }
    }
}

/// Files named by their content can be kept for ever, the others are asked for again.
fn keep_for(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let in_package = path.starts_with("/pkg/") && name.split('.').count() > 2;
    let named_by_content = in_package || path.starts_with("/scripts.");
    if named_by_content {
        "public, max-age=31536000, immutable"
    } else if path.starts_with("/fonts/") {
        "public, max-age=604800"
    } else {
        "no-cache"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_named_by_their_content_are_kept_for_ever() {
        for path in ["/pkg/dlo.x8Kd92.wasm", "/scripts.x8Kd92/theme.js"] {
            assert!(keep_for(path).contains("immutable"), "{path}");
        }
        for path in ["/scripts/theme.js", "/pkg/dlo.wasm", "/favicon.svg", "/a.b.c", "/"] {
            assert_eq!(keep_for(path), "no-cache", "{path}");
        }
    }
}
