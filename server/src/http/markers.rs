//! Leptos puts an empty comment wherever a program that takes a page over has to find its way. Only islands are taken
//! over: of the list of letters, every third node was such a comment.

use axum::body::{Body, to_bytes};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};

use super::problem::Problem;

const MARKER: &str = "<!>";
const ISLAND: &str = "<leptos-island";
const END_OF_ISLAND: &str = "</leptos-island>";

/// A page without the markers that stand outside of islands. What is no HTML stays as it is.
pub(super) async fn within_islands_only(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Pages are rendered as a whole before they are sent.
    let html = match to_bytes(body, usize::MAX).await {
        Ok(html) => html,
        Err(fault) => return Problem::internal(&fault).into_response(),
    };
    let Ok(text) = str::from_utf8(&html) else {
        return Response::from_parts(parts, Body::from(html));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(kept_in_islands(text)))
}

/// Values and texts cannot be taken for markers: in them every `<` is escaped. Islands stand in no other one.
fn kept_in_islands(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(ISLAND) {
        let (before, island) = rest.split_at(at);
        let end = island.find(END_OF_ISLAND).map_or(island.len(), |end| end + END_OF_ISLAND.len());
        kept.extend(before.split(MARKER));
        kept.push_str(&island[..end]);
        rest = &island[end..];
    }
    kept.extend(rest.split(MARKER));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_stay_in_islands_and_nowhere_else() {
        let island = "<leptos-island data-props=\"{}\"><p>b<!>c</p><!></leptos-island>";
        let html = format!("<p>a<!> z<!></p><!>{island}<!>{island}<p>&lt;!&gt;<!--s-1--></p><!>");
        let kept = format!("<p>a z</p>{island}{island}<p>&lt;!&gt;<!--s-1--></p>");
        assert_eq!(kept_in_islands(&html), kept);
    }

    #[test]
    fn an_island_without_an_end_is_left_alone() {
        assert_eq!(kept_in_islands("a<!><leptos-island>b<!>"), "a<leptos-island>b<!>");
    }
}
