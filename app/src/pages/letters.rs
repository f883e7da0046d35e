//! Which letters?

mod search_limits;

use std::time::Duration;

use dlo_domain::filter::LetterFilter;
use dlo_domain::state::LetterState;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::api::letters::{LetterList, list_letters, read_choices};
use crate::components::{
    ArrivalsPill, Decisions, ErrorNote, ErrorPanel, FilterBar, LetterTable, Matching, Notice,
    Pager, Toasts, Waiting, kept,
};
use crate::{links, wording};
use search_limits::{Limits, SearchLimits};

/// Events of our own decisions have come by then.
const ECHO: Duration = Duration::from_secs(3);

/// The list of letters under its filter.
#[component]
pub(crate) fn LettersPage() -> impl IntoView {
    let query = use_query_map();
    let filter = Memo::new(move |_| query.with(links::filter_of));
    let cursor = Memo::new(move |_| query.with(|query| query.get("cursor").unwrap_or_default()));
    let decisions = Decisions::new();
    let toasts = Toasts::current();
    let again = RwSignal::new(0_u32);
    let choices =
        Resource::new(|| (), |()| async move { read_choices().await.unwrap_or_default() });
    let letters = Resource::new(
        move || {
            let changes = (again.get(), decisions.version(), toasts.version());
            (filter.get().ok().map(|filter| filter.to_string()), cursor.get(), changes)
        },
        |(filter, cursor, _)| async move {
            match filter {
                Some(filter) => list_letters(filter, cursor).await.map(Some),
                None => Ok(None),
            }
        },
    );
    let is_ours = own_doing(decisions, toasts);
    let navigate = use_navigate();
    // The newest are on the first page.
    let look_again = Callback::new(move |()| {
        if !cursor.get_untracked().is_empty() {
            let filter = filter.get_untracked().unwrap_or_default();
            navigate(&links::letters_matching(&filter), leptos_router::NavigateOptions::default());
        }
        again.update(|times| *times += 1);
    });
    view! {
        <Title text="Letters" />
        <h1 class="visually-hidden">"Letters"</h1>
        <Notice />
        <FilterBar filter choices />
        <ErrorNote error=Signal::derive(move || decisions.error()) />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match letters.await {
                    Ok(Some(list)) => {
                        let filter = filter.get_untracked().unwrap_or_default();
                        view! { <List list filter decisions is_ours look_again /> }.into_any()
                    }
                    // The bar says what is wrong with the filter.
                    Ok(None) => ().into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// Whether a decision of this page is under way or was just carried out: the events of it come
/// beside its answer, and need no pill.
fn own_doing(decisions: Decisions, toasts: Toasts) -> Signal<bool> {
    let just_done = RwSignal::new(false);
    Effect::new(move |before: Option<usize>| {
        let version = decisions.version() + toasts.version();
        if before.is_some_and(|before| before != version) {
            just_done.set(true);
            set_timeout(
                move || {
                    just_done.try_set(false);
                },
                ECHO,
            );
        }
        version
    });
    Signal::derive(move || just_done.get() || decisions.is_pending())
}

#[component]
fn List(
    list: LetterList,
    filter: LetterFilter,
    decisions: Decisions,
    is_ours: Signal<bool>,
    look_again: Callback<()>,
) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let LetterList { now, page, newest } = list;
    let total = page.total();
    let shown: Vec<_> = page.items.iter().map(|letter| letter.id).collect();
    let pairs = kept(&query);
    let back = links::with_query(
        links::LETTERS,
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    );
    let next = page.next_cursor;
    let text = filter.to_string();
    let limits = Limits::of(&page);
    let told_limits = view! { <SearchLimits limits filter=filter.clone() /> };
    let scheduled = LetterState::Scheduled;
    let has_scheduled = page.items.iter().any(|letter| letter.state == scheduled);
    let body = if page.items.is_empty() {
        view! { {(!limits.are_met()).then(|| view! { <Nothing is_filtered=!filter.is_empty() /> })} }
            .into_any()
    } else {
        view! {
            <LetterTable letters=page.items total now decisions back=back.clone() />
            <Matching filter total has_scheduled decisions back />
        }
        .into_any()
    };
    view! {
        <section class="section" aria-labelledby="list-title">
            <header>
                <h2 id="list-title">{wording::how_many(total, "letter")}</h2>
                <span class="note">"last death first, as of " {wording::clock(now)} " UTC"</span>
                <span class="end hints needs-script">
                    <span class="second">
                        <kbd>"j"</kbd>
                        " "
                        <kbd>"k"</kbd>
                        " move"
                    </span>
                    <span class="second">
                        <kbd>"x"</kbd>
                        " select"
                    </span>
                    <span class="second">
                        <kbd>"Enter"</kbd>
                        " open"
                    </span>
                </span>
            </header>
            <ArrivalsPill filter=text newest shown is_ours on_press=look_again />
            {body}
            {told_limits}
        </section>
        <Pager path=links::LETTERS.to_owned() query next label="letters" />
    }
    .into_any()
}

#[component]
fn Nothing(is_filtered: bool) -> impl IntoView {
    if is_filtered {
        view! {
            <p class="empty">
                "No letter matches this filter. " <a href=links::LETTERS>"Show all letters"</a>
            </p>
        }
        .into_any()
    } else {
        view! {
            <p class="empty">
                "No letter has come yet. Letters come from sources: "
                <a href="/sources">"see which queues are watched, and add one"</a> "."
            </p>
        }
        .into_any()
    }
}
