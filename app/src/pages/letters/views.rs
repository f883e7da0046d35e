//! Filters that are asked for often: those that everybody needs, and those that people saved.

use dlo_domain::audit::Actor;
use dlo_domain::filter::{FilterForm, LetterFilter};
use dlo_domain::state::LetterState;
use dlo_domain::view::{MOST_NAME_CHARS, View};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::filter_bar::Filter;
use crate::api::views::{RemoveView, SaveView};
use crate::links;
use crate::visible::{show_line, show_name, show_within};

/// Links to views, and the form that saves one more.
#[component]
pub(super) fn Views(filter: Filter, views: Vec<View>) -> impl IntoView {
    let saved = views.iter().filter_map(|view| {
        let read = LetterFilter::parse(&view.filter).ok()?;
        Some((view.name.clone(), read))
    });
    let all = builtin().into_iter().map(|(name, view)| (name.to_owned(), view)).chain(saved);
    let link = |(name, view): (String, LetterFilter)| {
        let current = (filter.as_ref() == Ok(&view)).then_some("true");
        view! {
            <a href=links::letters_matching(&view) aria-current=current>
                {show_name(&name)}
            </a>
        }
    };
    let links = all.map(link).collect_view();
    // The address to come back to: the list under its filter.
    let back = filter.as_ref().map_or_else(|_| links::LETTERS.to_owned(), links::letters_matching);
    let text = filter.as_ref().map_or_else(|_| String::new(), ToString::to_string);
    view! {
        <nav class="views" aria-label="Views">
            {links}
        </nav>
        <details class="keep-view">
            <summary>"Save or remove a view…"</summary>
            <Save filter=text back=back.clone() />
            <Own views back />
        </details>
    }
    .into_any()
}

fn builtin() -> [(&'static str, LetterFilter); 5] {
    let in_state =
        |state| LetterFilter::from(FilterForm { state: Some(state), ..FilterForm::default() });
    [
        ("all letters", LetterFilter::default()),
        ("held", in_state(LetterState::Held)),
        ("unknown outcome", in_state(LetterState::Unknown)),
        ("replayed", in_state(LetterState::Replayed)),
        ("discarded", in_state(LetterState::Discarded)),
    ]
}

/// Saves the filter at hand under a name.
#[component]
fn Save(filter: String, back: String) -> impl IntoView {
    view! {
        <form method="post" action=SaveView::PATH class="with-reason">
            <input type="hidden" name="filter" value=filter />
            <input type="hidden" name="back" value=back />
            <input
                type="text"
                name="name"
                required
                maxlength=MOST_NAME_CHARS.to_string()
                autocomplete="off"
                placeholder="a name for this filter"
                aria-label="Name of the view"
            />
            <label>
                <input type="checkbox" name="shared" value="true" />
                " for everybody"
            </label>
            <button class="button" type="submit">
                "Save the view"
            </button>
        </form>
    }
    .into_any()
}

/// One's own views, each with a button that removes it.
#[component]
fn Own(views: Vec<View>, back: String) -> impl IntoView {
    let me = Actor::local_operator().0;
    let own = views.into_iter().filter(|view| view.owner == me);
    let row = |view: View| {
        view! {
            <li>
                <form method="post" action=RemoveView::PATH>
                    <input type="hidden" name="id" value=view.id.to_string() />
                    <input type="hidden" name="back" value=back.clone() />
                    <span>{show_name(&view.name)}</span>
                    " "
                    <code>{show_line(&view.filter)}</code>
                    " "
                    <button class="button" type="submit">
                        {format!("Remove {}", show_within(&view.name))}
                    </button>
                </form>
            </li>
        }
    };
    view! { <ul class="own-views">{own.map(row).collect_view()}</ul> }.into_any()
}
