//! The head of a page: where it stands among the others, and what it answers.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;

use crate::visible::show_name;
use crate::{links, wording};

/// The way to a page, its heading, and what belongs to that.
#[component]
pub(super) fn PageHead(
    /// The way to it: [`crumbs`].
    crumbs: AnyView,
    /// What it answers.
    heading: AnyView,
    /// What belongs to the heading.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="answer">
            <div>
                {crumbs} <h1>{heading}</h1> {children.map(|children| children())}
            </div>
        </div>
    }
    .into_any()
}

/// The way to a page: the pages above it ([`above`], [`named`]), the topmost first, and itself ([`here`]).
pub(super) fn crumbs(steps: impl IntoIterator<Item = AnyView>) -> AnyView {
    view! { <ol class="crumbs">{steps.into_iter().collect_view()}</ol> }.into_any()
}

/// A page above that has a name of ours.
pub(super) fn above(name: &'static str, href: &'static str) -> AnyView {
    view! {
        <li>
            <a href=href>{name}</a>
        </li>
    }
    .into_any()
}

/// A page above that has a name from outside, or an id.
pub(super) fn named(name: &str, href: String) -> AnyView {
    view! {
        <li>
            <a class="id" href=href>
                {show_name(name)}
            </a>
        </li>
    }
    .into_any()
}

/// The page itself.
pub(super) fn here(page: impl IntoView) -> AnyView {
    view! { <li>{page}</li> }.into_any()
}

/// The page itself, where it has a name from outside or an id.
pub(super) fn here_named(page: impl IntoView) -> AnyView {
    view! { <li class="id">{page}</li> }.into_any()
}

/// The way to a page that belongs to one letter.
pub(super) fn crumbs_of_letter(id: LetterId, page: impl IntoView) -> AnyView {
    let letter = named(&wording::short(&id), links::letter(id));
    crumbs([above("Letters", links::LETTERS), letter, here(page)])
}
