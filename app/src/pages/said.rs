//! Sentences of which parts lead somewhere.

use leptos::prelude::*;

use crate::components::Spoken;
use crate::visible::show_name;

/// A sentence in pieces: the words, and the address where they lead; empty where they lead nowhere.
pub(super) type Said = Vec<(String, String)>;

/// A sentence that leads nowhere.
pub(super) fn plain(words: impl Into<String>) -> Said {
    vec![(words.into(), String::new())]
}

/// Words that lead somewhere.
pub(super) fn link(words: impl Into<String>, href: String) -> (String, String) {
    (words.into(), href)
}

/// The sentence as it is shown.
pub(super) fn said(pieces: Said) -> AnyView {
    let piece = |(text, href): (String, String)| {
        if href.is_empty() {
            view! { <Spoken text /> }.into_any()
        } else {
            view! { <a href=href>{show_name(&text)}</a> }.into_any()
        }
    };
    pieces.into_iter().map(piece).collect_view().into_any()
}

/// What something is called, and what is known of it: an entry of a list of facts.
pub(super) fn fact((name, value): (impl Into<String>, Said)) -> AnyView {
    view! {
        <div>
            <dt>{name.into()}</dt>
            <dd>{said(value)}</dd>
        </div>
    }
    .into_any()
}
