//! The fields that the body is written in.

use dlo_domain::changing::{EditSheet, Shape};
use leptos::prelude::*;

use super::form::EditForm;
use crate::links;
use crate::visible::{show_lines, show_within};

/// The fields that the body is written in.
#[component]
pub(super) fn Writing(
    /// What is edited.
    sheet: EditSheet,
    /// What stands beside the body.
    form: EditForm,
) -> impl IntoView {
    let id = sheet.letter_id;
    let tab = |shape: Shape| {
        let name = match shape {
            Shape::Json => "JSON",
            Shape::Text => "Text",
            Shape::Hex => "Hex",
        };
        let href =
            links::edit_of(id, &EditForm { shape: shape.as_str().to_owned(), ..form.clone() });
        view! {
            <a href=href aria-current=(shape == sheet.shape).then_some("true")>
                {name}
            </a>
        }
    };
    let tabs: Vec<_> = sheet.shapes.iter().copied().map(tab).collect();
    let packed = sheet.content_encoding.as_deref().map(|encoding| {
        let encoding = show_within(encoding);
        view! {
            <p class="note-line">
                {format!("Unpacked here ({encoding}), and packed again when it is sent.")}
            </p>
        }
    });
    view! {
        <section class="section" aria-labelledby="writing-title">
            <header>
                <h2 id="writing-title">"Body"</h2>
                <span class="end">
                    <nav class="tabs" aria-label="How the body is written">
                        {tabs}
                    </nav>
                </span>
            </header>
            {sheet.note.clone().map(|note| view! { <p class="note-line">{show_lines(&note)}</p> })}
            {packed}
            <div class="stack tight padded">
                <label class="choice code">
                    <span>"body"</span>
                    <textarea
                        name="text"
                        rows="20"
                        spellcheck="false"
                        autocomplete="off"
                    >
                        // A browser drops the first newline of it.
                        {format!("\n{}", sheet.text)}
                    </textarea>
                </label>
                <label class="choice">
                    <span>"content type"</span>
                    <input
                        type="text"
                        name="content_type"
                        value=sheet.content_type
                        maxlength="255"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </label>
                <button class="button" type="submit">
                    "Show what changes"
                </button>
            </div>
        </section>
    }
    .into_any()
}
