//! A body as a tree, as text or in hexadecimal; for looking only.

mod hex;

use dlo_domain::ids::LetterId;
use dlo_domain::payload::{Content, MOST_HEX_BYTES};
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
    let view = view.settle(&read.content);
    let size = wording::size(read.size_bytes);
    let notes = notes(&read, view);
    let PayloadRead { format, has_tree, content, first_bytes_hex, .. } = read;
    let shown = match (view, content) {
        (_, Content::Empty) => {
            view! { <p class="note-line">"The body is empty: 0 bytes."</p> }.into_any()
        }
        (View::Tree, Content::Json(value)) => view! { <JsonTree value /> }.into_any(),
        (View::Text, Content::Text(text)) => text_view(&text).into_any(),
        _ => hex_view(&first_bytes_hex).into_any(),
    };
    view! {
        <section class="section" id="payload" aria-labelledby="payload-title">
            <header>
                <h2 id="payload-title">"Payload"</h2>
                <span class="note">{format} ", " {size.clone()}</span>
                <span class="end">
                    <Tabs id arrival view has_tree size />
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
fn Tabs(id: LetterId, arrival: i32, view: View, has_tree: bool, size: String) -> impl IntoView {
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
            {has_tree.then(|| tab(View::Tree, "tree", "Tree"))} {tab(View::Text, "text", "Text")}
            {tab(View::Hex, "hex", "Hex")}
            <a href=links::body(id, arrival) rel="external" download="">
                "Download "
                {size}
            </a>
        </nav>
    }
}

/// What the desk noted. How much is shown differs from view to view, so that is said anew.
fn notes(read: &PayloadRead, view: View) -> Vec<String> {
    let (most, all) = if view == View::Hex {
        (i64::try_from(MOST_HEX_BYTES).unwrap_or(i64::MAX), read.size_bytes)
    } else {
        (read.shown_bytes, read.read_bytes)
    };
    let cut = (all > most).then(|| {
        format!(
            "The first {} of {} bytes are shown; the download has them all.",
            wording::count(most),
            wording::count(all)
        )
    });
    let noted = read.notes.iter().filter(|note| !tells_cut(note));
    noted.cloned().chain(cut).collect()
}

fn tells_cut(note: &str) -> bool {
    note.ends_with("bytes are shown; the download has them all.")
}

fn text_view(text: &str) -> impl IntoView + use<> {
    view! {
        <pre class="body" tabindex="0" aria-label="Body as text">
            {show_lines(text)}
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
    use dlo_domain::decoding::Labels;
    use dlo_domain::payload::read_payload;

    use super::{PayloadRead, View, notes};

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
            let body = vec![b'a'; bytes];
            let read = PayloadRead::from(read_payload(&body, size, Labels::default(), false));
            let notes = notes(&read, view);
            assert_eq!(notes.len(), usize::from(says.is_some()), "{notes:?}");
            assert!(notes.iter().all(|note| note.starts_with(says.unwrap_or(""))));
        }
    }

    #[test]
    fn other_notes_stay() {
        let labels = Labels { content_type: Some("application/json"), ..Labels::default() };
        let read = PayloadRead::from(read_payload(b"{\"a\":", 5, labels, false));
        assert_eq!(notes(&read, View::Text), read.notes);
        assert_eq!(read.notes.len(), 1);
    }
}
