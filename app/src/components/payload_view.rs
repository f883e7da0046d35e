//! A body as a tree, as text or in hexadecimal; for looking only.

mod hex;

use dlo_domain::ids::LetterId;
use dlo_domain::payload::{Content, MOST_HEX_BYTES};
use leptos::prelude::*;

use super::JsonTree;
use crate::api::letters::PayloadRead;
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
    let tab = |this: View, word: &'static str, name: &'static str| {
        let number = arrival.to_string();
        let href = links::with_query(
            &links::letter(id),
            [("arrival", number.as_str()), ("view", word)],
        );
        view! {
            <a href=format!("{href}#payload") aria-current=(this == view).then_some("true")>
                {name}
            </a>
        }
    };
    let kind = match payload.content {
        Content::Empty => "empty",
        Content::Json(_) => "JSON",
        Content::Text(_) => "text",
        Content::Binary => "binary",
    };
    let size = wording::size(payload.size_bytes);
    let shown = match (view, payload.content) {
        (_, Content::Empty) => {
            view! { <p class="note-line">"The body is empty: 0 bytes."</p> }.into_any()
        }
        (View::Tree, Content::Json(value)) => view! { <JsonTree value /> }.into_any(),
        (View::Text, content) => {
            let text = read.text.or(match content {
                Content::Text(text) => Some(text),
                _ => None,
            });
            view! { <pre class="body" tabindex="0" aria-label="Body as text">{text}</pre> }
                .into_any()
        }
        _ => {
            let rows = hex::rows(&payload.first_bytes_hex);
            let cut = payload.size_bytes > i64::try_from(MOST_HEX_BYTES).unwrap_or(i64::MAX);
            view! {
                <pre class="body hex" tabindex="0" aria-label="Body in hexadecimal">
                    {rows}
                </pre>
                {cut
                    .then(|| {
                        view! {
                            <p class="note-line">
                                "The first " {MOST_HEX_BYTES} " bytes. The download has them all."
                            </p>
                        }
                    })}
            }
            .into_any()
        }
    };
    view! {
        <section class="section" id="payload" aria-labelledby="payload-title">
            <header>
                <h2 id="payload-title">"Payload"</h2>
                <span class="note">{kind} ", " {size.clone()}</span>
                <span class="end">
                    <nav class="tabs" aria-label="Views of the payload">
                        {is_json.then(|| tab(View::Tree, "tree", "Tree"))}
                        {tab(View::Text, "text", "Text")} {tab(View::Hex, "hex", "Hex")}
                        <a href=links::body(id, arrival) rel="external" download="">
                            "Download " {size}
                        </a>
                    </nav>
                </span>
            </header>
            {payload
                .notes
                .into_iter()
                .map(|note| view! { <p class="note-line">{note}</p> })
                .collect_view()}
            {shown}
        </section>
    }
    .into_any()
}
