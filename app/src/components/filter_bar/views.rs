//! Filters that are asked for often: those that everybody needs, and those that people saved.

use dlo_domain::filter::{FilterForm, LetterFilter};
use dlo_domain::state::LetterState;
use dlo_domain::view::{MOST_NAME_CHARS, View};
use leptos::form::ActionForm;
use leptos::prelude::*;

use super::Filter;
use crate::api::views::{RemoveView, SaveView, list_views};
use crate::components::ErrorNote;
use crate::links;
use crate::visible::{show_line, show_name, show_within};

/// Links to views, and the form that saves one more.
#[component]
pub(super) fn Views(filter: Filter) -> impl IntoView {
    let save = ServerAction::<SaveView>::new();
    let remove = ServerAction::<RemoveView>::new();
    let saved = Resource::new(
        move || (save.version().get(), remove.version().get()),
        |_| async move { list_views().await.unwrap_or_default() },
    );
    let error = Signal::derive(move || {
        let unsaved = save.value().get().and_then(Result::err);
        unsaved.or_else(|| remove.value().get().and_then(Result::err))
    });
    view! {
        <nav class="views" aria-label="Views">
            {builtin()
                .into_iter()
                .map(|(name, view)| link(filter, name.to_owned(), view))
                .collect_view()}
            <Transition>
                {move || Suspend::new(async move {
                    saved
                        .await
                        .into_iter()
                        .filter_map(|view| {
                            let read = LetterFilter::parse(&view.filter).ok()?;
                            Some(link(filter, view.name, read))
                        })
                        .collect_view()
                })}
            </Transition>
        </nav>
        <details class="keep-view">
            <summary>"Save or remove a view…"</summary>
            <Save filter save />
            <Transition>
                {move || Suspend::new(async move {
                    let views = saved.await;
                    view! { <Own views filter remove /> }
                })}
            </Transition>
        </details>
        <ErrorNote error />
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

fn link(filter: Filter, name: String, view: LetterFilter) -> AnyView {
    let href = links::letters_matching(&view);
    let current = move || filter.with(|filter| filter.as_ref() == Ok(&view)).then_some("true");
    view! {
        <a href=href aria-current=current>
            {show_name(&name)}
        </a>
    }
    .into_any()
}

/// The address to come back to: the list under its filter.
fn here(filter: Filter) -> String {
    filter.with(|filter| {
        filter.as_ref().map_or_else(|_| links::LETTERS.to_owned(), links::letters_matching)
    })
}

fn text(filter: Filter) -> String {
    filter.with(|filter| filter.as_ref().map_or_else(|_| String::new(), ToString::to_string))
}

/// Saves the filter at hand under a name.
#[component]
fn Save(filter: Filter, save: ServerAction<SaveView>) -> impl IntoView {
    view! {
        <ActionForm action=save attr:class="with-reason">
            <input type="hidden" name="filter" value=move || text(filter) />
            <input type="hidden" name="back" value=move || here(filter) />
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
            <button class="button" type="submit" disabled=move || save.pending().get()>
                "Save the view"
            </button>
        </ActionForm>
    }
    .into_any()
}

/// One's own views, each with a button that removes it.
#[component]
fn Own(views: Vec<View>, filter: Filter, remove: ServerAction<RemoveView>) -> impl IntoView {
    let me = dlo_domain::audit::Actor::local_operator().0;
    let own = views.into_iter().filter(|view| view.owner == me);
    view! {
        <ul class="own-views">
            {own
                .map(|view| {
                    view! {
                        <li>
                            <ActionForm action=remove>
                                <input type="hidden" name="id" value=view.id.to_string() />
                                <input type="hidden" name="back" value=move || here(filter) />
                                <span>{show_name(&view.name)}</span>
                                " "
                                <code>{show_line(&view.filter)}</code>
                                " "
                                <button class="button" type="submit">
                                    {format!("Remove {}", show_within(&view.name))}
                                </button>
                            </ActionForm>
                        </li>
                    }
                })
                .collect_view()}
        </ul>
    }
    .into_any()
}
