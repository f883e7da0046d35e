//! The way to a page that belongs to one letter.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;

use crate::{links, wording};

/// Letters, the letter, and the page that one is on.
#[component]
pub(super) fn LetterCrumbs(
    /// The letter.
    id: LetterId,
    /// What the page is called.
    #[prop(into)]
    here: String,
) -> impl IntoView {
    view! {
        <ol class="crumbs">
            <li>
                <a href=links::LETTERS>"Letters"</a>
            </li>
            <li>
                <a class="id" href=links::letter(id)>
                    {wording::short(&id)}
                </a>
            </li>
            <li>{here}</li>
        </ol>
    }
    .into_any()
}
