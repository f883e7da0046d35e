//! Sentences of which parts lead somewhere.

use leptos::prelude::*;

use crate::components::Spoken;
use crate::visible::{show_line, show_name};

/// Words that lead somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// The address.
    pub(super) href: String,
    /// What it is called.
    pub(super) words: String,
}

impl Link {
    /// A link of these words.
    pub(super) fn new(words: impl Into<String>, href: impl Into<String>) -> Self {
        Self { href: href.into(), words: words.into() }
    }

    /// As it stands by itself.
    pub(super) fn shown(self) -> AnyView {
        view! { <a href=self.href>{show_line(&self.words)}</a> }.into_any()
    }
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// It leads nowhere.
    Words(String),
    /// It leads somewhere.
    Link(Link),
}

impl Piece {
    /// What it says.
    pub(super) fn words(&self) -> &str {
        match self {
            Self::Words(words) => words,
            Self::Link(link) => &link.words,
        }
    }
}

/// A sentence in pieces.
pub(super) type Said = Vec<Piece>;

/// A sentence that leads nowhere.
pub(super) fn plain(said: impl Into<String>) -> Said {
    vec![words(said)]
}

/// Words that lead nowhere.
pub(super) fn words(words: impl Into<String>) -> Piece {
    Piece::Words(words.into())
}

/// Words that lead somewhere.
pub(super) fn link(words: impl Into<String>, href: String) -> Piece {
    Piece::Link(Link::new(words, href))
}

/// The sentence as it is shown.
pub(super) fn said(pieces: Said) -> AnyView {
    let piece = |piece| match piece {
        Piece::Words(text) => view! { <Spoken text /> }.into_any(),
        Piece::Link(Link { href, words }) => {
            view! { <a href=href>{show_name(&words)}</a> }.into_any()
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
