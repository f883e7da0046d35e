//! Letters that were asked for and left out.

use dlo_domain::selection::LeftOut;
use leptos::prelude::*;

use crate::components::Spoken;
use crate::{links, wording};

/// Letters that were asked for and left out.
#[component]
pub(super) fn LeftOutList(
    /// How many, why, and some of them.
    left_out: Vec<LeftOut>,
) -> impl IntoView {
    if left_out.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="section" aria-labelledby="left-out-title">
            <header>
                <h2 id="left-out-title">"Left out"</h2>
                <span class="note">"asked for, and not touched"</span>
            </header>
            <ul class="left-out">
                {left_out
                    .into_iter()
                    .map(|left| {
                        view! {
                            <li>
                                <b>{wording::count(left.letters)}</b>
                                <span>
                                    <Spoken text=left.reason />
                                    <small class="examples">
                                        {left
                                            .examples
                                            .into_iter()
                                            .take(5)
                                            .map(|id| {
                                                view! {
                                                    <a class="id" href=links::letter(id)>
                                                        {wording::short(&id)}
                                                    </a>
                                                }
                                            })
                                            .collect_view()}
                                    </small>
                                </span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
    .into_any()
}
