//! A body as a tree, as text or in hexadecimal; for looking only.

mod hex;

use dlo_domain::ids::LetterId;
use dlo_domain::payload::{Content, MOST_HEX_BYTES, Payload};
use leptos::prelude::*;

use super::JsonTree;
use crate::api::letters::PayloadRead;
use crate::visible::{show_line, show_lines};
use crate::{links, wording};

/// How a body is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// What was asked for is not said: the best one.
    Best,
    /// A tree of JSON.
    Tree,
    /// Text.
    Text,
    /// Bytes.
    Hex,
}

impl View {
    /// The view that an address names.
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "tree" => Self::Tree,
            "text" => Self::Text,
            "hex" => Self::Hex,
            _ => Self::Best,
        }
    }

    /// The view itself, now that it is known what the body is.
    fn settle(self, content: &Content) -> Self {
        match (self, content) {
            (Self::Best | Self::Tree, Content::Json(_)) => Self::Tree,
            (Self::Best | Self::Tree, Content::Text(_) | Content::Empty) => Self::Text,
            (Self::Best | Self::Tree, Content::Binary) => Self::Hex,
            (asked, _) => asked,
        }
    }
}

/// The body of an arrival.
#[component]
pub(crate) fn PayloadView(
    /// The letter.
    id: LetterId,
    /// Which arrival.
    arrival: i32,
    /// The body.
    read: PayloadRead,
    /// How it is to be shown.
    view: View,
) -> impl IntoView {
    let payload = read.payload;
    let view = view.settle(&payload.content);
    let is_json = matches!(payload.content, Content::Json(_));
    let kind = match payload.content {
        Content::Empty => "empty",
        Content::Json(_) => "JSON",
        Content::Text(_) => "text",
        Content::Binary => "binary",
    };
    let size = wording::size(payload.size_bytes);
    let notes = notes(&payload, view);
    let shown = match (view, payload.content) {
        (_, Content::Empty) => {
            view! { <p class="note-line">"The body is empty: 0 bytes."</p> }.into_any()
        }
        (View::Tree, Content::Json(value)) => view! { <JsonTree value /> }.into_any(),
        (View::Text, content) => text_view(read.text, content).into_any(),
        _ => hex_view(&payload.first_bytes_hex).into_any(),
    };
    view! {
        <section class="section" id="payload" aria-labelledby="payload-title">
            <header>
                <h2 id="payload-title">"Payload"</h2>
                <span class="note">{kind} ", " {size.clone()}</span>
                <span class="end">
                    <Tabs id arrival view is_json size />
                </span>
            </header>
            {notes
                .into_iter()
                .map(|note| view! { <p class="note-line">{show_line(&note)}</p> })
                .collect_view()}
            {shown}
        </section>
    }
    .into_any()
}

#[component]
fn Tabs(id: LetterId, arrival: i32, view: View, is_json: bool, size: String) -> impl IntoView {
    let tab = |this: View, word: &'static str, name: &'static str| {
        let number = arrival.to_string();
        let href =
            links::with_query(&links::letter(id), [("arrival", number.as_str()), ("view", word)]);
        view! {
            <a href=format!("{href}#payload") aria-current=(this == view).then_some("true")>
                {name}
            </a>
        }
    };
    view! {
        <nav class="tabs" aria-label="Views of the payload">
            {is_json.then(|| tab(View::Tree, "tree", "Tree"))} {tab(View::Text, "text", "Text")}
            {tab(View::Hex, "hex", "Hex")}
            <a href=links::body(id, arrival) rel="external" download="">
                "Download "
                {size}
            </a>
        </nav>
    }
}

/// What the desk noted. How much is shown differs from view to view, so that is said anew.
fn notes(payload: &Payload, view: View) -> Vec<String> {
    let most = if view == View::Hex {
        i64::try_from(MOST_HEX_BYTES).unwrap_or(i64::MAX)
    } else {
        payload.shown_bytes
    };
    let cut = (payload.size_bytes > most).then(|| {
        format!(
            "The first {} of {} bytes are shown; the download has them all.",
            wording::count(most),
            wording::count(payload.size_bytes)
        )
    });
    let noted = payload.notes.iter().filter(|note| !tells_cut(note));
    noted.cloned().chain(cut).collect()
}

fn tells_cut(note: &str) -> bool {
    note.ends_with("bytes are shown; the download has them all.")
}

fn text_view(text: Option<String>, content: Content) -> impl IntoView {
    let text = text.or(match content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    view! {
        <pre class="body" tabindex="0" aria-label="Body as text">
            {text.map(|text| show_lines(&text))}
        </pre>
    }
}

fn hex_view(digits: &str) -> impl IntoView + use<> {
    view! {
        <pre class="body hex" tabindex="0" aria-label="Body in hexadecimal">
            {hex::rows(digits)}
        </pre>
    }
}

#[cfg(test)]
mod tests {
    use dlo_domain::payload::read_payload;

    use super::{View, notes};

    #[test]
    fn each_view_says_how_much_of_the_body_it_shows() {
        for (bytes, view, says) in [
            (4_096, View::Hex, None),
            (4_097, View::Hex, Some("The first 4,096 of 4,097 bytes")),
            (4_097, View::Text, None),
            (300_000, View::Text, Some("The first 262,144 of 300,000 bytes")),
            (300_000, View::Hex, Some("The first 4,096 of 300,000 bytes")),
        ] {
            let size = i64::try_from(bytes).expect("small");
            let payload = read_payload(&vec![b'a'; bytes], size, None);
            let notes = notes(&payload, view);
            assert_eq!(notes.len(), usize::from(says.is_some()), "{notes:?}");
            assert!(notes.iter().all(|note| note.starts_with(says.unwrap_or(""))));
        }
    }

    #[test]
    fn other_notes_stay() {
        let payload = read_payload(b"{\"a\":", 5, Some("application/json"));
        assert_eq!(notes(&payload, View::Text), payload.notes);
        assert_eq!(payload.notes.len(), 1);
    }
}
