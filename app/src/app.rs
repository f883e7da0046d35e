//! The application: what is on every page, and which page belongs to which address.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::hooks::use_location;
use leptos_router::path;
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement};

use crate::components::{
    Colophon, KeysHelp, Masthead, ToastView, TroubleBanner, provide_attention, provide_live,
    provide_ticks, provide_toasts,
};
use crate::pages::{
    EditLetterPage, GroupPage, GroupsPage, LetterPage, LettersPage, NewReplayPage, NotFoundPage,
    OverviewPage, ReplayPage, ReplaysPage, RetriesPage, RetryPolicyPage, RulePage, RulesPage,
    SentLetterPage, SourcesPage,
};

/// On a new page the focus goes to its content, as it does when a browser loads one.
#[component]
fn FocusOnArrival() -> impl IntoView {
    let path = use_location().pathname;
    Effect::new(move |before: Option<String>| {
        let path = path.get();
        if before.is_some_and(|before| before != path)
            && let Some(main) = document().get_element_by_id("main")
            && let Ok(main) = main.dyn_into::<HtmlElement>()
        {
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            // An element that cannot take the focus leaves it where it is.
            let _ = main.focus_with_options(&options);
        }
        path
    });
}

/// The whole of it. Every page is complete in the HTML, so that it can be read without a script.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_live();
    provide_attention();
    provide_ticks();
    provide_toasts();
    view! {
        <Title formatter=|title| format!("{title} · Dead Letter Office") />
        <Router>
            // The router would scroll there without moving the focus.
            <a class="skip" href="#main" rel="external">
                "Skip to the page"
            </a>
            <Masthead />
            <TroubleBanner />
            <FocusOnArrival />
            <main id="main" tabindex="-1">
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=OverviewPage ssr=SsrMode::Async />
                    <Route path=path!("/letters") view=LettersPage ssr=SsrMode::Async />
                    <Route path=path!("/letters/:id") view=LetterPage ssr=SsrMode::Async />
                    <Route path=path!("/letters/:id/edit") view=EditLetterPage ssr=SsrMode::Async />
                    <Route
                        path=path!("/letters/:id/sent/:replay")
                        view=SentLetterPage
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("/groups") view=GroupsPage ssr=SsrMode::Async />
                    <Route path=path!("/groups/:id") view=GroupPage ssr=SsrMode::Async />
                    <Route path=path!("/replays") view=ReplaysPage ssr=SsrMode::Async />
                    <Route path=path!("/replays/new") view=NewReplayPage ssr=SsrMode::Async />
                    <Route path=path!("/replays/:id") view=ReplayPage ssr=SsrMode::Async />
                    <Route path=path!("/rules") view=RulesPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/retries") view=RetriesPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/retries/:id") view=RetryPolicyPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/:id") view=RulePage ssr=SsrMode::Async />
                    <Route path=path!("/sources") view=SourcesPage ssr=SsrMode::Async />
                </FlatRoutes>
            </main>
            <Colophon />
            <ToastView />
            <KeysHelp />
        </Router>
    }
}
